package io.brain.storage.placed;

import io.brain.storage.Bytes;
import io.brain.storage.KeyRange;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;

/** Keys and form of the records of this module: a format byte, the fields, CRC-32C of all that. */
final class Records {
    /** Keys of the records, in each store; no reader of the storage sees them. */
    static final KeyRange RANGE = KeyRange.prefix(key());

    /** {@link PlacementRecord}; in the base. */
    static final Bytes PLACEMENTS = key('p');

    /** {@link Redo}; in the base. */
    static final Bytes REDO = key('r');

    /** {@link StoreRecord}; in a placed store. */
    static final Bytes STORE = key('s');

    /** {@link Position}; in a store that is filled or cleared. */
    static final Bytes POSITION = key('m');

    private static final int FORMAT = 1;

    private Records() {}

    private static Bytes key(int... tag) {
        ByteBuffer key = ByteBuffer.allocate(4 + tag.length);
        key.put((byte) 0x57).put((byte) 0xfb).put((byte) 0x80).put((byte) 0x89);
        for (int one : tag) {
            key.put((byte) one);
        }
        return Bytes.wrap(key.array());
    }

    /** Writes the fields of a record. */
    interface Fields {
        void write(DataOutputStream out) throws IOException;
    }

    /** Reads the fields of a record. */
    interface Reader<T> {
        T read(DataInputStream in) throws IOException;
    }

    static Bytes encode(Fields fields) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CheckedOutputStream checked = new CheckedOutputStream(bytes, new CRC32C());
        DataOutputStream out = new DataOutputStream(checked);
        try {
            out.writeByte(FORMAT);
            fields.write(out);
            out.writeInt((int) checked.getChecksum().getValue());
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return Bytes.wrap(bytes.toByteArray());
    }

    /**
     * Reads a record.
     *
     * @throws StorageException kind CORRUPT if it is damaged, REFUSED for another format
     */
    static <T> T decode(String name, Bytes record, Reader<T> reader) {
        byte[] bytes = record.array();
        int length = bytes.length - Integer.BYTES;
        if (length < 1 || ByteBuffer.wrap(bytes).getInt(length) != checksum(bytes, length)) {
            throw new StorageException(Kind.CORRUPT, name + " is damaged");
        }
        if (bytes[0] != FORMAT) {
            throw new StorageException(
                    Kind.REFUSED, name + " has format " + bytes[0] + ", not " + FORMAT);
        }
        try {
            return reader.read(new DataInputStream(new ByteArrayInputStream(bytes, 1, length - 1)));
        } catch (IOException | IllegalArgumentException malformed) {
            throw new StorageException(Kind.CORRUPT, name + " is malformed", malformed);
        }
    }

    static void writeBytes(DataOutputStream out, Bytes bytes) throws IOException {
        out.writeInt(bytes.length());
        out.write(bytes.array());
    }

    static Bytes readBytes(DataInputStream in) throws IOException {
        return Bytes.wrap(in.readNBytes(in.readInt()));
    }

    private static int checksum(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }
}
