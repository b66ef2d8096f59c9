package io.brain.conformance.cases;

import static io.brain.conformance.script.Requests.ZERO;
import static io.brain.conformance.script.Requests.compact;
import static io.brain.conformance.script.Requests.delete;
import static io.brain.conformance.script.Requests.lease;
import static io.brain.conformance.script.Requests.range;
import static io.brain.conformance.script.Requests.txn;

import io.brain.conformance.script.Requests;
import io.brain.conformance.script.Session;
import io.brain.proto.etcd.PutRequest;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Made-up changes from a seed, the same on every server, hashed again and again. */
final class HashedHistory {

    private static final int STEPS = 150;
    private static final List<String> KEYS =
            List.of("a", "b", "c", "\0", "a$", "\u00ff\u00fe", "key/with/parts", "%");
    private static final List<Long> LEASES = List.of(71L, 72L);

    private final Session session;
    private final Random random;

    /** Revisions that were hashed since the last compaction. */
    private final Set<Long> hashed = new HashSet<>();

    /**
     * Revisions that were compacted and not hashed just before: until it is started again etcd
     * answers a hash that it made while it compacted. Also those below the floor, for which etcd
     * still has that hash.
     */
    private final Set<Long> compacted = new HashSet<>();

    /**
     * Revisions in which a key was deleted and put again: compacted there, an etcd loses the key.
     */
    private final Set<Long> remade = new HashSet<>();

    private long floor = -1;

    HashedHistory(Session session, int seed) {
        this.session = session;
        this.random = new Random(seed);
    }

    void play() throws Exception {
        LEASES.forEach(id -> session.grant(lease(id, 600)));
        for (int i = 0; i < STEPS; i++) {
            step();
        }
        ask();
        session.killAndRestart();
        compacted.clear();
        ask();
        if (floor > 0) {
            HashCases.hash(session, floor);
        }
    }

    private void step() {
        int dice = random.nextInt(100);
        if (dice < 40) {
            session.put(put(key()));
        } else if (dice < 52) {
            session.delete(delete(key()));
        } else if (dice < 58) {
            session.delete(delete(key(), random.nextBoolean() ? ZERO : key()));
        } else if (dice < 70) {
            int first = random.nextInt(KEYS.size());
            session.txn(
                    txn(
                            put(at(first)),
                            delete(at(first + 1)),
                            put(at(first + 2)),
                            put(at(first + 3))));
        } else if (dice < 80) {
            overwrite();
        } else if (dice < 84) {
            long id = LEASES.get(random.nextInt(LEASES.size()));
            session.revoke(id);
            session.grant(lease(id, 600));
        } else if (dice < 92) {
            compaction();
        } else {
            ask();
        }
    }

    /** A transaction that changes a key more than once. */
    private void overwrite() {
        String key = key();
        switch (random.nextInt(3)) {
            case 0 -> session.txn(txn(put(key), delete(key, ZERO)));
            case 1 -> {
                session.txn(txn(delete(key, ZERO), put(key)));
                remade.add(session.revision());
            }
            default -> session.txn(txn(txn(put(key)).nested(), txn(delete(key)).nested()));
        }
    }

    private void compaction() {
        long last = session.revision();
        long revision = last - random.nextInt((int) (last - Math.max(0, floor)) + 1);
        // Once revision 0 was compacted, etcd takes its hash for that of the newest revision.
        if (revision > 0 && !remade.contains(revision)) {
            if (revision > floor) {
                compactAbove(revision);
            } else {
                session.compact(compact(revision).setPhysical(true));
            }
        }
    }

    /** A compaction that is done, and perhaps asked about before and after. */
    private void compactAbove(long revision) {
        boolean asked = random.nextBoolean();
        if (asked) {
            hash(revision);
        }
        long keys =
                session.range(range(ZERO, ZERO).setRevision(revision).setCountOnly(true))
                        .get()
                        .getCount();
        session.compact(compact(revision).setPhysical(true));
        compacted.add(floor);
        floor = revision;
        // Where no key is left, etcd's own answer changes: its compaction leaves more out.
        if (!hashed.contains(revision) || keys == 0) {
            compacted.add(revision);
        } else if (asked) {
            HashCases.hash(session, revision);
        }
        hashed.clear();
    }

    private void ask() {
        long last = session.revision();
        HashCases.hash(session, 0);
        for (long revision = Math.max(0, floor - 2); revision <= last + 1; revision++) {
            if (!compacted.contains(revision) && random.nextInt(3) == 0) {
                hash(revision);
            }
        }
    }

    private void hash(long revision) {
        HashCases.hash(session, revision);
        hashed.add(revision);
    }

    private PutRequest.Builder put(String key) {
        PutRequest.Builder put =
                Requests.put(key, "v".repeat(random.nextInt(40)) + random.nextInt(1000));
        return random.nextInt(4) == 0
                ? put.setLease(LEASES.get(random.nextInt(LEASES.size())))
                : put;
    }

    private String key() {
        return at(random.nextInt(KEYS.size()));
    }

    private static String at(int index) {
        return KEYS.get(index % KEYS.size());
    }
}
