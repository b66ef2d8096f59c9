package io.brain.bbolt;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * Reads numbers and bytes at any position of a file, through a cache of 4 MiB.
 *
 * <p>The file is not mapped into memory: a file that gets shorter while it is read must cause an
 * exception, not the end of the process.
 */
final class BlockFile implements Closeable {
    private static final int BLOCK_BYTES = 64 << 10;
    private static final int BLOCKS = 64;

    private final Path path;
    private final long length;

    /** Null if it is released. */
    private FileChannel channel;

    /** Block {@code n} of the file can only be in slot {@code n % BLOCKS}. */
    private final ByteBuffer[] blocks = new ByteBuffer[BLOCKS];

    private final long[] numbers = new long[BLOCKS];

    BlockFile(Path path) throws IOException {
        this.path = path;
        channel = FileChannel.open(path, StandardOpenOption.READ);
        length = channel.size();
        Arrays.fill(numbers, -1);
    }

    long length() {
        return length;
    }

    int uint16(long position) throws IOException {
        return (int) number(position, Short.BYTES);
    }

    long uint32(long position) throws IOException {
        return number(position, Integer.BYTES);
    }

    long int64(long position) throws IOException {
        return number(position, Long.BYTES);
    }

    private long number(long position, int size) throws IOException {
        ByteBuffer block = block(position);
        int offset = (int) (position % BLOCK_BYTES);
        if (offset + size > block.limit()) {
            block = ByteBuffer.wrap(bytes(position, size)).order(ByteOrder.LITTLE_ENDIAN);
            offset = 0;
        }
        return switch (size) {
            case Short.BYTES -> block.getShort(offset) & 0xffffL;
            case Integer.BYTES -> block.getInt(offset) & 0xffffffffL;
            default -> block.getLong(offset);
        };
    }

    byte[] bytes(long position, int count) throws IOException {
        if (position + count > length) {
            throw endOfFile(position + count);
        }
        byte[] bytes = new byte[count];
        int done = 0;
        while (done < count) {
            ByteBuffer block = block(position + done);
            int offset = (int) ((position + done) % BLOCK_BYTES);
            int part = Math.min(count - done, block.limit() - offset);
            block.get(offset, bytes, done, part);
            done += part;
        }
        return bytes;
    }

    /** The block that contains a position. */
    private ByteBuffer block(long position) throws IOException {
        long number = position / BLOCK_BYTES;
        int slot = (int) (number % BLOCKS);
        return numbers[slot] == number ? blocks[slot] : read(number, slot);
    }

    private ByteBuffer read(long number, int slot) throws IOException {
        long start = number * BLOCK_BYTES;
        if (start >= length) {
            throw endOfFile(start);
        }
        if (blocks[slot] == null) {
            blocks[slot] = ByteBuffer.allocate(BLOCK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        }
        if (channel == null) {
            channel = FileChannel.open(path, StandardOpenOption.READ);
        }
        numbers[slot] = -1;
        ByteBuffer block = blocks[slot].clear();
        block.limit((int) Math.min(BLOCK_BYTES, length - start));
        while (block.hasRemaining()) {
            if (channel.read(block, start + block.position()) < 0) {
                throw endOfFile(start + block.limit());
            }
        }
        numbers[slot] = number;
        return block;
    }

    private BboltException endOfFile(long position) {
        return new BboltException("file", "ends before byte " + position);
    }

    /** Frees the cache and closes the file, until something is read again. */
    void release() throws IOException {
        Arrays.fill(blocks, null);
        Arrays.fill(numbers, -1);
        if (channel != null) {
            channel.close();
            channel = null;
        }
    }

    @Override
    public void close() throws IOException {
        release();
    }
}
