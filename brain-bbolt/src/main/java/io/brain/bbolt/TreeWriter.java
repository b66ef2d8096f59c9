package io.brain.bbolt;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Writes the pages of one tree from ascending keys. Each level collects the elements of its next
 * page, so that memory holds one page per level and not more than two values.
 */
final class TreeWriter {
    /**
     * Fewest elements of a page that has siblings. bbolt fails on a branch with one child when it
     * rebalances the tree.
     */
    private static final int LEAF_ELEMENTS_MIN = 1;

    private static final int BRANCH_ELEMENTS_MIN = 2;

    private static final byte[] NO_VALUE = {};

    /** An element to be written: with a value in a leaf, with a child in a branch. */
    private static final class Entry {
        final byte[] key;
        final byte[] value;
        final long child;

        Entry(byte[] key, byte[] value, long child) {
            this.key = key;
            this.value = value;
            this.child = child;
        }

        long bytes() {
            return Format.ELEMENT_BYTES + (long) key.length + value.length;
        }
    }

    private final PageOutput output;
    private final int flags;
    private final int pageBytes;
    private final Level leaves = new Level(Format.LEAF, LEAF_ELEMENTS_MIN);
    private byte[] lastKey = {};

    /** A tree whose leaf elements have the given flags. */
    TreeWriter(PageOutput output, int fillPercent, int flags) {
        this.output = output;
        this.flags = flags;
        this.pageBytes = output.pageSize() * fillPercent / 100;
    }

    void add(byte[] key, byte[] value) throws IOException {
        checkNext(key);
        lastKey = key;
        leaves.add(new Entry(key, value, 0));
    }

    /** Throws IllegalArgumentException if {@code key} cannot be the next one. */
    void checkNext(byte[] key) {
        if (key.length == 0 || key.length > Format.KEY_BYTES_MAX) {
            throw new IllegalArgumentException("key of " + key.length + " bytes");
        }
        if (Arrays.compareUnsigned(lastKey, key) >= 0) {
            throw new IllegalArgumentException("keys must ascend");
        }
    }

    /** Writes what is left and returns the id of the root page. */
    long finish() throws IOException {
        return leaves.finish();
    }

    /** All pages of the same distance from the leaves. */
    private final class Level {
        private final int type;
        private final int elementsMin;
        private final List<Entry> entries = new ArrayList<>();
        private long bytes = Format.PAGE_HEADER_BYTES;

        /** Number of entries that fill a page, if there are more; 0 before that. */
        private int full;

        /** Null as long as this level has no complete page. */
        private Level parent;

        Level(int type, int elementsMin) {
            this.type = type;
            this.elementsMin = elementsMin;
        }

        void add(Entry entry) throws IOException {
            if (full == 0 && entries.size() >= elementsMin && bytes + entry.bytes() > pageBytes) {
                full = entries.size();
            }
            entries.add(entry);
            bytes += entry.bytes();
            if (full > 0 && entries.size() == full + elementsMin) {
                completePage(full);
            }
        }

        long finish() throws IOException {
            if (full > 0 && entries.size() >= 2 * elementsMin) {
                completePage(entries.size() - elementsMin);
            }
            if (parent == null) {
                return writePage(entries);
            }
            completePage(entries.size());
            return parent.finish();
        }

        /** Writes a page of the first entries and adds it to the level above. */
        private void completePage(int count) throws IOException {
            List<Entry> first = entries.subList(0, count);
            if (parent == null) {
                parent = new Level(Format.BRANCH, BRANCH_ELEMENTS_MIN);
            }
            byte[] key = first.get(0).key;
            parent.add(new Entry(key, NO_VALUE, writePage(first)));
            first.clear();
            bytes = Format.PAGE_HEADER_BYTES + bytes(entries);
            full = 0;
        }

        private long writePage(List<Entry> elements) throws IOException {
            long size = Format.PAGE_HEADER_BYTES + bytes(elements);
            long id = output.beginPage(type, elements.size(), size);
            long distance = (long) elements.size() * Format.ELEMENT_BYTES;
            for (Entry entry : elements) {
                int keyLength = entry.key.length;
                if (type == Format.LEAF) {
                    output.leafElement(flags, (int) distance, keyLength, entry.value.length);
                } else {
                    output.branchElement((int) distance, keyLength, entry.child);
                }
                distance += entry.bytes() - 2L * Format.ELEMENT_BYTES;
            }
            for (Entry entry : elements) {
                output.bytes(entry.key);
                output.bytes(entry.value);
            }
            return id;
        }

        private long bytes(List<Entry> elements) {
            return elements.stream().mapToLong(Entry::bytes).sum();
        }
    }
}
