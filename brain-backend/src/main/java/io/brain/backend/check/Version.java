package io.brain.backend.check;

import io.brain.backend.key.VersionRecord;
import io.brain.backend.wire.KeyValue;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import io.brain.storage.StorageException;

/**
 * What is remembered of a version record, and what is wrong with it.
 *
 * @param sub place of the change within its revision
 * @param lease 0 if there is none
 * @param wrong null if nothing is
 */
record Version(long revision, boolean tombstone, int sub, long lease, String wrong) {
    /**
     * Reads a record.
     *
     * @param key that it is stored under
     * @throws StorageException kind CORRUPT if it cannot be decoded
     */
    static Version decode(Bytes key, long revision, Bytes stored) {
        VersionRecord record = VersionRecord.decode(stored);
        KeyValue kv = KeyValue.decode(record.kv());
        String wrong = null;
        // Flags of no known meaning are not decoded; a sub-revision counts from 0.
        if (stored.at(record.kv().length()) != (record.tombstone() ? 1 : 0) || record.sub() < 0) {
            wrong = "has a trailer that makes no sense";
        } else if (!kv.key().equals(key)) {
            wrong = "holds another key, \"" + kv.key() + '"';
        } else if (record.tombstone()) {
            boolean bare = record.kv().equals(KeyValueCodec.encodeTombstone(key));
            wrong = bare ? null : "is a tombstone that holds more than its key";
        } else if (kv.modRevision() != revision) {
            wrong = "holds another revision, " + kv.modRevision();
        } else if (!countsAreSound(kv)) {
            wrong = "was created at %d, as version %d".formatted(kv.createRevision(), kv.version());
        }
        return new Version(revision, record.tombstone(), record.sub(), kv.lease(), wrong);
    }

    private static boolean countsAreSound(KeyValue kv) {
        boolean inOrder = kv.createRevision() > 1 && kv.createRevision() <= kv.modRevision();
        boolean first = kv.createRevision() == kv.modRevision();
        // Within one revision a key can be created and changed again.
        return inOrder && kv.version() >= (first ? 1 : 2);
    }
}
