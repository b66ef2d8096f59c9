package io.brain.backend.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.fair.Tenant;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.runtime.SimulatedRuntime;
import io.brain.backend.store.CommitListener;
import io.brain.backend.store.Fence;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Revisions;
import io.brain.backend.store.Store;
import io.brain.backend.txn.EarlyHistory;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.Fault;
import io.brain.storage.testkit.FaultyStorage;
import io.brain.storage.testkit.MemoryStorage;
import io.brain.storage.testkit.RandomFaults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;

/**
 * Clients, leaders and a faulty engine, all from one seed. Leaders crash, or are deposed while they
 * still write; commits get lost, are late, or find no space. Answers, events and the store are then
 * compared with the {@link Model}.
 */
final class WriteSimulation {
    private static final Duration DELAY_MAX = Duration.ofMillis(20);

    final KeyCoder coder = new KeyCoder(Bytes.utf8("p"));
    final List<SimulatedRequest> requests = new ArrayList<>();

    /** Published revisions, term by term. */
    final List<RevisionEvents> published = new ArrayList<>();

    private final Random random;
    private final SimulatedRuntime world;
    private final WriteSettings settings;
    private MemoryStorage storage;
    private final List<Term> terms = new ArrayList<>();
    private Term term;

    /** The newest revision that a client has seen. */
    private long newestKnown = 1;

    WriteSimulation(long seed) {
        random = new Random(seed);
        world = new SimulatedRuntime(random.nextLong());
        Set<StorageTrait> traits =
                random.nextBoolean() ? Set.of(StorageTrait.SNAPSHOT_AT_TIMESTAMP) : Set.of();
        settings =
                new WriteSettings(
                        50,
                        1 << 20,
                        random.nextBoolean() ? 1000 : 1 << 20,
                        1000,
                        random.nextInt(3) * 2000L,
                        random.nextBoolean() ? 100 : 1000,
                        random.nextInt(3) == 0 ? 200 + random.nextInt(400) : 1 << 20,
                        1 << 20);
        storage = new MemoryStorage(world.engine(), traits);
        storage.commit(
                WriteBatch.builder()
                        .putIfAbsent(coder.fenceKey(), new Fence(1, 0, 1, 0).encode())
                        .build());
        world.run();
    }

    /** One leadership. */
    private final class Term implements CommitListener, Sequencer.Leadership {
        private final MemoryStorage engine;
        private final Revisions revisions;
        private final Sequencer sequencer;
        private final EarlyHistory early = new EarlyHistory();
        private long lastPublished;
        private boolean deposed;
        private boolean over;

        Term(MemoryStorage engine, Fence fence) {
            this.engine = engine;
            revisions = new Revisions(new ReadPoint(fence.revision(), engine.timestamp()), -1);
            revisions.onPublish(this::published);
            lastPublished = fence.revision();
            FaultyStorage faulty = new FaultyStorage(engine, faults(), world::later);
            sequencer =
                    new Sequencer(
                            new Store(faulty, coder, revisions),
                            this,
                            this,
                            world.runtime(),
                            settings,
                            fence);
        }

        @Override
        public void events(RevisionEvents events) {
            assertThat(events.revision())
                    .as("events in order of revision")
                    .isEqualTo(++lastPublished);
            assertThat(revisions.committed().revision()).isLessThan(events.revision());
            published.add(events);
        }

        private void published() {
            ReadPoint point = revisions.committed();
            assertThat(point.revision()).as("all events before").isEqualTo(lastPublished);
            try (Snapshot snapshot = engine.snapshot()) {
                Fence stored = Fence.decode(snapshot.get(coder.fenceKey()));
                assertThat(stored.revision()).isGreaterThanOrEqualTo(point.revision());
            } catch (StorageException crashed) {
                assertThat(crashed.kind()).isEqualTo(StorageException.Kind.CLOSED);
            }
        }

        @Override
        public boolean isSure() {
            return !deposed;
        }

        @Override
        public void lost(ErrorKind why, Throwable cause) {
            if (why == ErrorKind.INTERNAL) {
                throw new AssertionError("the sequencer failed", cause);
            }
            over = true;
        }

        @Override
        public void outOfSpace() {}
    }

    /** Submits a number of requests, then runs until all tasks are done. */
    void run(int count) {
        lead();
        for (int id = 0; id < count; id++) {
            submit(id);
            for (int steps = random.nextInt(12); steps > 0; steps--) {
                world.step();
            }
            if (random.nextInt(6) == 0) {
                world.fireTimer();
            }
            if (term.over || random.nextInt(60) == 0) {
                depose();
            }
        }
        world.runOut();
        storage.checkNoOpenSnapshots();
    }

    /** Compares answers and events with the store. */
    void check() {
        StoredState stored = StoredState.of(storage, coder);
        new HistoryCheck(stored, coder, requests, published).check();
    }

    /** Most requests go to the leader, some to a deposed one that may not know it. */
    private void submit(int id) {
        SimulatedRequest request = new SimulatedRequest(id, random, coder);
        requests.add(request);
        Term asked = random.nextInt(10) == 0 ? terms.get(random.nextInt(terms.size())) : term;
        Revisions revisions = asked.revisions;
        request.knownBefore = newestKnown;
        request.early = asked.early;
        request.answer = asked.sequencer.submit(request, Tenant.SERVER, 1);
        request.answer =
                request.answer.whenComplete(
                        (seen, failure) -> {
                            if (seen != null) {
                                assertThat(revisions.committed().revision())
                                        .as("answered after publication")
                                        .isGreaterThanOrEqualTo(seen.revision());
                                newestKnown = Math.max(newestKnown, seen.revision());
                            }
                        });
    }

    /** The leader crashes, or is cut off and learns it from its next write. */
    private void depose() {
        term.deposed = true;
        MemoryStorage next = storage.openAgain(world.engine());
        if (random.nextBoolean()) {
            storage.crash();
        }
        storage = next;
        lead();
    }

    /** Promotes a leader of the next epoch. */
    private void lead() {
        while (true) {
            Bytes before;
            try (Snapshot snapshot = storage.snapshot()) {
                before = snapshot.get(coder.fenceKey());
            }
            Fence old = Fence.decode(before);
            Fence mine = new Fence(old.epoch() + 1, old.batch() + 1, old.revision(), old.bytes());
            var taken =
                    storage.commit(
                                    WriteBatch.builder()
                                            .compareAndSet(coder.fenceKey(), before, mine.encode())
                                            .build())
                            .toCompletableFuture();
            while (!taken.isDone()) {
                world.step();
            }
            if (taken.join() instanceof CommitResult.Committed) {
                term = new Term(storage, mine);
                terms.add(term);
                return;
            }
        }
    }

    private Function<WriteBatch, Fault> faults() {
        RandomFaults faults =
                new RandomFaults(
                        random,
                        random.nextInt(3) * 0.15,
                        random.nextBoolean() ? DELAY_MAX : Duration.ZERO,
                        List.of(
                                Fault.Outcome.UNAVAILABLE,
                                Fault.Outcome.CONFLICT,
                                Fault.Outcome.UNCERTAIN_NOT_APPLIED,
                                Fault.Outcome.UNCERTAIN_APPLIED,
                                Fault.Outcome.UNCERTAIN_THEN_APPLIED));
        return batch -> {
            Fault fault = faults.apply(batch);
            boolean noSpace = fault.outcome() == Fault.Outcome.UNAVAILABLE && random.nextBoolean();
            return noSpace ? fault.withKind(StorageException.Kind.NO_SPACE) : fault;
        };
    }

    /** The error that a request ended with; null if it was answered. */
    static ErrorKind errorOf(SimulatedRequest request) {
        if (!request.answer.isCompletedExceptionally()) {
            return null;
        }
        try {
            request.answer.join();
        } catch (RuntimeException failure) {
            if (failure.getCause() instanceof BackendException known) {
                return known.kind();
            }
            throw failure;
        }
        return null;
    }
}
