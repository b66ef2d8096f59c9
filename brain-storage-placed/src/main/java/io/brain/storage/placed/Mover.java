package io.brain.storage.placed;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.WriteBatch;
import io.brain.storage.placed.Placement.State;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies the prefix that moves, and clears what it leaves, in small steps on a thread of its own.
 * Steps are used by one thread at a time.
 */
final class Mover implements AutoCloseable {
    /**
     * How far a state is.
     *
     * @param number of the placement
     * @param keys copied or cleared since the start of the process
     * @param bytes of them
     * @param trouble why it does not go on now; null: it does
     */
    record Progress(long number, long keys, long bytes, String trouble) {}

    /**
     * How fast a move goes.
     *
     * @param rest minimum pause between two steps
     * @param keysMax of a step
     * @param bytesMax of a step; one pair may exceed it
     */
    record Pace(Duration rest, int keysMax, long bytesMax) {
        static final Pace STANDARD = new Pace(Duration.ofMillis(10), 2000, 256 << 10);
    }

    private static final Logger log = LoggerFactory.getLogger(Mover.class);
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final KvStorage base;
    private final SortedMap<String, PlacedStore> stores;
    private final Function<Bytes, List<KeyRange>> ranges;
    private final Commits commits;
    private final Pace pace;
    private final CountDownLatch stop = new CountDownLatch(1);
    private boolean started;
    private Thread thread;
    private volatile Progress progress = new Progress(-1, 0, 0, null);

    /** A mover that does not run. */
    Mover(
            KvStorage base,
            SortedMap<String, PlacedStore> stores,
            Function<Bytes, List<KeyRange>> ranges,
            Commits commits,
            Pace pace) {
        this.base = base;
        this.stores = stores;
        this.ranges = ranges;
        this.commits = commits;
        this.pace = pace;
    }

    /** Any thread. */
    Progress progress() {
        return progress;
    }

    /** Does from now on what is unfinished, when it is woken. */
    synchronized void start() {
        started = true;
        wake();
    }

    /** Runs until nothing is unfinished or in doubt. Any thread. */
    synchronized void wake() {
        if (started && stop.getCount() > 0 && hasWork() && thread == null) {
            thread = new Thread(this::run, "brain-placed-move");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void run() {
        boolean more = true;
        while (more && stop.getCount() > 0) {
            long began = System.nanoTime();
            Duration least = pace.rest;
            try {
                step();
            } catch (RuntimeException | Error failure) {
                StorageException cause = Futures.failure(failure);
                Progress last = progress;
                if (cause.kind() != Kind.CLOSED && !cause.getMessage().equals(last.trouble)) {
                    log.warn("a move waits error={}", cause.getMessage());
                }
                progress = new Progress(last.number, last.keys, last.bytes, cause.getMessage());
                least = RETRY;
            }
            // At least twice the time of the step, so that others get most of it.
            Duration twice = Duration.ofNanos(2 * (System.nanoTime() - began));
            more = rests(twice.compareTo(least) > 0 ? twice : least) && isUnfinished();
        }
    }

    private synchronized boolean isUnfinished() {
        boolean unfinished = hasWork();
        if (!unfinished) {
            thread = null;
        }
        return unfinished;
    }

    /** In doubt: nobody else may resolve the record of a placement. */
    private boolean hasWork() {
        return commits.isInDoubt() || commits.record().unfinished() != null;
    }

    private boolean rests(Duration pause) {
        try {
            return !stop.await(pause.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Does one step of what is unfinished. Blocks; throws a StorageException to be repeated. */
    void step() {
        Placement placement = commits.record().unfinished();
        if (placement == null || commits.isInDoubt()) {
            commits.work(() -> {});
            return;
        }
        if (progress.number != placement.number()) {
            progress = new Progress(placement.number(), 0, 0, null);
        }
        commits.settleCopy();
        if (placement.state() == State.MOVING) {
            // Before commits wait for the step: a store that does not answer would hold them up.
            probe(placement.store());
            probe(placement.other());
            copy(placement);
        } else {
            clear(placement);
        }
    }

    private void probe(String store) {
        try (Snapshot snapshot = storage(store).snapshot()) {
            snapshot.get(Records.POSITION);
        }
    }

    private void copy(Placement placement) {
        commits.work(
                () -> {
                    if (!placement.equals(commits.record().unfinished())) {
                        return; // canceled
                    }
                    if (commits.copied().next() != null) {
                        copyChunk(placement);
                    }
                    if (commits.copied().next() == null) {
                        change(placement::moved);
                        log.info(
                                "moved prefix={} from={} to={} keys={} bytes={}",
                                placement.prefix(),
                                placement.store(),
                                placement.other(),
                                progress.keys,
                                progress.bytes);
                    }
                });
    }

    private void copyChunk(Placement placement) {
        Chunk chunk;
        WriteBatch.Builder batch;
        try (Snapshot source = storage(placement.store()).snapshot();
                Snapshot target = storage(placement.other()).snapshot()) {
            Position at = commits.copied();
            chunk = new Chunk(placement, at, source, ranges, pace);
            batch = chunk.moveTo(target.get(Records.POSITION));
            // A copy that was on its way when the process ended: its keys may be deleted since.
            for (Bytes key : new Chunk(placement, at, target, ranges, pace).keys()) {
                if (chunk.next().isPast(key) && !chunk.has(key)) {
                    batch.delete(key);
                }
            }
        }
        chunk.forEach(batch::put);
        commits.copy(placement.other(), batch.needsSpace().build(), chunk.next());
        count(chunk);
    }

    private void count(Chunk chunk) {
        Progress last = progress;
        progress =
                new Progress(
                        last.number, last.keys + chunk.size(), last.bytes + chunk.bytes(), null);
    }

    private void change(LongFunction<Placement> next) {
        PlacementRecord record = commits.record();
        Placement after = next.apply(record.changes() + 1);
        commits.change(record.with(after, new TreeMap<>()));
    }

    private void clear(Placement placement) {
        KvStorage target = storage(placement.other());
        Chunk chunk;
        WriteBatch.Builder batch;
        try (Snapshot source = target.snapshot()) {
            Bytes stored = source.get(Records.POSITION);
            Position at = stored == null ? null : Position.decode(stored);
            if (at == null || at.number() != placement.number()) {
                at = Chunk.start(placement, ranges);
            }
            chunk = at.next() == null ? null : new Chunk(placement, at, source, ranges, pace);
            batch = chunk == null ? null : chunk.moveTo(stored);
        }
        if (chunk != null) {
            chunk.keys().forEach(batch::delete);
            // Final before the next step: a delete that comes late could meet keys that came back.
            requireFinal(target, batch.build());
            count(chunk);
        }
        if (chunk == null || chunk.next().next() == null) {
            finish(placement);
            target.reclaim();
        }
    }

    private void finish(Placement placement) {
        commits.work(
                () -> {
                    if (placement.equals(commits.record().unfinished())) {
                        change(placement::cleared);
                        log.info("cleared prefix={} in={}", placement.prefix(), placement.other());
                    }
                });
    }

    private void requireFinal(KvStorage target, WriteBatch batch) {
        CommitResult end = Futures.join(target.commit(batch));
        boolean goesOn = true;
        while (goesOn && end instanceof CommitResult.Uncertain) {
            goesOn = rests(pace.rest);
            end = Futures.join(target.resolve(batch));
        }
        if (!(end instanceof CommitResult.Committed)) {
            throw Futures.failure(end);
        }
    }

    private KvStorage storage(String name) {
        return name.equals(Placement.BASE) ? base : stores.get(name).storage();
    }

    /** Ends after the current step. */
    @Override
    public void close() {
        Thread running;
        stop.countDown();
        synchronized (this) {
            running = thread;
        }
        boolean interrupted = false;
        while (running != null && running.isAlive()) {
            try {
                running.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
