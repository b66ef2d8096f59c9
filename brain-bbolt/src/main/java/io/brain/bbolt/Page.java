package io.brain.bbolt;

import java.io.IOException;
import java.util.Arrays;

/**
 * A page together with its overflow pages, or the page inside an inline bucket. Nothing but the
 * header is in memory. Each element is checked when it is read: its key and value lie in the page,
 * behind those of the element before it.
 */
final class Page {
    /** Reads the page of a tree; a check also records it. */
    @FunctionalInterface
    interface Source {
        Page read(long id) throws IOException;
    }

    /** One entry of a page; {@code child} is that of a branch. */
    record Element(int flags, long keyAt, int keyLength, long valueLength, long child) {
        long valueAt() {
            return keyAt + keyLength;
        }
    }

    private final BlockFile file;
    private final String name;
    private final long position;
    private final long length;
    private final long pages;
    private final int type;
    private final int count;

    /** Checks the header of a page of at most {@code room} bytes. */
    private Page(BlockFile file, String name, long position, long pages, long room, int types)
            throws IOException {
        this.file = file;
        this.name = name;
        this.position = position;
        this.pages = pages;
        this.length = room;
        this.type = file.uint16(position + 8);
        this.count = file.uint16(position + 10);
        if (Integer.bitCount(type) != 1 || (type & types) == 0) {
            throw damaged(String.format("unexpected page type 0x%02x", type));
        }
        if (type != Format.FREELIST && elementAt(count) > position + length) {
            throw damaged("no room for " + count + " elements");
        }
    }

    /** The page with the given id, which must have one of the types. */
    static Page read(BlockFile file, Meta meta, long id, int types) throws IOException {
        if (id < 2 || id >= meta.pageCount()) {
            throw new BboltException(id, "not one of the " + meta.pageCount() + " pages");
        }
        long position = id * meta.pageSize();
        long ownId = file.int64(position);
        if (ownId != id) {
            throw new BboltException(id, "has the id " + Long.toUnsignedString(ownId));
        }
        long pages = 1 + file.uint32(position + 12);
        if (pages > meta.pageCount() - id) {
            throw new BboltException(id, (pages - 1) + " overflow pages exceed the file");
        }
        return new Page(file, "page " + id, position, pages, pages * meta.pageSize(), types);
    }

    /** The root page of the bucket that an element of this page contains. */
    Page bucket(Element element, Source source) throws IOException {
        if (element.valueLength() < Format.BUCKET_HEADER_BYTES) {
            throw damaged("bucket header of " + element.valueLength() + " bytes");
        }
        long root = file.int64(element.valueAt());
        if (root != 0) {
            return source.read(root);
        }
        long room = element.valueLength() - Format.BUCKET_HEADER_BYTES;
        if (room < Format.PAGE_HEADER_BYTES) {
            throw damaged("inline bucket of " + room + " bytes");
        }
        long start = element.valueAt() + Format.BUCKET_HEADER_BYTES;
        return new Page(file, name + ", inline bucket", start, 0, room, Format.LEAF);
    }

    boolean isBranch() {
        return type == Format.BRANCH;
    }

    int count() {
        return count;
    }

    /** Number of pages, with overflow pages; 0 for an inline page. */
    long pages() {
        return pages;
    }

    /** Position after the header. */
    long body() {
        return position + Format.PAGE_HEADER_BYTES;
    }

    /** Position after the page. */
    long end() {
        return position + length;
    }

    Element element(int index) throws IOException {
        long at = elementAt(index);
        boolean leaf = type == Format.LEAF;
        long keyAt = at + file.uint32(leaf ? at + 4 : at);
        long keyLength = file.uint32(leaf ? at + 8 : at + 4);
        long valueLength = leaf ? file.uint32(at + 12) : 0;
        if (keyLength == 0 || keyLength > Format.KEY_BYTES_MAX) {
            throw damaged("element " + index + " has a key of " + keyLength + " bytes");
        }
        if (keyAt < endOfElement(index - 1) || keyAt + keyLength + valueLength > end()) {
            throw damaged("element " + index + " of " + count + " lies outside of its place");
        }
        int flags = leaf ? (int) file.uint32(at) : 0;
        long child = leaf ? 0 : file.int64(at + 8);
        return new Element(flags, keyAt, (int) keyLength, valueLength, child);
    }

    /** Where the key and value of an element end; for -1, where those of the first may begin. */
    private long endOfElement(int index) throws IOException {
        long at = elementAt(index);
        if (index < 0) {
            return elementAt(count);
        }
        return type == Format.LEAF
                ? at + file.uint32(at + 4) + file.uint32(at + 8) + file.uint32(at + 12)
                : at + file.uint32(at) + file.uint32(at + 4);
    }

    private long elementAt(int index) {
        return body() + (long) index * Format.ELEMENT_BYTES;
    }

    byte[] key(int index) throws IOException {
        return key(element(index));
    }

    byte[] key(Element element) throws IOException {
        return file.bytes(element.keyAt(), element.keyLength());
    }

    byte[] value(Element element, int lengthMax) throws IOException {
        if (element.valueLength() > lengthMax) {
            throw damaged("value of " + element.valueLength() + " bytes, at most " + lengthMax);
        }
        return file.bytes(element.valueAt(), (int) element.valueLength());
    }

    /** Index of the first key that is not less than {@code target}; the count if there is none. */
    int firstAtLeast(byte[] target) throws IOException {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Arrays.compareUnsigned(key(middle), target) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Index of the child that may contain {@code target}. */
    int childFor(byte[] target) throws IOException {
        int index = firstAtLeast(target);
        boolean exact = index < count && Arrays.equals(key(index), target);
        return exact || index == 0 ? index : index - 1;
    }

    BboltException damaged(String problem) {
        return new BboltException(name, problem);
    }
}
