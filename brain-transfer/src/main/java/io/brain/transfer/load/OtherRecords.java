package io.brain.transfer.load;

import io.brain.backend.model.Alarm;
import io.brain.backend.store.AlarmRecord;
import io.brain.backend.store.AuthRecord;
import io.brain.backend.store.CompactRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LeaderRecord;
import io.brain.backend.store.LeaseRecord;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Mutation;
import io.brain.storage.Snapshot;
import io.brain.transfer.etcd.ChangeSource;
import io.brain.transfer.load.BatchFiller.Batch;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.random.RandomGenerator;

/**
 * What a database has besides changes. Leases, users and roles are stored in batches; if that is
 * interrupted, it is repeated.
 */
final class OtherRecords {
    /** etcd's longest TTL, in seconds. */
    private static final long TTL_MAX = 9_000_000_000L;

    /** Of the fence and the leader record that an import stores. */
    static final long FIRST_EPOCH = 1;

    private static final AuthRecord NO_AUTH = new AuthRecord(false, 0);

    private static final int TOKEN_KEY_BYTES = 32;

    private final ChangeSource source;
    private final KeyCoder coder;
    private final KvStorage storage;
    private final ImportTarget target;
    private final List<Mutation> batch = new ArrayList<>();
    private long batchBytes;
    private long leases;
    private long addedLeases;
    private long users;
    private long roles;

    OtherRecords(ChangeSource source, KeyCoder coder, KvStorage storage, ImportTarget target) {
        this.source = source;
        this.coder = coder;
        this.storage = storage;
        this.target = target;
    }

    /** Stores leases, users and roles. */
    void store() throws IOException {
        source.leases(
                lease -> {
                    leases++;
                    addLease(lease.id(), new LeaseRecord(lease.ttl(), lease.remaining()));
                });
        source.users(
                user -> {
                    users++;
                    put(coder.userKey(user.name()), user.stored());
                });
        source.roles(
                role -> {
                    roles++;
                    put(coder.roleKey(role.name()), role.stored());
                });
        flush();
        addMissingLeases();
        flush();
    }

    /**
     * Adds leases that keys name and the source does not have. For etcd such a key has no lease;
     * here it needs one, and a client can revoke it.
     */
    private void addMissingLeases() {
        KeyRange attachments = coder.attachments().range();
        target.await();
        try (Snapshot snapshot = storage.snapshot();
                Cursor cursor = snapshot.cursor(attachments, Cursor.Direction.FORWARD)) {
            boolean found = cursor.next();
            while (found) {
                long lease = coder.attachments().number(cursor.key());
                if (snapshot.get(coder.leaseKey(lease)) == null) {
                    addedLeases++;
                    addLease(lease, new LeaseRecord(TTL_MAX, 0));
                }
                found = cursor.seek(coder.attachments().of(lease).end());
            }
        }
    }

    /**
     * The small records, for the last batch.
     *
     * @param random makes the token key, which the source does not have
     */
    List<Mutation> small(RandomGenerator random) throws IOException {
        List<Mutation> records = new ArrayList<>();
        long compacted = source.compactedRevision();
        if (compacted >= 0) {
            Bytes record = new CompactRecord(compacted, compacted).encode();
            records.add(new Mutation.Put(coder.compactKey(), record));
        }
        SortedSet<Alarm> alarms = source.alarms();
        if (!alarms.isEmpty()) {
            Bytes record = new AlarmRecord(alarms).encode();
            records.add(new Mutation.Put(coder.alarmKey(), record));
        }
        AuthRecord auth = source.auth();
        if (!auth.equals(NO_AUTH)) {
            records.add(new Mutation.Put(coder.authKey(), withTokenKey(auth, random).encode()));
        }
        // No leader: the first server takes over at once.
        LeaderRecord leader =
                new LeaderRecord(0, FIRST_EPOCH, 0, Duration.ZERO, 0, List.of(), 0, null);
        records.add(new Mutation.Put(coder.leaderKey(), leader.encode()));
        return records;
    }

    private static AuthRecord withTokenKey(AuthRecord auth, RandomGenerator random) {
        if (!auth.enabled()) {
            return auth;
        }
        byte[] key = new byte[TOKEN_KEY_BYTES];
        random.nextBytes(key);
        return new AuthRecord(true, auth.revision(), Bytes.wrap(key));
    }

    private void addLease(long id, LeaseRecord lease) {
        put(coder.leaseKey(id), lease.encode());
    }

    private void put(Bytes key, Bytes value) {
        batch.add(new Mutation.Put(key, value));
        batchBytes += key.length() + value.length();
        if (batchBytes >= storage.batchBytesMax()) {
            flush();
        }
    }

    private void flush() {
        if (!batch.isEmpty()) {
            target.store(new Batch(List.copyOf(batch), target.progress()));
            batch.clear();
            batchBytes = 0;
        }
    }

    long leases() {
        return leases;
    }

    long addedLeases() {
        return addedLeases;
    }

    long users() {
        return users;
    }

    long roles() {
        return roles;
    }
}
