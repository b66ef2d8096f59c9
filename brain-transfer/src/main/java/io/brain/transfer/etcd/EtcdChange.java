package io.brain.transfer.etcd;

import io.brain.backend.wire.ByteWriter;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;

/**
 * A change of a key.
 *
 * @param sub index of the change within its revision, from 0
 * @param delete true also for the marker, which has no KeyValue either
 * @param kv the stored mvccpb.KeyValue; of a delete only with its key
 */
public record EtcdChange(long revision, int sub, boolean delete, Bytes key, KeyValue kv) {
    private static final int KEY_TAG = 1 << 3 | 2;
    private static final int VALUE_TAG = 5 << 3 | 2;
    private static final int CREATE_FIELD = 2;
    private static final int MOD_FIELD = 3;
    private static final int VERSION_FIELD = 4;
    private static final int LEASE_FIELD = 6;

    /**
     * Reads a change and checks that it fits its place.
     *
     * @param stored not empty
     */
    static EtcdChange decode(long revision, int sub, boolean delete, byte[] stored)
            throws EtcdException {
        return new Decoder(revision, sub, stored).change(delete);
    }

    /**
     * The change without content that {@code etcdutl snapshot restore --bump-revision} adds at the
     * raised revision. For etcd it is a version of the empty key.
     */
    static EtcdChange marker(long revision, int sub) {
        return new EtcdChange(revision, sub, true, Bytes.EMPTY, KeyValue.decode(Bytes.EMPTY));
    }

    /** True if it is a {@link #marker}. */
    public boolean isMarker() {
        return key.isEmpty();
    }

    /** Bytes of the stored message. */
    public int length() {
        return kv.encoded().length();
    }

    /** Position and key, for messages. */
    public String place() {
        return place(revision, sub);
    }

    static String place(long revision, long sub) {
        return "revision " + revision + ", change " + sub;
    }

    /**
     * Reads the message, which must have the form in which etcd writes it: fields in order of their
     * numbers, none twice, zero or unknown. The server sends stored messages unchanged and relies
     * on that.
     */
    private static final class Decoder {
        private final long revision;
        private final int sub;
        private final byte[] stored;
        private int at;

        Decoder(long revision, int sub, byte[] stored) {
            this.revision = revision;
            this.sub = sub;
            this.stored = stored;
        }

        EtcdChange change(boolean delete) throws EtcdException {
            int keyLength = sized(KEY_TAG);
            Bytes key = Bytes.copyOf(stored, at - keyLength, keyLength);
            long create = number(CREATE_FIELD);
            long mod = number(MOD_FIELD);
            long version = number(VERSION_FIELD);
            int valueLength = sized(VALUE_TAG);
            int valueFrom = at - valueLength;
            long lease = number(LEASE_FIELD);
            if (at < stored.length) {
                throw wrong("not a KeyValue as etcd writes it");
            }
            if (keyLength == 0) {
                throw wrong("empty key");
            }
            KeyValue kv =
                    new KeyValue(
                            Bytes.wrap(stored),
                            create,
                            mod,
                            version,
                            lease,
                            valueFrom,
                            valueLength);
            if (delete ? at != valueFrom || mod + version + create != 0 : !isPut(kv)) {
                throw wrong(
                        "KeyValue does not fit its place: create revision %d, revision %d, version %d"
                                .formatted(create, mod, version));
            }
            return new EtcdChange(revision, sub, delete, key, kv);
        }

        private boolean isPut(KeyValue kv) {
            long versionMin = kv.createRevision() == revision ? 1 : 2;
            return kv.modRevision() == revision
                    && kv.createRevision() > 1
                    && kv.createRevision() <= revision
                    && kv.version() >= versionMin;
        }

        /** Length of a field of bytes, which ends at {@code at} then; 0 if it is absent. */
        private int sized(int tag) throws EtcdException {
            if (at == stored.length || stored[at] != tag) {
                return 0;
            }
            at++;
            long length = varint();
            if (length <= 0 || length > stored.length - at) {
                throw wrong("not a KeyValue as etcd writes it");
            }
            at += (int) length;
            return (int) length;
        }

        /** A field of a number; 0 if it is absent. */
        private long number(int field) throws EtcdException {
            if (at == stored.length || stored[at] != field << 3) {
                return 0;
            }
            at++;
            return varint();
        }

        /** A varint of the shortest form that is not 0. */
        private long varint() throws EtcdException {
            int from = at;
            long value = 0;
            for (int shift = 0; shift < 70 && at < stored.length; shift += 7) {
                byte b = stored[at++];
                value |= (long) (b & 0x7f) << shift;
                if (b >= 0) {
                    if (value == 0 || ByteWriter.varintLength(value) != at - from) {
                        break;
                    }
                    return value;
                }
            }
            throw wrong("not a KeyValue as etcd writes it");
        }

        private EtcdException wrong(String problem) {
            return new EtcdException("%s: %s".formatted(place(revision, sub), problem));
        }
    }
}
