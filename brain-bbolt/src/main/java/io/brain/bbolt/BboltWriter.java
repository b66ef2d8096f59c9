package io.brain.bbolt;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * Writes a bbolt database into a file, in one pass: buckets in order of their names, the keys of
 * each in order. Needs memory for a few pages and two values. Equal input gives equal bytes.
 *
 * <p>The meta pages, at the beginning of the file, are written by {@link #finish}: until then no
 * program takes the file for a database. Arrays that are passed in must not change before that.
 */
public final class BboltWriter implements Closeable {
    private static final int PAGE_SIZE = 4096;
    private static final int PAGE_SIZE_MAX = 64 << 10;

    /** How full etcd makes the pages of keys that ascend. */
    private static final int FILL_PERCENT = 90;

    private final PageOutput output;
    private final int fillPercent;
    private final long freelistPage;
    private final TreeWriter buckets;
    private byte[] bucketName;
    private TreeWriter bucket;
    private boolean isFinished;

    private BboltWriter(PageOutput output, int fillPercent) throws IOException {
        this.fillPercent = fillPercent;
        this.output = output;
        this.buckets = new TreeWriter(output, fillPercent, Format.BUCKET);
        this.freelistPage = output.beginPage(Format.FREELIST, 0, Format.PAGE_HEADER_BYTES);
    }

    /** Begins a database in a file that is empty or does not exist. */
    public static BboltWriter create(Path path) throws IOException {
        return create(path, PAGE_SIZE, FILL_PERCENT);
    }

    /**
     * Begins a database in a file that is empty or does not exist.
     *
     * @param pageSize a power of two, 1024 to 65536
     * @param fillPercent how full to make pages, 10 to 100
     */
    public static BboltWriter create(Path path, int pageSize, int fillPercent) throws IOException {
        if (Integer.bitCount(pageSize) != 1
                || pageSize < Format.PAGE_SIZE_MIN
                || pageSize > PAGE_SIZE_MAX
                || fillPercent < 10
                || fillPercent > 100) {
            throw new IllegalArgumentException(pageSize + " bytes, " + fillPercent + " %");
        }
        return new BboltWriter(new PageOutput(PageOutput.open(path), pageSize, true), fillPercent);
    }

    /** Begins a database in an empty file; {@link #finish} does not wait until it is on disk. */
    public static BboltWriter create(FileChannel file) throws IOException {
        return new BboltWriter(new PageOutput(file, PAGE_SIZE, false), FILL_PERCENT);
    }

    /** Begins a bucket, which is empty unless keys follow. */
    public void bucket(byte[] name) throws IOException {
        endBucket();
        buckets.checkNext(name);
        bucketName = name;
        bucket = new TreeWriter(output, fillPercent, 0);
    }

    /** Adds a key to the bucket begun last. */
    public void put(byte[] key, byte[] value) throws IOException {
        if (bucket == null) {
            throw new IllegalStateException("no bucket");
        }
        bucket.add(key, value);
    }

    /** Completes the file and returns its length. A file created by path is on disk then. */
    public long finish() throws IOException {
        if (isFinished) {
            throw new IllegalStateException("already finished");
        }
        endBucket();
        isFinished = true;
        return output.finish(buckets.finish(), freelistPage);
    }

    private void endBucket() throws IOException {
        if (bucket != null) {
            ByteBuffer header =
                    ByteBuffer.allocate(Format.BUCKET_HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
            header.putLong(bucket.finish()).putLong(0);
            buckets.add(bucketName, header.array());
            bucket = null;
        }
    }

    /** Closes the file; one that is not finished is of no use. */
    @Override
    public void close() throws IOException {
        output.close();
    }
}
