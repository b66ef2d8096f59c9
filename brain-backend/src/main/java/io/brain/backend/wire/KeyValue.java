package io.brain.backend.wire;

import io.brain.storage.Bytes;
import io.brain.storage.StorageException;

/**
 * The fields of an encoded mvccpb.KeyValue, without copies of key and value. Field numbers are
 * etcd's: key 1, create_revision 2, mod_revision 3, version 4, value 5, lease 6.
 *
 * @param encoded the whole message
 * @param valueFrom offset of the value within {@code encoded}
 * @param valueLength length of the value
 */
public record KeyValue(
        Bytes encoded,
        long createRevision,
        long modRevision,
        long version,
        long lease,
        int valueFrom,
        int valueLength) {

    /** Decodes a message; one with unknown fields is corrupt. */
    public static KeyValue decode(Bytes encoded) {
        ByteReader in = new ByteReader(encoded, 0);
        long create = 0;
        long mod = 0;
        long version = 0;
        long lease = 0;
        int valueFrom = 0;
        int valueLength = 0;
        while (in.hasMore()) {
            switch (in.getByte()) {
                case KeyValueCodec.KEY -> in.skipSized();
                case KeyValueCodec.CREATE_REVISION -> create = in.getVarint();
                case KeyValueCodec.MOD_REVISION -> mod = in.getVarint();
                case KeyValueCodec.VERSION -> version = in.getVarint();
                case KeyValueCodec.VALUE -> {
                    valueLength = in.skipSized();
                    valueFrom = in.position() - valueLength;
                }
                case KeyValueCodec.LEASE -> lease = in.getVarint();
                default ->
                        throw new StorageException(
                                StorageException.Kind.CORRUPT, "not a KeyValue: " + encoded);
            }
        }
        return new KeyValue(encoded, create, mod, version, lease, valueFrom, valueLength);
    }

    /** A copy of the value. */
    public Bytes value() {
        return Bytes.copyOf(encoded.array(), valueFrom, valueLength);
    }

    /** A copy of the key. */
    public Bytes key() {
        ByteReader in = new ByteReader(encoded, 0);
        return in.hasMore() && in.getByte() == KeyValueCodec.KEY ? in.getSized() : Bytes.EMPTY;
    }
}
