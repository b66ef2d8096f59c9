package io.brain.bench.wire;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import io.brain.proto.etcd.TxnRequest;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * A transaction like kube-apiserver's, guarded by a compare of the key's mod_revision (0: the key
 * does not exist). Encoded once except for key and revision. Immutable.
 */
public final class GuardedTemplate {

    private static final int COMPARE = 1;
    private static final int TARGET = 2;
    private static final int TARGET_MOD = 2;
    private static final int KEY = 3;
    private static final int MOD_REVISION = 6;
    private static final int FIXED_BYTES = 1 + 1 + 2 + 2; // all but key and revision

    /** The length of a compare takes one byte. */
    private static final int KEY_BYTES_MAX = 100;

    private final KeySpace keys;
    private final Template rest;

    /**
     * Creates a template from the branches for key number 0.
     *
     * @param branches a transaction without compares
     */
    public GuardedTemplate(KeySpace keys, TxnRequest branches) {
        if (branches.getCompareCount() > 0 || keys.length() > KEY_BYTES_MAX) {
            throw new IllegalArgumentException("has compares, or too long keys");
        }
        this.keys = keys;
        this.rest = new Template(keys, branches);
    }

    /** The request for a key. */
    public byte[] of(long number, long modRevision) {
        byte[] key = keys.key(number);
        int compareBytes =
                FIXED_BYTES
                        + key.length
                        + CodedOutputStream.computeInt64Size(MOD_REVISION, modRevision);
        byte[] request = rest.of(number, compareBytes);
        CodedOutputStream out = CodedOutputStream.newInstance(request, 0, compareBytes);
        try {
            out.writeTag(COMPARE, WireFormat.WIRETYPE_LENGTH_DELIMITED);
            out.writeUInt32NoTag(compareBytes - 2);
            out.writeEnum(TARGET, TARGET_MOD);
            out.writeByteArray(KEY, key);
            out.writeInt64(MOD_REVISION, modRevision);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return request;
    }
}
