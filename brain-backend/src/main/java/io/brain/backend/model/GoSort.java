package io.brain.backend.model;

import java.util.Comparator;
import java.util.List;

/**
 * Sorts as Go's package sort does since Go 1.19, with a pattern-defeating quicksort (Peters 2021).
 * It is not stable: the order of equal elements depends on the order of all, and is the same each
 * time. Not thread-safe.
 */
public final class GoSort<T> {
    private static final int INSERTION_MAX = 12;

    /** From this length on a pivot is the median of nine elements. */
    private static final int NINTHER_MIN = 50;

    /** Swaps that the medians of a descending range take. */
    private static final int SWAPS_MAX = 12;

    private static final int REPAIRS_MAX = 5;
    private static final int REPAIR_MIN = 50;

    private final List<T> list;
    private final Comparator<? super T> order;

    /** Swaps of the current choice of a pivot. */
    private int swaps;

    /** True if the last partition swapped nothing but the pivot. */
    private boolean inPlace;

    private GoSort(List<T> list, Comparator<? super T> order) {
        this.list = list;
        this.order = order;
    }

    /** Sorts a list with random access. */
    public static <T> void sort(List<T> list, Comparator<? super T> order) {
        new GoSort<>(list, order).sort(0, list.size(), bits(list.size()));
    }

    private static int bits(int number) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(number);
    }

    private boolean less(int left, int right) {
        return order.compare(list.get(left), list.get(right)) < 0;
    }

    private void swap(int one, int other) {
        list.set(one, list.set(other, list.get(one)));
    }

    /**
     * Sorts a range.
     *
     * @param imbalances how many bad pivots are allowed before the heap sort
     */
    private void sort(int first, int last, int imbalances) {
        int from = first;
        int end = last;
        int left = imbalances;
        boolean balanced = true;
        boolean partitioned = true;
        while (end - from > INSERTION_MAX) {
            if (left == 0) {
                heapSort(from, end);
                return;
            }
            if (!balanced) {
                shuffle(from, end);
                left--;
            }
            int pivot = pivot(from, end);
            boolean ascending = swaps == 0;
            if (swaps == SWAPS_MAX) {
                reverse(from, end);
                pivot = end - 1 - (pivot - from);
                ascending = true;
            }
            if (balanced && partitioned && ascending && repairs(from, end)) {
                return;
            }
            if (from > 0 && !less(from - 1, pivot)) {
                from = afterEqual(from, end, pivot);
                continue;
            }
            int middle = partition(from, end, pivot);
            partitioned = inPlace;
            int smaller = Math.min(middle - from, end - middle);
            balanced = smaller >= (end - from) / 8;
            if (middle - from < end - middle) {
                sort(from, middle, left);
                from = middle + 1;
            } else {
                sort(middle + 1, end, left);
                end = middle;
            }
        }
        insertionSort(from, end);
    }

    private void insertionSort(int from, int end) {
        for (int i = from + 1; i < end; i++) {
            sinkLeft(i, from);
        }
    }

    /** Moves an element to the left, as long as it is less than the one before it. */
    private void sinkLeft(int index, int from) {
        for (int i = index; i > from && less(i, i - 1); i--) {
            swap(i, i - 1);
        }
    }

    private void heapSort(int from, int end) {
        int length = end - from;
        for (int root = (length - 1) / 2; root >= 0; root--) {
            siftDown(from, root, length);
        }
        for (int last = length - 1; last >= 0; last--) {
            swap(from, from + last);
            siftDown(from, 0, last);
        }
    }

    private void siftDown(int from, int top, int length) {
        int root = top;
        for (int child = 2 * root + 1; child < length; child = 2 * root + 1) {
            if (child + 1 < length && less(from + child, from + child + 1)) {
                child++;
            }
            if (!less(from + root, from + child)) {
                return;
            }
            swap(from + root, from + child);
            root = child;
        }
    }

    /** Swaps three elements in the middle with some that only the length determines. */
    private void shuffle(int from, int end) {
        int length = end - from;
        long mask = (1L << bits(length)) - 1;
        int middle = from + length / 4 * 2 - 1;
        long random = length;
        for (int i = 0; i < 3; i++) {
            random ^= random << 13;
            random ^= random >>> 7;
            random ^= random << 17;
            int other = (int) (random & mask);
            swap(middle + i, from + (other >= length ? other - length : other));
        }
    }

    /** The index of a pivot; counts swaps: none in an ascending range. */
    private int pivot(int from, int end) {
        swaps = 0;
        int quarter = (end - from) / 4;
        int a = from + quarter;
        int b = from + quarter * 2;
        int c = from + quarter * 3;
        if (end - from >= NINTHER_MIN) {
            a = median(a - 1, a, a + 1);
            b = median(b - 1, b, b + 1);
            c = median(c - 1, c, c + 1);
        }
        return median(a, b, c);
    }

    private int median(int a, int b, int c) {
        int low = a;
        int middle = b;
        if (less(middle, low)) {
            swaps++;
            low = b;
            middle = a;
        }
        if (less(c, middle)) {
            swaps++;
            middle = c;
        }
        if (less(middle, low)) {
            swaps++;
            middle = low;
        }
        return middle;
    }

    private void reverse(int from, int end) {
        for (int i = from, j = end - 1; i < j; i++, j--) {
            swap(i, j);
        }
    }

    /** Sorts a range that is almost sorted; false if it is not. */
    private boolean repairs(int from, int end) {
        int i = from + 1;
        for (int repairs = 0; repairs < REPAIRS_MAX; repairs++) {
            while (i < end && !less(i, i - 1)) {
                i++;
            }
            if (i == end) {
                return true;
            }
            if (end - from < REPAIR_MIN) {
                return false;
            }
            swap(i, i - 1);
            if (i - from >= 2) {
                sinkLeft(i - 1, 0);
            }
            if (end - i >= 2) {
                riseRight(i + 1, end);
            }
        }
        return false;
    }

    /** Moves what is less than the element before it, as long as there is something. */
    private void riseRight(int index, int end) {
        for (int i = index; i < end && less(i, i - 1); i++) {
            swap(i, i - 1);
        }
    }

    /** Moves the elements that equal the pivot to the left; the first index after them. */
    private int afterEqual(int from, int end, int pivot) {
        swap(from, pivot);
        int i = from + 1;
        int j = end - 1;
        while (true) {
            while (i <= j && !less(from, i)) {
                i++;
            }
            while (i <= j && less(from, j)) {
                j--;
            }
            if (i > j) {
                return i;
            }
            swap(i++, j--);
        }
    }

    /** Moves what is less than the pivot to its left; the pivot's index. */
    private int partition(int from, int end, int pivot) {
        swap(from, pivot);
        int i = from + 1;
        int j = end - 1;
        inPlace = true;
        while (true) {
            while (i <= j && less(i, from)) {
                i++;
            }
            while (i <= j && !less(j, from)) {
                j--;
            }
            if (i > j) {
                swap(j, from);
                return j;
            }
            inPlace = false;
            swap(i++, j--);
        }
    }
}
