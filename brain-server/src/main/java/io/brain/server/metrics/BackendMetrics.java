package io.brain.server.metrics;

import io.brain.admin.console.Distribution;
import io.brain.admin.console.MonitoredServer.Compaction;
import io.brain.backend.model.TtlRules;
import io.brain.backend.runtime.BackendListener;
import io.brain.server.logging.SlowLog;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/** Metrics of the backend: stages of the write path, compaction and leases. */
public final class BackendMetrics implements BackendListener, MetricsSource {
    private static final long MICROS = 1000;

    /** Number of recent compactions kept. */
    private static final int RECENT_MAX = 10;

    /** Patterns of rules with a counter. */
    private static final int RULES_MAX = 10 * TtlRules.RULES_MAX;

    /** From 16 µs to 8 s: in-memory stages take microseconds. */
    private static final int FINE_BUCKETS = 20;

    private final Histogram queued = Histogram.ofSeconds(16 * MICROS, FINE_BUCKETS);
    private final Histogram evaluated = Histogram.ofSeconds(16 * MICROS, FINE_BUCKETS);
    private final Histogram published = Histogram.ofSeconds(16 * MICROS, FINE_BUCKETS);
    private final Histogram answered = Histogram.ofSeconds(128 * MICROS, 17);
    private final Histogram committed = Histogram.ofSeconds();
    private final Histogram batchWrites = Histogram.ofNumbers(1, 14);
    private final Histogram batchBytes = Histogram.ofNumbers(1 << 10, 14);
    private final Histogram steps = Histogram.ofMillis(1, 13);
    private final Histogram compactions = Histogram.ofMillis(100, 14);
    private final LongAdder leaderChanges = new LongAdder();
    private final LongAdder writesRefused = new LongAdder();
    private final LongAdder writesEvaluated = new LongAdder();
    private final LongAdder inMemory = new LongAdder();
    private final LongAdder fetched = new LongAdder();
    private final LongAdder read = new LongAdder();
    private final LongAdder settled = new LongAdder();
    private final LongAdder retried = new LongAdder();
    private final LongAdder batchesRefused = new LongAdder();
    private final LongAdder versionsRemoved = new LongAdder();
    private final LongAdder leasesRevoked = new LongAdder();
    private final LongAdder leasesExpired = new LongAdder();
    private final LongAdder leasesCheckpointed = new LongAdder();

    /** By pattern of the rule; those of rules that came too late to fit are left out. */
    private final Map<String, LongAdder> keysExpired = new ConcurrentSkipListMap<>();

    private final BatchTimes batch;

    /** Last revision sent to the engine. */
    private volatile long revisionSent;

    private volatile long compactedAtSeconds;
    private volatile long compactedTo;
    private final Deque<Compaction> recent = new ArrayDeque<>();

    /** Creates metrics of a backend; slow batches are logged to {@code slow}. */
    public BackendMetrics(SlowLog slow) {
        batch = new BatchTimes(slow);
    }

    @Override
    public void termBegan() {
        leaderChanges.increment();
    }

    @Override
    public void leaderFollowed() {
        leaderChanges.increment();
    }

    @Override
    public void writeRefused() {
        writesRefused.increment();
    }

    @Override
    public void writeQueued(long nanos) {
        queued.record(nanos);
        batch.queued(nanos);
    }

    @Override
    public void writesEvaluated(int writes, long nanos) {
        writesEvaluated.add(writes);
        evaluated.record(nanos);
        batch.round(nanos);
    }

    @Override
    public void recordsLookedUp(long fromMemory, long ahead, long one) {
        inMemory.add(fromMemory);
        fetched.add(ahead);
        read.add(one);
    }

    @Override
    public void batchSent(int writes, long bytes, long revision) {
        batchWrites.record(writes);
        batchBytes.record(bytes);
        revisionSent = revision;
        batch.sent(writes, bytes, revision);
    }

    @Override
    public void batchCommitted(long nanos) {
        committed.record(nanos);
        batch.committed(nanos);
    }

    @Override
    public void batchSettled() {
        settled.increment();
    }

    @Override
    public void batchRetried() {
        retried.increment();
    }

    @Override
    public void batchRefused() {
        batchesRefused.increment();
    }

    @Override
    public void batchPublished(long nanos) {
        published.record(nanos);
        batch.published(nanos);
    }

    @Override
    public void writeAnswered(long nanos) {
        answered.record(nanos);
    }

    @Override
    public void versionsRemoved(int versions) {
        versionsRemoved.add(versions);
    }

    @Override
    public void compactedTo(long revision, long nanos) {
        steps.record(nanos);
        compactedTo = revision;
    }

    @Override
    public void compactionEnded(long nanos) {
        compactions.record(nanos);
        long now = System.currentTimeMillis();
        compactedAtSeconds = now / 1000;
        synchronized (recent) {
            recent.addFirst(new Compaction(compactedTo, nanos, now));
            if (recent.size() > RECENT_MAX) {
                recent.removeLast();
            }
        }
    }

    @Override
    public void leaseRevoked(boolean expired) {
        leasesRevoked.increment();
        if (expired) {
            leasesExpired.increment();
        }
    }

    @Override
    public void leaseCheckpointed() {
        leasesCheckpointed.increment();
    }

    @Override
    public void keysExpired(String rule, int keys) {
        if (keysExpired.size() < RULES_MAX || keysExpired.containsKey(rule)) {
            keysExpired.computeIfAbsent(rule, added -> new LongAdder()).add(keys);
        }
    }

    /** Durations of the write stages in nanoseconds, in order. */
    public Map<String, Distribution> stages() {
        Map<String, Distribution> stages = new LinkedHashMap<>();
        stages.put("queue", queued.now());
        stages.put("sequence", evaluated.now());
        stages.put("commit", committed.now());
        stages.put("publish", published.now());
        stages.put("write", answered.now());
        return stages;
    }

    /** Recent compactions, latest first. */
    public List<Compaction> compactions() {
        synchronized (recent) {
            return List.copyOf(recent);
        }
    }

    @Override
    public void writeTo(MetricsText text) {
        text.counter(
                        "etcd_server_leader_changes_seen_total",
                        "Leader changes seen, including to this member.")
                .value(leaderChanges.sum());
        writes(text);
        batches(text);
        upkeep(text);
    }

    private void writes(MetricsText text) {
        text.counter("brain_write_refused_total", "Writes refused because too many were pending.")
                .value(writesRefused.sum());
        text.counter("brain_write_evaluated_total", "Writes evaluated by the sequencer.")
                .value(writesEvaluated.sum());
        text.histogram(
                "brain_write_queue_duration_seconds",
                "Queueing time of writes before the sequencer.");
        queued.writeTo(text);
        text.histogram("brain_write_round_duration_seconds", "Durations of sequencer rounds.");
        evaluated.writeTo(text);
        text.histogram(
                "brain_write_duration_seconds", "Durations of writes, submission to response.");
        answered.writeTo(text);
        text.counter("brain_write_record_lookups_total", "Head record lookups, by source.")
                .value(inMemory.sum(), "from", "memory")
                .value(read.sum(), "from", "engine");
        text.counter("brain_write_records_prefetched_total", "Records prefetched for lookups.")
                .value(fetched.sum());
    }

    private void batches(MetricsText text) {
        text.histogram("brain_batch_writes", "Writes per batch.");
        batchWrites.writeTo(text);
        text.histogram("brain_batch_bytes", "Bytes per batch.");
        batchBytes.writeTo(text);
        text.histogram(
                "etcd_disk_backend_commit_duration_seconds",
                "Durations of batch commits, including retries.");
        committed.writeTo(text);
        text.histogram(
                "brain_batch_publish_duration_seconds",
                "Time from a durable batch to its responses.");
        published.writeTo(text);
        text.counter("brain_batch_settled_total", "Uncertain batches resolved by the engine.")
                .value(settled.sum());
        text.counter("brain_batch_retried_total", "Batch retries.").value(retried.sum());
        text.counter("brain_batch_refused_total", "Batches refused by the engine.")
                .value(batchesRefused.sum());
        text.gauge("brain_revision_sent", "Last revision sent to the engine.").value(revisionSent);
    }

    private void upkeep(MetricsText text) {
        text.counter(
                        "etcd_debugging_mvcc_db_compaction_keys_total",
                        "Versions removed by compaction.")
                .value(versionsRemoved.sum());
        text.gauge(
                        "etcd_debugging_mvcc_db_compaction_last",
                        "Unix time of the end of the last compaction.")
                .value(compactedAtSeconds);
        text.histogram(
                "etcd_debugging_mvcc_db_compaction_pause_duration_milliseconds",
                "Durations of compaction steps; writes continue meanwhile.");
        steps.writeTo(text);
        text.histogram(
                "etcd_debugging_mvcc_db_compaction_total_duration_milliseconds",
                "Durations of compactions.");
        compactions.writeTo(text);
        text.counter(
                        "etcd_debugging_lease_revoked_total",
                        "Revoked leases, including expired ones.")
                .value(leasesRevoked.sum());
        text.counter("etcd_debugging_server_lease_expired_total", "Expired leases.")
                .value(leasesExpired.sum());
        text.counter("brain_lease_checkpoints_total", "Lease checkpoints stored.")
                .value(leasesCheckpointed.sum());
        text.counter("brain_ttl_expired_keys_total", "Keys expired by TTL rules.");
        keysExpired.forEach((rule, keys) -> text.value(keys.sum(), "rule", rule));
    }
}
