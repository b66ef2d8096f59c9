package io.brain.storage.rocksdb;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.OptionalLong;
import java.util.zip.CRC32C;

/**
 * Looks for damage in the middle of a write-ahead log, before RocksDB replays it.
 *
 * <p>RocksDB cannot tell a record that a crash cut short from one whose length was damaged, if it
 * lies in the log's last block: it takes both for the end of the log, and drops what follows
 * without a word. Here the two are told apart: behind a record that was cut short there is nothing.
 *
 * <p>A log is a row of blocks of 32 KiB. A record is a masked CRC-32C (4 bytes), a length (2), a
 * type (1) and its content; it never crosses the end of a block, so a long batch is a first, some
 * middle and a last record. The CRC is that of type and content.
 */
final class LogCheck {
    private static final int BLOCK = 32 << 10;
    private static final int HEADER = 7;
    private static final byte FULL = 1;
    private static final byte FIRST = 2;

    private static final byte LAST = 4;

    /** In front of a batch: the number of its first change, and how many they are. */
    private static final int BATCH_HEADER = 12;

    private static final long UNKNOWN = -1;

    private final ByteBuffer block = ByteBuffer.allocate(BLOCK).order(ByteOrder.LITTLE_ENDIAN);
    private final CRC32C crc = new CRC32C();

    /** Number of the log's first change; UNKNOWN if there is none. */
    private long first;

    /** Number behind the last change of the last whole batch; UNKNOWN if that cannot be told. */
    private long end;

    /** The same of the batch whose first record was the last one met. */
    private long pendingEnd;

    private long wholeBytes;
    private long blockStart;

    /**
     * Looks at all logs of a store, oldest first; answers the number behind their last change,
     * empty if there is none or it cannot be told.
     *
     * @throws StorageException kind CORRUPT if one is damaged, or does not go on where the one
     *     before it ended; UNAVAILABLE if one cannot be read
     */
    static OptionalLong chain(List<Path> logs) {
        LogCheck check = new LogCheck();
        OptionalLong end = OptionalLong.empty();
        Path before = null;
        for (Path file : logs) {
            OptionalLong damage;
            try {
                damage = check.damage(file);
            } catch (IOException e) {
                throw new StorageException(Kind.UNAVAILABLE, "cannot read " + file + ": " + e, e);
            }
            if (damage.isPresent()) {
                throw new StorageException(
                        Kind.CORRUPT,
                        "the write-ahead log %s is damaged at byte %d, with whole batches behind"
                                .formatted(file, damage.getAsLong()));
            }
            if (check.first().isEmpty()) {
                continue;
            }
            if (end.isPresent() && !end.equals(check.first())) {
                throw new StorageException(
                        Kind.CORRUPT,
                        "the end of the write-ahead log %s is gone, or a log between it and %s: changes %d to %d are missing"
                                .formatted(
                                        before,
                                        file.getFileName(),
                                        end.getAsLong(),
                                        check.first().getAsLong() - 1));
            }
            end = check.end();
            before = file;
        }
        return end;
    }

    /** Number of the first change in the log that was looked at; empty if there is none. */
    OptionalLong first() {
        return first == UNKNOWN ? OptionalLong.empty() : OptionalLong.of(first);
    }

    /** Number that the change behind the log must have; empty if that cannot be told. */
    OptionalLong end() {
        return end == UNKNOWN ? OptionalLong.empty() : OptionalLong.of(end);
    }

    /** Bytes from the log's beginning to the end of its last whole batch before any break. */
    long wholeBytes() {
        return wholeBytes;
    }

    /**
     * Where {@code log} is damaged: the place of a broken record with the beginning of an unbroken
     * batch somewhere behind it. Empty if there is no such place.
     */
    OptionalLong damage(Path log) throws IOException {
        first = UNKNOWN;
        end = UNKNOWN;
        wholeBytes = 0;
        try (FileChannel file = FileChannel.open(log, StandardOpenOption.READ)) {
            OptionalLong broken = OptionalLong.empty();
            for (long at = 0; read(file, at); at += BLOCK) {
                blockStart = at;
                int intact = broken.isPresent() ? 0 : intactBytes();
                if (intact < block.limit() && broken.isEmpty()) {
                    broken = OptionalLong.of(at + intact);
                }
                if (broken.isPresent() && batchBegins(intact)) {
                    return broken;
                }
            }
            return OptionalLong.empty();
        }
    }

    /** Reads the block at {@code position}; false at the end of the file. */
    private boolean read(FileChannel file, long position) throws IOException {
        block.clear();
        while (block.hasRemaining() && file.read(block, position + block.position()) > 0) {}
        block.flip();
        return block.hasRemaining();
    }

    /** Number of bytes, from the block's first on, that are unbroken records or filler. */
    private int intactBytes() {
        int at = 0;
        while (at + HEADER <= block.limit() && isRecord(at)) {
            count(at);
            at += HEADER + length(at);
        }
        // A record's header does not fit in what is left of a full block, which is then filler.
        return BLOCK - at < HEADER && block.limit() == BLOCK ? BLOCK : at;
    }

    /** Follows the numbers of changes over a record. */
    private void count(int at) {
        byte type = block.get(at + 6);
        if (type == FULL || type == FIRST) {
            boolean whole = length(at) >= BATCH_HEADER;
            long number = whole ? block.getLong(at + HEADER) : UNKNOWN;
            pendingEnd = whole ? number + block.getInt(at + HEADER + Long.BYTES) : UNKNOWN;
            first = first == UNKNOWN && end == UNKNOWN ? number : first;
        }
        if (type == FULL || type == LAST) {
            end = pendingEnd;
            wholeBytes = blockStart + at + HEADER + length(at);
        }
    }

    /** True if an unbroken record at or behind {@code from} is the first or only one of a batch. */
    private boolean batchBegins(int from) {
        for (int at = from; at + HEADER <= block.limit(); at++) {
            byte type = block.get(at + 6);
            if ((type == FULL || type == FIRST) && isRecord(at)) {
                return true;
            }
        }
        return false;
    }

    private int length(int at) {
        return Short.toUnsignedInt(block.getShort(at + 4));
    }

    private boolean isRecord(int at) {
        int end = at + HEADER + length(at);
        if (end > block.limit()) {
            return false;
        }
        crc.reset();
        crc.update(block.array(), at + 6, end - at - 6);
        int sum = (int) crc.getValue();
        return block.getInt(at) == Integer.rotateRight(sum, 15) + 0xa282ead8;
    }
}
