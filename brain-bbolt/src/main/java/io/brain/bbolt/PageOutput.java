package io.brain.bbolt;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Appends pages to an empty file, behind the two meta pages, which are written last. */
final class PageOutput implements Closeable {
    private static final int BUFFER_BYTES = 256 << 10;

    private final FileChannel channel;
    private final boolean isSynced;
    private final int pageSize;
    private final ByteBuffer buffer =
            ByteBuffer.allocate(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final byte[] padding;
    private long pageCount = 2;

    /** Where the buffer begins in the file. */
    private long position;

    /**
     * Creates an output.
     *
     * @param channel of an empty file
     * @param isSynced true if the file is to be on disk when it is finished
     */
    PageOutput(FileChannel channel, int pageSize, boolean isSynced) {
        this.channel = channel;
        this.isSynced = isSynced;
        this.pageSize = pageSize;
        this.padding = new byte[pageSize];
        this.position = 2L * pageSize;
    }

    /** Opens a file that is empty or does not exist. */
    static FileChannel open(Path path) throws IOException {
        FileChannel channel =
                FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (channel.size() > 0) {
            channel.close();
            throw new FileAlreadyExistsException(path.toString());
        }
        return channel;
    }

    int pageSize() {
        return pageSize;
    }

    /**
     * Begins a page with as many overflow pages as it needs.
     *
     * @param bytes length of all that the page will contain, with its header
     * @return the id of the page
     */
    long beginPage(int type, int count, long bytes) throws IOException {
        alignToPage();
        long id = pageCount;
        long pages = (bytes + pageSize - 1) / pageSize;
        pageCount += pages;
        reserve(Format.PAGE_HEADER_BYTES);
        buffer.putLong(id).putShort((short) type).putShort((short) count).putInt((int) pages - 1);
        return id;
    }

    void leafElement(int flags, int distance, int keyLength, int valueLength) throws IOException {
        reserve(Format.ELEMENT_BYTES);
        buffer.putInt(flags).putInt(distance).putInt(keyLength).putInt(valueLength);
    }

    void branchElement(int distance, int keyLength, long child) throws IOException {
        reserve(Format.ELEMENT_BYTES);
        buffer.putInt(distance).putInt(keyLength).putLong(child);
    }

    void bytes(byte[] bytes) throws IOException {
        bytes(bytes, bytes.length);
    }

    private void bytes(byte[] bytes, int count) throws IOException {
        int done = 0;
        while (done < count) {
            reserve(1);
            int part = Math.min(count - done, buffer.remaining());
            buffer.put(bytes, done, part);
            done += part;
        }
    }

    /** Writes the meta pages, after all other pages; returns the length of the file. */
    long finish(long rootPage, long freelistPage) throws IOException {
        alignToPage();
        flush();
        sync();
        for (int page = 0; page < 2; page++) {
            // As in a new database of bbolt: the id of the page is that of the transaction.
            Meta meta = new Meta(page, pageSize, rootPage, freelistPage, pageCount, page);
            writeFully(meta.encode(), (long) page * pageSize);
        }
        sync();
        return pageCount * pageSize;
    }

    private void sync() throws IOException {
        if (isSynced) {
            channel.force(true);
        }
    }

    private void alignToPage() throws IOException {
        bytes(padding, (int) (pageCount * pageSize - position - buffer.position()));
    }

    private void reserve(int bytes) throws IOException {
        if (buffer.remaining() < bytes) {
            flush();
        }
    }

    private void flush() throws IOException {
        buffer.flip();
        writeFully(buffer, position);
        position += buffer.limit();
        buffer.clear();
    }

    private void writeFully(ByteBuffer bytes, long start) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes, start + bytes.position());
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
