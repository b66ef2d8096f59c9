package io.brain.bbolt;

import java.io.IOException;
import java.util.BitSet;

/**
 * Verifies that each page of a database belongs to exactly one tree or is free, and all that a
 * {@link BucketCursor} verifies. If the file has no freelist, pages outside of the trees are free.
 */
final class StructureCheck {
    private final BlockFile file;
    private final Meta meta;

    /** Pages that belong to something. */
    private final BitSet used = new BitSet();

    StructureCheck(BlockFile file, Meta meta) {
        this.file = file;
        this.meta = meta;
    }

    /** Returns the number of keys in all buckets. */
    long run() throws IOException {
        used.set(0, 2);
        BucketCursor buckets = BucketCursor.ofBuckets(this::treePage, meta, 0);
        long keys = 0;
        while (buckets.next()) {
            BucketCursor bucket = buckets.openBucket();
            while (bucket.next()) {
                keys++;
            }
        }
        if (meta.freelistPage() != Format.NO_FREELIST) {
            addFreePages();
            int unused = used.nextClearBit(0);
            if (unused < meta.pageCount()) {
                throw new BboltException(unused, "neither in use nor free");
            }
        }
        return keys;
    }

    private Page treePage(long id) throws IOException {
        return readOnce(id, Format.BRANCH | Format.LEAF);
    }

    private Page readOnce(long id, int types) throws IOException {
        Page page = Page.read(file, meta, id, types);
        for (long each = id; each < id + page.pages(); each++) {
            use(each, "in use twice");
        }
        return page;
    }

    private void use(long id, String problem) throws BboltException {
        if (used.get((int) id)) {
            throw new BboltException(id, problem);
        }
        used.set((int) id);
    }

    private void addFreePages() throws IOException {
        Page list = readOnce(meta.freelistPage(), Format.FREELIST);
        long at = list.body();
        long count = list.count();
        if (count == Format.LARGE_COUNT) {
            count = file.int64(at);
            at += Long.BYTES;
        }
        if (count < 0 || count > (list.end() - at) / Long.BYTES) {
            throw list.damaged("no room for " + Long.toUnsignedString(count) + " free pages");
        }
        for (long i = 0; i < count; i++) {
            long id = file.int64(at + i * Long.BYTES);
            if (id < 2 || id >= meta.pageCount()) {
                throw list.damaged("free page " + Long.toUnsignedString(id) + " does not exist");
            }
            use(id, "free and in use, or free twice");
        }
    }
}
