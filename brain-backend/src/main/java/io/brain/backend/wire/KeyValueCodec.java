package io.brain.backend.wire;

import io.brain.storage.Bytes;

/**
 * Encodes mvccpb.KeyValue and mvccpb.Event as etcd does: fields in order of their numbers, without
 * zero and empty ones.
 */
public final class KeyValueCodec {
    static final int KEY = 1 << 3 | 2;
    static final int CREATE_REVISION = 2 << 3;
    static final int MOD_REVISION = 3 << 3;
    static final int VERSION = 4 << 3;
    static final int VALUE = 5 << 3 | 2;
    static final int LEASE = 6 << 3;

    private static final int EVENT_TYPE = 1 << 3;
    private static final int EVENT_KV = 2 << 3 | 2;
    private static final int EVENT_PREV_KV = 3 << 3 | 2;
    private static final int TYPE_DELETE = 1;

    private KeyValueCodec() {}

    /** An existing key. */
    public static Bytes encode(
            Bytes key,
            long createRevision,
            long modRevision,
            long version,
            Bytes value,
            long lease) {
        int length =
                sizedLength(key)
                        + numberLength(createRevision)
                        + numberLength(modRevision)
                        + numberLength(version)
                        + sizedLength(value)
                        + numberLength(lease);
        ByteWriter out = new ByteWriter(length);
        sized(out, KEY, key);
        number(out, CREATE_REVISION, createRevision);
        number(out, MOD_REVISION, modRevision);
        number(out, VERSION, version);
        sized(out, VALUE, value);
        number(out, LEASE, lease);
        return out.finish();
    }

    /** A tombstone: the key alone. */
    public static Bytes encodeTombstone(Bytes key) {
        return encode(key, 0, 0, 0, Bytes.EMPTY, 0);
    }

    /** The KeyValue of a delete event: key and revision of the delete. */
    public static Bytes encodeDeleted(Bytes key, long revision) {
        return encode(key, 0, revision, 0, Bytes.EMPTY, 0);
    }

    /**
     * Number of bytes before value and lease of the KeyValue at {@code from}: they are the same
     * KeyValue without both. -1 if unknown.
     *
     * @param to end of the available bytes
     * @param whole true if the KeyValue ends there
     */
    public static int bareLength(byte[] array, int from, int to, boolean whole) {
        int at = skipTo(VALUE, array, from, to);
        if (at >= 0 && at + 1 < to) {
            return array[at] == VALUE || array[at] == LEASE ? at - from : -1;
        }
        return whole && at == to ? at - from : -1;
    }

    /** The mod_revision of the KeyValue at {@code from}; -1 if not found before {@code to}. */
    public static long modRevision(byte[] array, int from, int to) {
        int at = skipTo(MOD_REVISION, array, from, to);
        if (at < 0 || at >= to || array[at++] != MOD_REVISION) {
            return -1;
        }
        long value = 0;
        for (int shift = 0; at < to; shift += 7) {
            value |= (long) (array[at] & 0x7f) << shift;
            if (array[at++] >= 0) {
                return value;
            }
        }
        return -1;
    }

    /** Offset of the first field that is not before {@code tag}, or is unknown; may be -1. */
    private static int skipTo(int tag, byte[] array, int from, int to) {
        int at = from;
        while (at >= 0 && at + 1 < to && array[at] < tag) {
            if (array[at] == KEY) {
                at = afterKey(array, at, to);
            } else if (array[at] != CREATE_REVISION
                    && array[at] != MOD_REVISION
                    && array[at] != VERSION) {
                return at;
            } else {
                at++;
                while (at < to && array[at] < 0) {
                    at++;
                }
                at++;
            }
        }
        return at;
    }

    /**
     * Offset of the key in the KeyValue at the beginning of {@code array}; -1 if unknown.
     *
     * @param to end of the available bytes
     */
    public static int keyFrom(byte[] array, int to) {
        if (to < 4 || array[0] != KEY) {
            return -1;
        }
        int from = array[1] < 0 ? 3 : 2;
        boolean fits = array[1] >= 0 || array[2] >= 0;
        return fits && from + keyLength(array) <= to ? from : -1;
    }

    /** Length of the key, if {@link #keyFrom} found it. */
    public static int keyLength(byte[] array) {
        return array[1] < 0 ? (array[1] & 0x7f) | (array[2] << 7) : array[1];
    }

    /** Offset of the field after the key at {@code at}; -1 if unknown. */
    private static int afterKey(byte[] array, int at, int to) {
        // Lengths of more than two bytes exceed what a scan peeks at.
        boolean longer = at + 2 < to && array[at + 1] < 0;
        int low = array[at + 1];
        int length = longer ? (low & 0x7f) | (array[at + 2] << 7) : low;
        return length < 0 ? -1 : at + (longer ? 3 : 2) + length;
    }

    /** Encodes a KeyValue without its value, and without its lease unless {@code keepLease}. */
    public static Bytes withoutValue(KeyValue kv, boolean keepLease) {
        return encode(
                kv.key(),
                kv.createRevision(),
                kv.modRevision(),
                kv.version(),
                Bytes.EMPTY,
                keepLease ? kv.lease() : 0);
    }

    /**
     * Encodes an event.
     *
     * @param kv encoded KeyValue
     * @param prevKv encoded KeyValue; may be null
     */
    public static Bytes encodeEvent(boolean delete, Bytes kv, Bytes prevKv) {
        int prevLength = prevKv == null ? 0 : prevKv.length() + 6;
        ByteWriter out = new ByteWriter(kv.length() + prevLength + 8);
        number(out, EVENT_TYPE, delete ? TYPE_DELETE : 0);
        out.putByte(EVENT_KV).putSized(kv);
        if (prevKv != null) {
            out.putByte(EVENT_PREV_KV).putSized(prevKv);
        }
        return out.finish();
    }

    private static int sizedLength(Bytes value) {
        int length = value.length();
        return length == 0 ? 0 : 1 + ByteWriter.varintLength(length) + length;
    }

    private static int numberLength(long value) {
        return value == 0 ? 0 : 1 + ByteWriter.varintLength(value);
    }

    private static void number(ByteWriter out, int tag, long value) {
        if (value != 0) {
            out.putByte(tag).putVarint(value);
        }
    }

    private static void sized(ByteWriter out, int tag, Bytes value) {
        if (!value.isEmpty()) {
            out.putByte(tag).putSized(value);
        }
    }
}
