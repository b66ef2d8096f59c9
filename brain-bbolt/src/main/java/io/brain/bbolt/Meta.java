package io.brain.bbolt;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A meta page: where the trees of a database begin. Pages 0 and 1 are meta pages; the valid one of
 * the later transaction counts.
 *
 * @param page 0 or 1
 * @param pageCount pages of the database, free ones included; the file may be longer
 */
record Meta(
        int page,
        int pageSize,
        long rootPage,
        long freelistPage,
        long pageCount,
        long transaction) {
    private static final int CHECKED_BYTES = 56;
    private static final int BYTES = CHECKED_BYTES + Long.BYTES;

    /** The meta page that counts. */
    static Meta newest(BlockFile file) throws IOException {
        Meta newest = newestIntact(file);
        newest.checkAgainst(file);
        return newest;
    }

    private static Meta newestIntact(BlockFile file) throws IOException {
        Meta first;
        try {
            first = read(file, 0, 0);
        } catch (BboltException damagedFirst) {
            return findSecond(file, damagedFirst);
        }
        try {
            Meta second = read(file, 1, first.pageSize);
            return Long.compareUnsigned(second.transaction, first.transaction) > 0 ? second : first;
        } catch (BboltException damagedSecond) {
            return first;
        }
    }

    /** Page 1, whose position is the unknown page size. */
    private static Meta findSecond(BlockFile file, BboltException damagedFirst) throws IOException {
        for (int size = Format.PAGE_SIZE_MIN; size <= Format.PAGE_SIZE_MAX; size *= 2) {
            try {
                return read(file, 1, size);
            } catch (BboltException noMeta) {
                // Another size.
            }
        }
        throw damagedFirst;
    }

    private static Meta read(BlockFile file, int page, long position) throws IOException {
        if (position + Format.PAGE_HEADER_BYTES + BYTES > file.length()) {
            throw new BboltException(page, "file is too short: " + file.length() + " bytes");
        }
        byte[] bytes = file.bytes(position + Format.PAGE_HEADER_BYTES, BYTES);
        ByteBuffer fields = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int magic = fields.getInt();
        if (magic == Integer.reverseBytes(Format.MAGIC)) {
            throw new BboltException(page, "file of a big-endian machine is not supported");
        }
        if (magic != Format.MAGIC) {
            throw new BboltException(page, "not a bbolt database (wrong magic number)");
        }
        int version = fields.getInt();
        if (version != Format.VERSION) {
            throw new BboltException(
                    page, "unsupported version " + Integer.toUnsignedString(version));
        }
        if (fields.getLong(CHECKED_BYTES) != checksum(bytes)) {
            throw new BboltException(page, "wrong checksum of the meta page");
        }
        int pageSize = fields.getInt();
        if (pageSize < Format.PAGE_SIZE_MIN
                || pageSize > Format.PAGE_SIZE_MAX
                || Integer.bitCount(pageSize) != 1
                || (page == 1 && pageSize != position)) {
            throw new BboltException(page, "wrong page size " + Integer.toUnsignedString(pageSize));
        }
        fields.getInt(); // flags, unused
        long rootPage = fields.getLong();
        fields.getLong(); // sequence number of the root bucket, unused
        return new Meta(
                page, pageSize, rootPage, fields.getLong(), fields.getLong(), fields.getLong());
    }

    private void checkAgainst(BlockFile file) throws BboltException {
        if (Long.compareUnsigned(pageCount, file.length() / pageSize) > 0) {
            throw new BboltException(
                    page,
                    String.format(
                            "file is truncated: %s pages of %d bytes expected, %d bytes found",
                            Long.toUnsignedString(pageCount), pageSize, file.length()));
        }
        if (pageCount > Format.PAGES_MAX) {
            throw new BboltException(page, "more than " + Format.PAGES_MAX + " pages");
        }
    }

    /** The page, without padding. */
    ByteBuffer encode() {
        ByteBuffer bytes =
                ByteBuffer.allocate(Format.PAGE_HEADER_BYTES + BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(page).putShort((short) Format.META).putShort((short) 0).putInt(0);
        ByteBuffer fields = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
        fields.putInt(Format.MAGIC).putInt(Format.VERSION).putInt(pageSize).putInt(0);
        fields.putLong(rootPage).putLong(0);
        fields.putLong(freelistPage).putLong(pageCount).putLong(transaction);
        byte[] checked = new byte[CHECKED_BYTES];
        fields.get(0, checked);
        fields.putLong(checksum(checked));
        return bytes.rewind();
    }

    /** FNV-1a, 64 bits. */
    private static long checksum(byte[] bytes) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < CHECKED_BYTES; i++) {
            hash = (hash ^ (bytes[i] & 0xff)) * 0x100000001b3L;
        }
        return hash;
    }
}
