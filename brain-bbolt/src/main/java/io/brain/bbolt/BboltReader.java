package io.brain.bbolt;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Reads a bbolt database from a file that no other process changes. Needs about 4 MiB and the
 * current key and value in memory. Not thread-safe: threads open a reader each.
 *
 * <p>On a damaged file any method may throw a {@link BboltException}. Keys and values have no
 * checksum: changed bytes in them cannot be noticed.
 */
public final class BboltReader implements Closeable {
    /** Default for the longest value that is read into memory. */
    public static final int VALUE_BYTES_MAX = 64 << 20;

    private final BlockFile file;
    private final Meta meta;
    private final int valueBytesMax;

    private BboltReader(BlockFile file, int valueBytesMax) throws IOException {
        this.file = file;
        this.meta = Meta.newest(file);
        this.valueBytesMax = valueBytesMax;
    }

    /** Opens a file. */
    public static BboltReader open(Path path) throws IOException {
        return open(path, VALUE_BYTES_MAX);
    }

    /** Opens a file; a value of more than {@code valueBytesMax} bytes counts as damage. */
    public static BboltReader open(Path path, int valueBytesMax) throws IOException {
        BlockFile file = new BlockFile(path);
        try {
            return new BboltReader(file, valueBytesMax);
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /** Bytes of a page. */
    public int pageSize() {
        return meta.pageSize();
    }

    /** Bytes of the database; the file may be longer, as an etcd snapshot with its hash is. */
    public long length() {
        return meta.pageCount() * meta.pageSize();
    }

    /** A cursor whose keys are the names of the buckets; its values mean nothing. */
    public BucketCursor buckets() throws IOException {
        return BucketCursor.ofBuckets(this::treePage, meta, valueBytesMax);
    }

    /** A cursor over the keys of a bucket; empty if there is no such bucket. */
    public Optional<BucketCursor> bucket(byte[] name) throws IOException {
        BucketCursor buckets = buckets();
        return buckets.find(name) ? Optional.of(buckets.openBucket()) : Optional.empty();
    }

    /**
     * Verifies the whole structure: every page, every key, the freelist. Needs one bit per page.
     *
     * @return the number of keys in all buckets
     */
    public long check() throws IOException {
        return new StructureCheck(file, meta).run();
    }

    private Page treePage(long id) throws IOException {
        return Page.read(file, meta, id, Format.BRANCH | Format.LEAF);
    }

    /**
     * Frees the memory and closes the file, until something is read again, also by a cursor: for
     * one of many databases that are read in turn.
     */
    public void release() throws IOException {
        file.release();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
