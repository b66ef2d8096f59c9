package io.brain.backend.hash;

/**
 * The hash of a history.
 *
 * @param hash CRC-32C, as etcd makes it
 * @param revision the hash is of everything up to here
 * @param compactRevision the compaction floor that it was made under; -1 if nothing was compacted
 * @param newest the newest revision when it was given
 */
public record KvHash(int hash, long revision, long compactRevision, long newest) {
    /** The same hash, given at another newest revision. */
    KvHash at(long newestNow) {
        return new KvHash(hash, revision, compactRevision, newestNow);
    }
}
