package io.brain.backend.hash;

/**
 * Hash of a history.
 *
 * @param hash CRC-32C, equal to etcd's
 * @param revision the hashed revision
 * @param compactRevision compaction floor of the hashed state; -1 if never compacted
 * @param newest the newest revision at the time of the answer
 */
public record KvHash(int hash, long revision, long compactRevision, long newest) {
    /** The hash in a later answer. */
    KvHash at(long newestNow) {
        return new KvHash(hash, revision, compactRevision, newestNow);
    }
}
