package io.brain.transfer.kine;

import io.brain.backend.model.Alarm;
import io.brain.backend.store.AuthRecord;
import io.brain.storage.Bytes;
import io.brain.transfer.etcd.ChangeSource;
import io.brain.transfer.etcd.EtcdDatabase;
import io.brain.transfer.etcd.EtcdLease;
import java.io.IOException;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What was read of kine: its changes, up to its newest revision, and a lease for each TTL. Kine has
 * no alarms, users and roles. Not thread-safe.
 */
public final class KineSource implements ChangeSource {
    private final EtcdDatabase changes;
    private final KineReader.Report read;

    /**
     * A source.
     *
     * @param changes what {@link KineReader} has collected; closed by the caller
     */
    public KineSource(EtcdDatabase changes, KineReader.Report read) {
        this.changes = changes;
        this.read = read;
    }

    @Override
    public long length() {
        return changes.length();
    }

    @Override
    public Bytes sha256() {
        return changes.sha256();
    }

    /** May be one that changes no key. */
    @Override
    public long newestRevision() {
        return Math.max(changes.newestRevision(), read.revision());
    }

    @Override
    public long compactedRevision() {
        return changes.compactedRevision();
    }

    @Override
    public Changes changes(long revision, int sub) throws IOException {
        return changes.changes(revision, sub);
    }

    @Override
    public void leases(Visitor<EtcdLease> leases) throws IOException {
        for (long ttl : read.ttls()) {
            leases.visit(new EtcdLease(ttl, ttl, 0));
        }
    }

    @Override
    public SortedSet<Alarm> alarms() {
        return new TreeSet<>();
    }

    @Override
    public AuthRecord auth() throws IOException {
        return changes.auth();
    }

    @Override
    public void users(Visitor<Named> users) {}

    @Override
    public void roles(Visitor<Named> roles) {}
}
