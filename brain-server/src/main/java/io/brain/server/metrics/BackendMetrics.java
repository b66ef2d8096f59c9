package io.brain.server.metrics;

import io.brain.backend.runtime.BackendListener;
import io.brain.server.logging.SlowLog;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What happened inside the backend, stage by stage of the write path, and in its upkeep. */
public final class BackendMetrics implements BackendListener, MetricsSource {
    private static final long MICROS = 1000;

    /** Compactions that are remembered. */
    private static final int ENDED_MAX = 10;

    /** From 16 µs to 8 s: what is done in memory takes no milliseconds. */
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

    private final BatchTimes batch;

    /** The last one of the batch that was sent last. */
    private volatile long revisionSent;

    private volatile long compactedAtSeconds;
    private volatile long compactedTo;
    private final Deque<Compaction> ended = new ArrayDeque<>();

    /** Metrics of a backend; batches that take long are told of. */
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
        synchronized (ended) {
            ended.addFirst(new Compaction(compactedTo, nanos, now));
            if (ended.size() > ENDED_MAX) {
                ended.removeLast();
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

    /** Nanoseconds that writes spent in each stage so far, in the order they go through. */
    public Map<String, Distribution> stages() {
        Map<String, Distribution> stages = new LinkedHashMap<>();
        stages.put("queue", queued.now());
        stages.put("sequence", evaluated.now());
        stages.put("commit", committed.now());
        stages.put("publish", published.now());
        stages.put("write", answered.now());
        return stages;
    }

    /** Compactions that ended, the last one first. */
    public List<Compaction> compactions() {
        synchronized (ended) {
            return List.copyOf(ended);
        }
    }

    /**
     * A compaction that ended.
     *
     * @param revision nothing below it is left that compaction removes
     * @param endedAtMillis Unix time
     */
    public record Compaction(long revision, long nanos, long endedAtMillis) {}

    @Override
    public void writeTo(MetricsText text) {
        text.counter(
                        "etcd_server_leader_changes_seen_total",
                        "Leaders seen: another one, or this member.")
                .value(leaderChanges.sum());
        writes(text);
        batches(text);
        upkeep(text);
    }

    private void writes(MetricsText text) {
        text.counter("brain_write_refused_total", "Writes refused: too many were pending.")
                .value(writesRefused.sum());
        text.counter("brain_write_evaluated_total", "Writes that the sequencer evaluated.")
                .value(writesEvaluated.sum());
        text.histogram("brain_write_queue_duration_seconds", "From submission to the sequencer.");
        queued.writeTo(text);
        text.histogram("brain_write_round_duration_seconds", "Rounds of the sequencer.");
        evaluated.writeTo(text);
        text.histogram("brain_write_duration_seconds", "From submission to the answer.");
        answered.writeTo(text);
        text.counter("brain_write_record_lookups_total", "Newest records looked up, by where.")
                .value(inMemory.sum(), "from", "memory")
                .value(read.sum(), "from", "engine");
        text.counter("brain_write_records_prefetched_total", "Records read ahead of a lookup.")
                .value(fetched.sum());
    }

    private void batches(MetricsText text) {
        text.histogram("brain_batch_writes", "Writes per batch.");
        batchWrites.writeTo(text);
        text.histogram("brain_batch_bytes", "Bytes per batch.");
        batchBytes.writeTo(text);
        text.histogram(
                "etcd_disk_backend_commit_duration_seconds",
                "From sending a batch to the engine until it is durable, with retries.");
        committed.writeTo(text);
        text.histogram(
                "brain_batch_publish_duration_seconds",
                "From a batch's being durable until its answers are sent.");
        published.writeTo(text);
        text.counter("brain_batch_settled_total", "Batches whose end the engine had to find out.")
                .value(settled.sum());
        text.counter("brain_batch_retried_total", "Batches sent again.").value(retried.sum());
        text.counter("brain_batch_refused_total", "Batches that could never land.")
                .value(batchesRefused.sum());
        text.gauge("brain_revision_sent", "The last revision sent to the engine.")
                .value(revisionSent);
    }

    private void upkeep(MetricsText text) {
        text.counter(
                        "etcd_debugging_mvcc_db_compaction_keys_total",
                        "Versions that compaction removed.")
                .value(versionsRemoved.sum());
        text.gauge("etcd_debugging_mvcc_db_compaction_last", "When the last one ended; Unix time.")
                .value(compactedAtSeconds);
        text.histogram(
                "etcd_debugging_mvcc_db_compaction_pause_duration_milliseconds",
                "Steps of a compaction; writes go on meanwhile.");
        steps.writeTo(text);
        text.histogram(
                "etcd_debugging_mvcc_db_compaction_total_duration_milliseconds",
                "Compactions, from the first step to the last.");
        compactions.writeTo(text);
        text.counter("etcd_debugging_lease_revoked_total", "Revoked leases, expired ones too.")
                .value(leasesRevoked.sum());
        text.counter("etcd_debugging_server_lease_expired_total", "Leases that expired.")
                .value(leasesExpired.sum());
        text.counter("brain_lease_checkpoints_total", "Times that a lease's rest was stored.")
                .value(leasesCheckpointed.sum());
    }
}
