package io.brain.backend.hash;

import java.util.LinkedHashMap;

/**
 * The hashes that were given last, by revision: after a compaction at a revision, the hash that was
 * given for it before still answers for it. etcd makes that hash in each compaction, which reads
 * all keys; here only a question does. Lost at a restart, as etcd's are.
 *
 * <p>Bounded in number, each about 100 bytes: the one that was given first leaves. Used by one
 * thread at a time.
 */
final class GivenHashes {
    private final int max;
    private final LinkedHashMap<Long, KvHash> hashes = new LinkedHashMap<>();

    /** Holds {@code max} hashes at most. */
    GivenHashes(int max) {
        this.max = max;
    }

    /** Holds a hash in place of the revision's last one; not one made after the compaction. */
    void add(KvHash hash) {
        if (hash.compactRevision() >= hash.revision()) {
            return;
        }
        hashes.remove(hash.revision());
        hashes.put(hash.revision(), hash);
        if (hashes.size() > max) {
            hashes.remove(hashes.keySet().iterator().next());
        }
    }

    /** The hash that was given for a revision before a compaction at it; null if none is held. */
    KvHash of(long revision) {
        return hashes.get(revision);
    }
}
