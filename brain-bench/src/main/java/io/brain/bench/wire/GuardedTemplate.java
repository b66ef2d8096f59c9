package io.brain.bench.wire;

import io.brain.proto.etcd.TxnRequest;

/**
 * A transaction as kube-apiserver writes it, which takes effect if the key's mod_revision is what
 * the client last saw: 0 to create it. Encoded once but for key and revision. Immutable.
 */
public final class GuardedTemplate {

    private static final int COMPARE = (1 << 3) | 2;
    private static final int TARGET = 2 << 3;
    private static final int TARGET_MOD = 2;
    private static final int KEY = (3 << 3) | 2;
    private static final int MOD_REVISION = 6 << 3;
    private static final int FIXED_BYTES = 1 + 1 + 2 + 2 + 1; // all but the key and the revision

    /** One byte for the length of a compare. */
    private static final int KEY_BYTES_MAX = 100;

    private final KeySpace keys;
    private final Template rest;

    /**
     * Of both branches, for the key of number 0.
     *
     * @param branches a transaction without compares
     */
    public GuardedTemplate(KeySpace keys, TxnRequest branches) {
        if (branches.getCompareCount() > 0 || keys.length() > KEY_BYTES_MAX) {
            throw new IllegalArgumentException("compares of its own, or keys that are too long");
        }
        this.keys = keys;
        this.rest = new Template(keys, branches);
    }

    /** The request for a key. */
    public byte[] of(long number, long modRevision) {
        int keyBytes = keys.length();
        int compareBytes = FIXED_BYTES + keyBytes + Answer.varintBytes(modRevision);
        byte[] request = rest.of(number, compareBytes);
        int at = 0;
        request[at++] = COMPARE;
        request[at++] = (byte) (compareBytes - 2);
        request[at++] = TARGET;
        request[at++] = TARGET_MOD;
        request[at++] = KEY;
        request[at++] = (byte) keyBytes;
        byte[] key = keys.key(number);
        System.arraycopy(key, 0, request, at, keyBytes);
        at += keyBytes;
        request[at++] = MOD_REVISION;
        long left = modRevision;
        while (left >= 0x80) {
            request[at++] = (byte) ((left & 0x7f) | 0x80);
            left >>>= 7;
        }
        request[at] = (byte) left;
        return request;
    }
}
