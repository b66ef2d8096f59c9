package io.brain.bbolt;

import static io.brain.bbolt.Databases.bucket;
import static io.brain.bbolt.Databases.sorted;
import static io.brain.bbolt.Databases.utf8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;

/**
 * A small database whose bytes a test changes. Its pages, of 1024 bytes:
 *
 * <pre>
 * 0, 1    meta
 * 2       freelist, empty
 * 3 - 9   bucket "a": leaves 3 to 8 of keys k00 to k49, 9 per leaf, and branch 9
 * 10 - 14 bucket "b": leaf of key "large", a value of 5000 bytes
 * 15      bucket "c": empty leaf
 * 16      root bucket
 * </pre>
 */
final class RawFile {
    static final int PAGE = 1024;
    static final int BRANCH = 9;
    static final int LARGE = 10;
    static final int EMPTY = 15;
    static final int ROOT = 16;
    static final int PAGES = 17;

    private final Path path;
    private ByteBuffer bytes;

    RawFile(Path path) throws IOException {
        this.path = path;
        SortedMap<byte[], SortedMap<byte[], byte[]>> database = sorted();
        SortedMap<byte[], byte[]> a = bucket(database, "a");
        for (int i = 0; i < 50; i++) {
            a.put(utf8(String.format("k%02d", i)), new byte[80]);
        }
        bucket(database, "b").put(utf8("large"), new byte[5000]);
        bucket(database, "c");
        Files.deleteIfExists(path);
        Databases.write(path, PAGE, 90, database);
        bytes = ByteBuffer.wrap(Files.readAllBytes(path)).order(ByteOrder.LITTLE_ENDIAN);
    }

    ByteBuffer bytes() {
        return bytes;
    }

    RawFile type(int page, int type) {
        bytes.putShort(page * PAGE + 8, (short) type);
        return this;
    }

    RawFile count(int page, int count) {
        bytes.putShort(page * PAGE + 10, (short) count);
        return this;
    }

    RawFile overflow(int page, int overflow) {
        return int32(page, 12, overflow);
    }

    RawFile int32(int page, int offset, int value) {
        bytes.putInt(page * PAGE + offset, value);
        return this;
    }

    RawFile int64(int page, int offset, long value) {
        bytes.putLong(page * PAGE + offset, value);
        return this;
    }

    /** Changes a field of an element. */
    RawFile element(int page, int index, int offset, int value) {
        return int32(page, 16 + 16 * index + offset, value);
    }

    /** Changes the child of a branch element. */
    RawFile child(int page, int index, long value) {
        return int64(page, 16 + 16 * index + 8, value);
    }

    /** Position of the key of an element. */
    int keyAt(int page, int index) {
        int at = page * PAGE + 16 + 16 * index;
        boolean leaf = bytes.getShort(page * PAGE + 8) == Format.LEAF;
        return at + bytes.getInt(leaf ? at + 4 : at);
    }

    RawFile key(int page, int index, String key) {
        bytes.put(keyAt(page, index), utf8(key));
        return this;
    }

    /** Replaces both meta pages; the checksums are right. */
    RawFile meta(int pageSize, long rootPage, long freelistPage, long pageCount) {
        meta(new Meta(0, pageSize, rootPage, freelistPage, pageCount, 0));
        return meta(new Meta(1, pageSize, rootPage, freelistPage, pageCount, 1));
    }

    RawFile meta(Meta meta) {
        bytes.put(meta.page() * PAGE, meta.encode().array());
        return this;
    }

    RawFile freelist(int count, long... pages) {
        for (int i = 0; i < pages.length; i++) {
            int64(2, 16 + 8 * i, pages[i]);
        }
        return count(2, count);
    }

    /** Makes the empty bucket "c", the last of the root page, an inline one with a key. */
    RawFile inlineBucket() {
        ByteBuffer value = ByteBuffer.allocate(16 + 16 + 16 + 8).order(ByteOrder.LITTLE_ENDIAN);
        value.putLong(0).putLong(7);
        value.putLong(0).putShort((short) Format.LEAF).putShort((short) 1).putInt(0);
        value.putInt(0).putInt(16).putInt(3).putInt(5).put(utf8("keyvalue"));
        bytes.put(inlinePageAt() - Format.BUCKET_HEADER_BYTES, value.array());
        return element(ROOT, 2, 12, value.capacity()).freelist(1, EMPTY);
    }

    /** Position of the page in the inline bucket. */
    int inlinePageAt() {
        return keyAt(ROOT, 2) + 1 + Format.BUCKET_HEADER_BYTES;
    }

    /** Adds empty pages at the end. */
    RawFile append(int pages) {
        ByteBuffer longer =
                ByteBuffer.allocate(bytes.capacity() + pages * PAGE).order(ByteOrder.LITTLE_ENDIAN);
        longer.put(0, bytes.array());
        bytes = longer;
        return this;
    }

    RawFile truncate(int length) {
        bytes = ByteBuffer.wrap(bytes.array(), 0, length).slice().order(ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    Path write() throws IOException {
        byte[] content = new byte[bytes.capacity()];
        bytes.get(0, content);
        return Files.write(path, content);
    }
}
