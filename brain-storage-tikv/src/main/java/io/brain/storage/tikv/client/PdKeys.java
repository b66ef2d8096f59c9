package io.brain.storage.tikv.client;

import com.google.protobuf.ByteString;
import io.brain.proto.tikv.Metapb;

/**
 * The encoding in which PD has the keys of transactions: groups of eight bytes, the last one filled
 * up with zeros, each followed by 0xff minus the number of added zeros. So the encoded keys have
 * the order of the keys, and none is a prefix of another.
 */
final class PdKeys {
    private static final int GROUP = 8;
    private static final int FULL = 0xff;

    private PdKeys() {}

    static ByteString encode(ByteString plain) {
        byte[] key = plain.toByteArray();
        byte[] encoded = new byte[(key.length / GROUP + 1) * (GROUP + 1)];
        for (int from = 0, to = 0; to < encoded.length; from += GROUP, to += GROUP + 1) {
            int size = Math.min(GROUP, key.length - from);
            System.arraycopy(key, from, encoded, to, size);
            encoded[to + GROUP] = (byte) (FULL - (GROUP - size));
        }
        return ByteString.copyFrom(encoded);
    }

    /**
     * The key of an encoded one.
     *
     * @throws IllegalArgumentException if it is not encoded
     */
    static ByteString decode(ByteString stored) {
        byte[] encoded = stored.toByteArray();
        int added = encoded.length == 0 ? 0 : FULL - (encoded[encoded.length - 1] & FULL);
        if (encoded.length % (GROUP + 1) != 0 || added < 1 || added > GROUP) {
            throw new IllegalArgumentException("PD reports a key that is not encoded: " + stored);
        }
        byte[] key = new byte[encoded.length / (GROUP + 1) * GROUP];
        for (int from = 0; from < key.length; from += GROUP) {
            System.arraycopy(encoded, from / GROUP * (GROUP + 1), key, from, GROUP);
        }
        return ByteString.copyFrom(key, 0, key.length - added);
    }

    /** The region with decoded bounds; an empty bound stays empty. */
    static Metapb.Region decode(Metapb.Region region) {
        Metapb.Region.Builder decoded = region.toBuilder();
        if (!region.getStartKey().isEmpty()) {
            decoded.setStartKey(decode(region.getStartKey()));
        }
        if (!region.getEndKey().isEmpty()) {
            decoded.setEndKey(decode(region.getEndKey()));
        }
        return decoded.build();
    }
}
