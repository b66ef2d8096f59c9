package io.brain.bbolt;

import io.brain.bbolt.Page.Element;
import java.io.IOException;
import java.util.Arrays;

/**
 * Reads the keys of a bucket in order. A new cursor is before the first key. Not thread-safe.
 *
 * <p>It verifies what it passes: keys ascend, also across pages and against the keys of branches,
 * and no more pages are read than the file has. So every walk ends, on any file.
 */
public final class BucketCursor {
    /** Enough for {@link Format#PAGES_MAX} pages, as each branch has two children. */
    private static final int DEPTH_MAX = 32;

    private final Page.Source source;
    private final Page root;
    private final long pageCount;
    private final int flags;
    private final int valueBytesMax;

    private final Page[] path = new Page[DEPTH_MAX];
    private final int[] indexes = new int[DEPTH_MAX];
    private int depth = -1;
    private long pagesLeft;
    private boolean atEnd;

    private byte[] key;
    private Element element;

    /** A cursor over elements with the given flags, in a file of {@code pageCount} pages. */
    private BucketCursor(
            Page.Source source, Page root, long pageCount, int flags, int valueBytesMax) {
        this.source = source;
        this.root = root;
        this.pageCount = pageCount;
        this.flags = flags;
        this.valueBytesMax = valueBytesMax;
    }

    /** A cursor over the buckets of a database. */
    static BucketCursor ofBuckets(Page.Source source, Meta meta, int valueBytesMax)
            throws IOException {
        Page root = source.read(meta.rootPage());
        return new BucketCursor(source, root, meta.pageCount(), Format.BUCKET, valueBytesMax);
    }

    /** Moves to the next key; false if there is none. */
    public boolean next() throws IOException {
        if (atEnd) {
            return false;
        }
        if (depth < 0) {
            restart();
        } else {
            indexes[depth]++;
        }
        return toElement();
    }

    /** Moves to the first key that is not less than {@code target}; false if there is none. */
    public boolean seek(byte[] target) throws IOException {
        restart();
        while (path[depth].isBranch()) {
            indexes[depth] = path[depth].childFor(target);
            pushChild();
        }
        indexes[depth] = path[depth].firstAtLeast(target);
        return toElement();
    }

    /** Moves to {@code target}; false if the bucket does not have this key. */
    public boolean find(byte[] target) throws IOException {
        return seek(target) && Arrays.equals(key, target);
    }

    /** The current key. The caller must not change the array. */
    public byte[] key() {
        current();
        return key;
    }

    /** Length of the current value, which is not read. */
    public long valueLength() {
        return current().valueLength();
    }

    /** The current value, read from the file by this call, in a new array. */
    public byte[] value() throws IOException {
        Element value = current();
        return path[depth].value(value, valueBytesMax);
    }

    /** A cursor over the bucket that is the current value. */
    BucketCursor openBucket() throws IOException {
        Element value = current();
        Page bucket = path[depth].bucket(value, source);
        return new BucketCursor(source, bucket, pageCount, 0, valueBytesMax);
    }

    private Element current() {
        if (element == null) {
            throw new IllegalStateException("the cursor is not at a key");
        }
        return element;
    }

    private void restart() throws IOException {
        depth = -1;
        pagesLeft = pageCount;
        atEnd = false;
        key = null;
        element = null;
        push(root);
    }

    /** Moves to the element at the indexes, or else to the first one after it. */
    private boolean toElement() throws IOException {
        while (true) {
            Page page = path[depth];
            if (indexes[depth] >= page.count()) {
                if (depth == 0) {
                    atEnd = true;
                    element = null;
                    return false;
                }
                path[depth--] = null;
                indexes[depth]++;
            } else if (page.isBranch()) {
                pushChild();
            } else {
                load(page);
                return true;
            }
        }
    }

    private void load(Page page) throws IOException {
        Element next = page.element(indexes[depth]);
        if (next.flags() != flags) {
            throw page.damaged(
                    String.format(
                            "element %d has unexpected flags 0x%x", indexes[depth], next.flags()));
        }
        byte[] nextKey = page.key(next);
        if (key != null && Arrays.compareUnsigned(key, nextKey) >= 0) {
            throw outOfOrder(page);
        }
        key = nextKey;
        element = next;
    }

    /** Enters the child at the index: no key before it reaches its key, and none in it is less. */
    private void pushChild() throws IOException {
        Page parent = path[depth];
        Element link = parent.element(indexes[depth]);
        byte[] lowest = parent.key(link);
        if (key != null && Arrays.compareUnsigned(key, lowest) >= 0) {
            throw outOfOrder(parent);
        }
        Page child = source.read(link.child());
        push(child);
        if (child.count() > 0 && Arrays.compareUnsigned(child.key(0), lowest) < 0) {
            throw outOfOrder(child);
        }
    }

    private void push(Page page) throws BboltException {
        pagesLeft -= page.pages();
        if (pagesLeft < 0 || depth + 1 == DEPTH_MAX) {
            throw page.damaged("pages form a cycle or too deep a tree");
        }
        depth++;
        path[depth] = page;
        indexes[depth] = 0;
    }

    private static BboltException outOfOrder(Page page) {
        return page.damaged("keys are not in order");
    }
}
