package io.brain.backend.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.OpResult;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The answers to all clients of a cluster, to be compared with the {@link StoredHistory}. */
final class ClientAnswers {
    /** A write that was acknowledged. */
    private record Done(String id, long revision) {}

    /** The result of a read. */
    private record Seen(String what, String key, Map<String, String> state, long revision) {}

    /** What a client knows about a lease. */
    static final class Lease {
        final long id;
        final long ttlNanos;
        long aliveUntil;
        boolean revoked;

        Lease(long id, long ttlNanos, long since) {
            this.id = id;
            this.ttlNanos = ttlNanos;
            renewedAt(since);
        }

        void renewedAt(long since) {
            aliveUntil = Math.max(aliveUntil, since + ttlNanos);
        }
    }

    /** The newest revision in any answer. */
    private long newest = 1;

    private final List<Done> writes = new ArrayList<>();
    private final List<String> refused = new ArrayList<>();
    private final List<Seen> reads = new ArrayList<>();
    private final Map<String, Lease> leases = new HashMap<>();

    /** Failed checks. */
    final List<Throwable> violations = new ArrayList<>();

    long newest() {
        return newest;
    }

    void sawRevision(long revision) {
        newest = Math.max(newest, revision);
    }

    void written(String id, long revision, long newestBefore) {
        assertThat(revision).as("revision of %s", id).isGreaterThan(newestBefore);
        sawRevision(revision);
        writes.add(new Done(id, revision));
    }

    /** Adds a write that certainly did not happen. */
    void refused(String id) {
        refused.add(id);
    }

    /** Adds the result of a range; a null key stands for all keys. */
    void read(String what, String key, OpResult.Range range, long revision) {
        Map<String, String> state = new TreeMap<>();
        for (Bytes kv : range.kvs()) {
            KeyValue decoded = KeyValue.decode(kv);
            state.put(StoredHistory.text(decoded.key()), StoredHistory.text(decoded.value()));
        }
        reads.add(new Seen(what, key, state, revision));
    }

    /** Adds a key that is attached to a lease. */
    void attached(String key, Lease lease) {
        leases.put(key, lease);
    }

    /** Compares all answers with the stored history. */
    void check(StoredHistory history) {
        assertThat(writes).isNotEmpty();
        assertThat(reads).isNotEmpty();
        assertThat(newest).isLessThanOrEqualTo(history.revision());
        for (Done write : writes) {
            assertThat(history.revisionsOf(write.id()))
                    .as("revisions of %s", write.id())
                    .containsExactly(write.revision());
        }
        for (String id : refused) {
            assertThat(history.revisionsOf(id)).as("revisions of %s, refused", id).isEmpty();
        }
        checkReads(history);
        for (long revision = 2; revision <= history.revision(); revision++) {
            check(history, history.at(revision));
        }
    }

    /** Compares the reads with the history, and removes them. */
    void checkReads(StoredHistory history) {
        for (Seen read : reads) {
            if (read.key() == null) {
                assertThat(read.state())
                        .as("%s at %d", read.what(), read.revision())
                        .isEqualTo(history.stateAt(read.revision()));
            } else {
                assertThat(read.state().get(read.key()))
                        .as("%s of %s at %d", read.what(), read.key(), read.revision())
                        .isEqualTo(history.valueAt(read.key(), read.revision()));
            }
        }
        reads.clear();
    }

    private void check(StoredHistory history, StoredHistory.Revision revision) {
        for (StoredHistory.Change change : revision.changes()) {
            if (change.value() != null && !change.key().startsWith("counter")) {
                assertThat(history.revisionsOf(change.value()))
                        .as("applications of %s", change.value())
                        .hasSize(1);
            }
            if (change.key().equals("counter")) {
                long before = change.previous() == null ? 0 : Long.parseLong(change.previous());
                assertThat(change.value()).isEqualTo(Long.toString(before + 1));
            }
            Lease lease = leases.get(change.key());
            if (change.value() == null && lease != null && !lease.revoked) {
                assertThat(revision.notAfter())
                        .as("end of lease %x", lease.id)
                        .isGreaterThanOrEqualTo(lease.aliveUntil);
            }
        }
    }

    /** Checks that all leases have expired with their keys. */
    void checkLeasesOver(StoredHistory history) {
        leases.forEach(
                (key, lease) ->
                        assertThat(history.valueAt(key, history.revision()))
                                .as("%s of lease %x", key, lease.id)
                                .isNull());
    }
}
