package io.brain.storage.rocksdb.recovery;

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
 * Detects damage within a write-ahead log before RocksDB replays it.
 *
 * <p>In the last block of a log RocksDB does not distinguish a record truncated by a crash from one
 * with a damaged length: it takes both for the end of the log and drops the rest silently. This
 * check distinguishes them: no batch follows a truncated record.
 *
 * <p>A log is a sequence of blocks of 32 KiB. A record is a masked CRC-32C (4 bytes), a length (2),
 * a type (1) and its content; it never crosses the end of a block, so a long batch is a first, some
 * middle and a last record. The CRC is that of type and content.
 */
public final class LogCheck {
    private static final int BLOCK = 32 << 10;
    private static final int HEADER = 7;
    private static final byte FULL = 1;
    private static final byte FIRST = 2;

    private static final byte LAST = 4;

    /** Header of a batch: sequence number of its first change, and count. */
    private static final int BATCH_HEADER = 12;

    private static final long UNKNOWN = -1;

    private final ByteBuffer block = ByteBuffer.allocate(BLOCK).order(ByteOrder.LITTLE_ENDIAN);
    private final CRC32C crc = new CRC32C();

    /** Sequence number of the first change; UNKNOWN if there is none. */
    private long first;

    /** Sequence number after the last complete batch; may be UNKNOWN. */
    private long end;

    /** As {@link #end}, for the batch whose first record was read last. */
    private long pendingEnd;

    private long wholeBytes;
    private long blockStart;

    /**
     * Checks all logs of a store, oldest first.
     *
     * @return sequence number after the last change; empty if unknown or there is none
     * @throws StorageException kind CORRUPT if a log is damaged or does not continue the previous
     *     one; UNAVAILABLE if one cannot be read
     */
    public static OptionalLong chain(List<Path> logs) {
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
                        "write-ahead log %s is damaged at byte %d, before complete batches"
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
            // A torn batch alone: the next log begins with its number, which is used again.
            end = check.wholeBytes() == 0 ? check.first() : check.end();
            before = file;
        }
        return end;
    }

    /** Sequence number of the first change of the checked log; empty if there is none. */
    OptionalLong first() {
        return first == UNKNOWN ? OptionalLong.empty() : OptionalLong.of(first);
    }

    /** Sequence number that must follow the log; empty if unknown. */
    OptionalLong end() {
        return end == UNKNOWN ? OptionalLong.empty() : OptionalLong.of(end);
    }

    /** Bytes up to the end of the last complete batch before any damage. */
    long wholeBytes() {
        return wholeBytes;
    }

    /**
     * Offset of the damage in {@code log}: a broken record followed by the beginning of an intact
     * batch. Empty if there is none.
     */
    public OptionalLong damage(Path log) throws IOException {
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

    /** Where the record is that follows what ends at {@code end}: maybe behind filler. */
    static long recordAt(long end) {
        long rest = BLOCK - end % BLOCK;
        return rest < HEADER ? end + rest : end;
    }

    /**
     * End of the batch that begins at {@code from}, by the lengths of its records, which may be
     * damaged; if one has no header, the end of where that should be.
     */
    static long batchEnd(FileChannel file, long from) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(HEADER).order(ByteOrder.LITTLE_ENDIAN);
        for (long at = from; ; ) {
            at = recordAt(at);
            header.clear();
            while (header.hasRemaining() && file.read(header, at + header.position()) > 0) {}
            byte type = header.get(6);
            boolean found = !header.hasRemaining() && type >= FULL && type <= LAST;
            at += HEADER + (found ? Short.toUnsignedInt(header.getShort(4)) : 0);
            if (!found || type == FULL || type == LAST) {
                return at;
            }
        }
    }

    /** Reads the block at {@code position}; false at the end of the file. */
    private boolean read(FileChannel file, long position) throws IOException {
        block.clear();
        while (block.hasRemaining() && file.read(block, position + block.position()) > 0) {}
        block.flip();
        return block.hasRemaining();
    }

    /** Bytes of intact records and filler at the beginning of the block. */
    private int intactBytes() {
        int at = 0;
        while (at + HEADER <= block.limit() && isRecord(at)) {
            count(at);
            at += HEADER + length(at);
        }
        // The rest of a full block that is too small for a header is filler.
        return BLOCK - at < HEADER && block.limit() == BLOCK ? BLOCK : at;
    }

    /** Updates the sequence numbers with a record. */
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

    /** True if an intact record at or after {@code from} begins a batch. */
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
