package io.brain.bbolt;

/** Constants of the file format. Sizes are in bytes. */
final class Format {
    static final int MAGIC = 0xED0CDAED;
    static final int VERSION = 2;

    static final int PAGE_SIZE_MIN = 1 << 10;
    static final int PAGE_SIZE_MAX = 16 << 20;

    /** Pages that a database may have: 1 TiB in pages of 4 KiB. Bounds the bitmap of a check. */
    static final long PAGES_MAX = 1L << 28;

    /** Id (64 bits), type (16), count of elements (16), number of overflow pages (32). */
    static final int PAGE_HEADER_BYTES = 16;

    /** Page types. */
    static final int BRANCH = 0x01;

    static final int LEAF = 0x02;
    static final int META = 0x04;
    static final int FREELIST = 0x10;

    /**
     * In a leaf: flags, distance from the element to its key, length of the key, length of the
     * value (32 bits each). In a branch: distance, length of the key (32), page of the child (64).
     */
    static final int ELEMENT_BYTES = 16;

    /** Flag of a leaf element whose value is a bucket. */
    static final int BUCKET = 0x01;

    /** Root page (0: the page follows, inline), sequence number (64 bits each). */
    static final int BUCKET_HEADER_BYTES = 16;

    static final int KEY_BYTES_MAX = 32 << 10;

    /** In place of the freelist's page: the free pages are not recorded. */
    static final long NO_FREELIST = -1;

    /** Count of a freelist whose real count is its first number. */
    static final int LARGE_COUNT = 0xFFFF;

    private Format() {}
}
