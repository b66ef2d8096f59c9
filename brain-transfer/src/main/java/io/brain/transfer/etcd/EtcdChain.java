package io.brain.transfer.etcd;

import io.brain.backend.model.Alarm;
import io.brain.backend.store.AuthRecord;
import io.brain.storage.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.List;
import java.util.SortedSet;

/**
 * Several databases of one cluster as one: the first has all keys, each other one the changes after
 * the one before. What is not a change is that of the last one. There can be any number of them:
 * only the one that is read has an open file and a cache. Used by one thread.
 */
public final class EtcdChain implements ChangeSource {
    private final List<EtcdDatabase> parts;
    private final long last;
    private final long newest;
    private final long compacted;

    /** The part that is read. */
    private int current;

    /**
     * Chains databases, which the caller closes.
     *
     * @param parts at least one
     * @param last the last revision to read
     * @param newest what the newest revision is to be, at least {@code last}
     * @param compacted what the oldest readable revision is to be, at least that of the first part;
     *     -1: the first one
     * @throws EtcdException if {@code newest} is too large
     */
    public EtcdChain(List<EtcdDatabase> parts, long last, long newest, long compacted)
            throws EtcdException {
        if (newest < last || newest > EtcdSchema.REVISION_MAX) {
            throw new EtcdException("the newest revision would be too large");
        }
        this.parts = List.copyOf(parts);
        this.last = last;
        this.newest = newest;
        this.compacted = compacted;
    }

    @Override
    public long length() {
        return parts.stream().mapToLong(EtcdDatabase::length).sum();
    }

    /** Also of the revisions: an import of the same parts up to another one stores other data. */
    @Override
    public Bytes sha256() {
        MessageDigest digest = PartFile.sha256();
        parts.forEach(part -> digest.update(part.sha256().array()));
        for (long revision : new long[] {last, newest, compacted}) {
            digest.update(ByteBuffer.allocate(Long.BYTES).putLong(revision).flip());
        }
        return Bytes.wrap(digest.digest());
    }

    @Override
    public long newestRevision() {
        return newest;
    }

    @Override
    public long compactedRevision() {
        return compacted;
    }

    @Override
    public Changes changes(long revision, int sub) throws IOException {
        int part = 0;
        while (part < parts.size() - 1 && parts.get(part).newestRevision() < revision) {
            part++;
        }
        return new ChainedChanges(part, enter(part).changes(revision, sub));
    }

    private EtcdDatabase enter(int part) throws IOException {
        if (part != current) {
            parts.get(current).release();
            current = part;
        }
        return parts.get(part);
    }

    private final class ChainedChanges implements Changes {
        private int part;
        private Changes changes;

        ChainedChanges(int part, Changes changes) {
            this.part = part;
            this.changes = changes;
        }

        @Override
        public EtcdChange next() throws IOException {
            var unused = enter(part);
            EtcdChange change = changes.next();
            while (change == null && part < parts.size() - 1) {
                long before = parts.get(part).newestRevision();
                part++;
                changes = enter(part).changes(before + 1, 0);
                change = changes.next();
            }
            return change == null || change.revision() > last ? null : change;
        }
    }

    private EtcdDatabase end() throws IOException {
        return enter(parts.size() - 1);
    }

    @Override
    public void leases(Visitor<EtcdLease> leases) throws IOException {
        end().leases(leases);
    }

    @Override
    public SortedSet<Alarm> alarms() throws IOException {
        return end().alarms();
    }

    @Override
    public AuthRecord auth() throws IOException {
        return end().auth();
    }

    @Override
    public void users(Visitor<Named> users) throws IOException {
        end().users(users);
    }

    @Override
    public void roles(Visitor<Named> roles) throws IOException {
        end().roles(roles);
    }
}
