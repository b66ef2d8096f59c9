package io.brain.transfer.etcd;

import io.brain.bbolt.BucketCursor;
import java.io.IOException;

/**
 * Reads the changes of a database in order of revision and sub-revision. As for etcd, both may have
 * gaps: compaction leaves them, and an export of some keys. Not thread-safe.
 */
final class EtcdChanges implements ChangeSource.Changes {
    private final BucketCursor cursor;
    private final long compacted;
    private final byte[] start;
    private boolean started;

    /**
     * Reads from a position on.
     *
     * @param compacted -1 if nothing was compacted
     */
    EtcdChanges(BucketCursor cursor, long compacted, long revision, int sub) {
        this.cursor = cursor;
        this.compacted = compacted;
        this.start = EtcdSchema.revisionKey(revision, sub);
    }

    @Override
    public EtcdChange next() throws IOException {
        boolean found = started ? cursor.next() : cursor.seek(start);
        started = true;
        if (!found) {
            return null;
        }
        byte[] key = cursor.key();
        if (!EtcdSchema.isChangeKey(key)) {
            throw new EtcdException("the bucket named key has another key than a revision");
        }
        long revision = EtcdSchema.revision(key);
        long sub = EtcdSchema.sub(key);
        if (revision < EtcdSchema.REVISION_MIN
                || revision > EtcdSchema.REVISION_MAX
                || sub < 0
                || sub > Integer.MAX_VALUE) {
            throw new EtcdException("%s: not valid".formatted(EtcdChange.place(revision, sub)));
        }
        byte[] stored = cursor.value();
        if (stored.length > 0) {
            boolean delete = EtcdSchema.isTombstone(key);
            return EtcdChange.decode(revision, (int) sub, delete, stored);
        }
        if (revision > compacted) {
            throw new EtcdException("%s: empty".formatted(EtcdChange.place(revision, sub)));
        }
        return EtcdChange.marker(revision, (int) sub);
    }
}
