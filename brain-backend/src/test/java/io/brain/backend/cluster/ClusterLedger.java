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

/** What clients of a cluster were told, all together, and whether it was true. */
final class ClusterLedger {
    /** A write that was acknowledged. */
    private record Done(String id, long revision) {}

    /** What a read showed. */
    private record Seen(String what, String key, Map<String, String> state, long revision) {}

    /** What a client may rely on about a lease. */
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

    /** The newest revision that anybody was told of. */
    private long told = 1;

    private final List<Done> writes = new ArrayList<>();
    private final List<String> refused = new ArrayList<>();
    private final List<Seen> reads = new ArrayList<>();
    private final Map<String, Lease> leases = new HashMap<>();

    /** What was not as it must be. */
    final List<Throwable> violations = new ArrayList<>();

    long told() {
        return told;
    }

    void sawRevision(long revision) {
        told = Math.max(told, revision);
    }

    void written(String id, long revision, long toldBefore) {
        assertThat(revision).as("revision of %s", id).isGreaterThan(toldBefore);
        sawRevision(revision);
        writes.add(new Done(id, revision));
    }

    /** A write that surely did not happen. */
    void refused(String id) {
        refused.add(id);
    }

    /** A range's answer; a null key stands for all keys. */
    void read(String what, String key, OpResult.Range range, long revision) {
        Map<String, String> state = new TreeMap<>();
        for (Bytes kv : range.kvs()) {
            KeyValue decoded = KeyValue.decode(kv);
            state.put(Truth.text(decoded.key()), Truth.text(decoded.value()));
        }
        reads.add(new Seen(what, key, state, revision));
    }

    /** A key that lives as long as a lease. */
    void attached(String key, Lease lease) {
        leases.put(key, lease);
    }

    /** Compares everything with what really happened. */
    void check(Truth truth) {
        assertThat(writes).isNotEmpty();
        assertThat(reads).isNotEmpty();
        assertThat(told).isLessThanOrEqualTo(truth.revision());
        for (Done write : writes) {
            assertThat(truth.revisionsOf(write.id()))
                    .as("revisions of %s", write.id())
                    .containsExactly(write.revision());
        }
        for (String id : refused) {
            assertThat(truth.revisionsOf(id)).as("revisions of %s, refused", id).isEmpty();
        }
        checkReads(truth);
        for (long revision = 2; revision <= truth.revision(); revision++) {
            check(truth, truth.at(revision));
        }
    }

    /** Compares what was read with what was there, and forgets it. */
    void checkReads(Truth truth) {
        for (Seen read : reads) {
            if (read.key() == null) {
                assertThat(read.state())
                        .as("%s at %d", read.what(), read.revision())
                        .isEqualTo(truth.stateAt(read.revision()));
            } else {
                assertThat(read.state().get(read.key()))
                        .as("%s of %s at %d", read.what(), read.key(), read.revision())
                        .isEqualTo(truth.valueAt(read.key(), read.revision()));
            }
        }
        reads.clear();
    }

    private void check(Truth truth, Truth.Revision revision) {
        for (Truth.Change change : revision.changes()) {
            if (change.value() != null && !change.key().startsWith("counter")) {
                assertThat(truth.revisionsOf(change.value()))
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

    /** Every lease is over in the end, and its keys with it. */
    void checkLeasesOver(Truth truth) {
        leases.forEach(
                (key, lease) ->
                        assertThat(truth.valueAt(key, truth.revision()))
                                .as("%s of lease %x", key, lease.id)
                                .isNull());
    }
}
