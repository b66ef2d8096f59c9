package io.brain.backend.check;

import io.brain.backend.store.VersionRecord;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import io.brain.storage.StorageException;

/**
 * What is remembered of a stored version, and what is wrong with it.
 *
 * @param sub place of the change within its revision
 * @param lease 0 if there is none
 * @param wrong null if nothing is
 */
record Version(long revision, boolean tombstone, int sub, long lease, String wrong) {
    /**
     * Reads a stored version.
     *
     * @param key that it is stored under
     * @throws StorageException kind CORRUPT if it cannot be decoded
     */
    static Version decode(Bytes key, Bytes stored) {
        VersionRecord record = VersionRecord.decode(stored);
        long revision = record.revision();
        KeyValue kv = KeyValue.decode(record.kv());
        String wrong = null;
        if (record.sub() < 0) {
            wrong = "has a trailer that makes no sense";
        } else if (record.isTombstone()) {
            return new Version(revision, true, record.sub(), 0, null);
        } else if (!kv.key().equals(key)) {
            wrong = "holds another key, \"" + kv.key() + '"';
        } else if (kv.modRevision() != revision) {
            wrong = "holds another revision, " + kv.modRevision();
        } else if (!countsAreSound(kv)) {
            wrong = "was created at %d, as version %d".formatted(kv.createRevision(), kv.version());
        }
        return new Version(revision, record.isTombstone(), record.sub(), kv.lease(), wrong);
    }

    private static boolean countsAreSound(KeyValue kv) {
        boolean inOrder = kv.createRevision() > 1 && kv.createRevision() <= kv.modRevision();
        boolean first = kv.createRevision() == kv.modRevision();
        // Within one revision a key can be created and changed again.
        return inOrder && kv.version() >= (first ? 1 : 2);
    }
}
