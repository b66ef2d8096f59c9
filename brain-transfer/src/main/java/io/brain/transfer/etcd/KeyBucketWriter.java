package io.brain.transfer.etcd;

import io.brain.backend.wire.KeyValue;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.bbolt.BboltWriter;
import io.brain.storage.Bytes;
import java.io.IOException;

/**
 * Writes the bucket of changes, without the keys that are not exported. An etcd takes the revision
 * of the last change as its own. So if the last revision has only changes that are left out, one of
 * them is written as a delete, which needs no earlier change of the key.
 */
final class KeyBucketWriter {
    private final BboltWriter out;
    private final ExportScope scope;
    private long lastWritten;

    /** The newest change that was left out, and its key. */
    private long lastOmitted;

    private Bytes omittedKey;

    /** Begins the bucket. */
    KeyBucketWriter(BboltWriter out, ExportScope scope) throws IOException {
        this.out = out;
        this.scope = scope;
        out.bucket(EtcdSchema.KEY);
    }

    /** True if a change is exported; to be asked of each change, in any order. */
    boolean admits(long revision, Bytes key) {
        boolean admitted = scope.keys().includes(key);
        if (!admitted && revision > lastOmitted) {
            lastOmitted = revision;
            omittedKey = key;
        }
        return admitted;
    }

    /**
     * Writes an admitted change; to be called in order.
     *
     * @param kv encoded KeyValue; of a delete, with the key only; of a marker, empty
     */
    void put(long revision, long sub, byte[] kv) throws IOException {
        boolean tombstone = kv.length > 0 && KeyValue.decode(Bytes.wrap(kv)).modRevision() == 0;
        out.put(EtcdSchema.changeKey(revision, sub, tombstone), kv);
        lastWritten = revision;
    }

    /** Ends the bucket. */
    void finish(long compactRevision) throws IOException {
        if (lastOmitted > Math.max(lastWritten, compactRevision)) {
            put(lastOmitted, 0, KeyValueCodec.encodeTombstone(omittedKey).array());
        }
    }
}
