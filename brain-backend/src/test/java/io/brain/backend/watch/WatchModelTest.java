package io.brain.backend.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.cache.EventRing;
import io.brain.backend.model.KeySpan;
import io.brain.backend.runtime.SimulatedRuntime;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.Store;
import io.brain.backend.watch.History.Change;
import io.brain.storage.Bytes;
import io.brain.storage.StorageTrait;
import io.brain.storage.testkit.MemoryStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/**
 * Random histories, watchers, stalls, compactions and engine faults, against the model: every
 * watcher gets exactly what it must, in order, or is ended by a compaction that overtook it.
 *
 * <p>A failure names its seed: {@code -Dtest.args=-Dwatch.seed=N} repeats it alone; {@code
 * -Dwatch.seeds=N} runs more.
 */
class WatchModelTest {
    private static final int STEPS = 400;

    @Test
    void everyWatcherGetsExactlyItsEventsOrIsCompacted() {
        Long only = Long.getLong("watch.seed");
        long first = only == null ? 1 : only;
        long last = only == null ? Long.getLong("watch.seeds", 40) : only;
        int compactions = 0;
        int progresses = 0;
        int responses = 0;
        int batches = 0;
        int reads = 0;
        int resumed = 0;
        for (long seed = first; seed <= last; seed++) {
            Run run = new Run(seed);
            try {
                run.run();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
            for (ModelSink sink : run.allSinks) {
                compactions += sink.compactions;
                progresses += sink.progresses;
                responses += sink.eventResponses;
                batches += sink.batches;
                resumed += sink.resumed;
            }
            reads += run.spy.snapshots;
        }
        if (only == null) {
            // What a run is for does happen.
            assertThat(compactions).isGreaterThan(30);
            assertThat(progresses).isGreaterThan(50);
            assertThat(responses).isGreaterThan(2_500);
            assertThat(batches).isGreaterThan(50);
            assertThat(resumed).isGreaterThan(20);
            assertThat(reads).isGreaterThan(300);
        }
    }

    private static final class Run {
        private final Random random;
        private final MemoryStorage storage;
        private final History history;
        private final SimulatedRuntime simulated;
        private final ReadSpy spy;
        private final WatchHub hub;
        private final long resume;
        private final List<ModelSink> allSinks = new ArrayList<>();
        private final List<ModelSink> sinks = new ArrayList<>();
        private final List<WatchStream> streams = new ArrayList<>();

        private Run(long seed) {
            random = new Random(seed);
            simulated = Fixture.simulated(seed);
            storage =
                    new MemoryStorage(
                            Runnable::run,
                            random.nextBoolean()
                                    ? Set.of(StorageTrait.SNAPSHOT_AT_TIMESTAMP)
                                    : Set.of());
            KeyCoder coder = new KeyCoder(Bytes.utf8(random.nextBoolean() ? "" : "p/"));
            history = new History(storage, coder);
            history.partEventsMax(1 + random.nextInt(6));
            history.ringEventsMax(1 + random.nextInt(10));
            int before = random.nextInt(30);
            for (int i = 0; i < before; i++) {
                write();
            }
            spy = new ReadSpy(storage, () -> random.nextInt(10) == 0);
            long ringBytes = List.of(1L, 3_000L, 20_000L, 1L << 20).get(random.nextInt(4));
            long catchUpBytes = List.of(300L, 5_000L, 1L << 20).get(random.nextInt(3));
            resume = List.of(0L, 10L, 1_000L).get(random.nextInt(3));
            WatchSettings settings =
                    new WatchSettings(
                            ringBytes,
                            1 + random.nextInt(3),
                            catchUpBytes,
                            1 << 20,
                            1000,
                            Duration.ofMillis(500),
                            true,
                            resume);
            EventRing ring = new EventRing(ringBytes, history.revision());
            hub =
                    new WatchHub(
                            simulated.runtime(),
                            new Store(spy, coder, history.revisions()),
                            ring,
                            settings);
            history.tell(ring);
        }

        private void run() {
            for (int i = 0; i < STEPS; i++) {
                allSinks.forEach(ModelSink::check);
                act();
                for (int steps = random.nextInt(6); steps > 0; steps--) {
                    simulated.step();
                }
                if (random.nextInt(100) == 0) {
                    catchUp();
                }
            }
            catchUp();
            checkProgress();
            storage.checkNoOpenSnapshots();
            streams.forEach(WatchStream::close);
            simulated.run();
            assertThat(hub.stats().watchers()).isZero();
        }

        private void act() {
            int choice = random.nextInt(100);
            if (choice < 40) {
                write();
            } else if (choice < 45) {
                open();
            } else if (choice < 47) {
                close();
            } else if (choice < 60) {
                create();
            } else if (choice < 65) {
                cancel();
            } else if (choice < 70) {
                withSink((sink, stream) -> stream.requestProgress());
            } else if (choice < 90) {
                withSink(this::stallOrResume);
            } else if (choice < 94) {
                simulated.advance(Duration.ofMillis(random.nextInt(400)));
            } else if (choice < 97) {
                raiseFloor();
            } else {
                history.sweep(resume);
            }
        }

        private void write() {
            List<List<Change>> batch = new ArrayList<>();
            for (int txns = 1 + random.nextInt(3); txns > 0; txns--) {
                List<Change> changes = new ArrayList<>();
                int size = random.nextInt(10) == 0 ? 12 : 1 + random.nextInt(3);
                for (int i = 0; i < size; i++) {
                    String key = key();
                    changes.add(
                            random.nextInt(3) == 0
                                    ? Change.delete(key)
                                    : Change.put(key, "v".repeat(random.nextInt(30))));
                }
                batch.add(changes);
            }
            history.commitBatch(batch);
        }

        private void open() {
            if (sinks.size() < 6) {
                ModelSink sink = new ModelSink(history, resume > 0);
                sink.limit(random.nextInt(20));
                sinks.add(sink);
                allSinks.add(sink);
                streams.add(hub.open(sink));
            }
        }

        private void close() {
            if (!sinks.isEmpty()) {
                int chosen = random.nextInt(sinks.size());
                sinks.remove(chosen);
                streams.remove(chosen).close();
            }
        }

        private void create() {
            long current = history.revision();
            long start =
                    switch (random.nextInt(10)) {
                        case 0, 1, 2 -> 0;
                        case 3 -> current + random.nextInt(4);
                        case 4 -> -1;
                        case 5 -> Math.max(0, history.revisions().floor() - 1 + random.nextInt(3));
                        case 6 -> Math.max(0, history.revisions().floor() - random.nextInt(6));
                        default -> 1 + random.nextInt((int) current);
                    };
            long id = random.nextInt(3) == 0 ? random.nextInt(6) - 1 : 0;
            WatchRequest request =
                    new WatchRequest(
                            id,
                            span(),
                            start,
                            random.nextBoolean(),
                            // The periodic progress of an id -1 would pass for everybody's.
                            id != -1 && random.nextInt(4) == 0,
                            random.nextBoolean(),
                            random.nextInt(6) == 0,
                            random.nextInt(6) == 0);
            withSink(
                    (sink, stream) -> {
                        sink.expect(request);
                        stream.create(request);
                    });
        }

        private void cancel() {
            withSink(
                    (sink, stream) -> {
                        List<Long> ids = sink.ids();
                        boolean unknown = ids.isEmpty() || random.nextInt(5) == 0;
                        stream.cancel(unknown ? 77 : ids.get(random.nextInt(ids.size())));
                    });
        }

        private void stallOrResume(ModelSink sink, WatchStream stream) {
            sink.limit(random.nextInt(4) == 0 ? 0 : random.nextInt(8));
            if (sink.isReady() || random.nextInt(5) == 0) {
                stream.ready();
            }
        }

        private void raiseFloor() {
            long floor = history.revisions().floor();
            long to = history.revision() - random.nextInt(20);
            if (to > Math.max(floor, 1)) {
                history.raiseFloor(to);
            }
        }

        private void catchUp() {
            for (int i = 0; i < sinks.size(); i++) {
                sinks.get(i).limit(Integer.MAX_VALUE);
                streams.get(i).ready();
            }
            simulated.run();
            // Reads that met a fault are tried again, each after a second.
            for (int seconds = 0; seconds < 60 && hub.stats().unsynced() > 0; seconds++) {
                simulated.advance(Duration.ofSeconds(1));
            }
            simulated.advance(Duration.ofMillis(200));
            assertThat(hub.stats().unsynced()).as("watchers that never catch up").isZero();
            allSinks.forEach(ModelSink::check);
            sinks.forEach(ModelSink::checkCaughtUp);
        }

        private void checkProgress() {
            for (int i = 0; i < sinks.size(); i++) {
                ModelSink sink = sinks.get(i);
                int before = sink.progresses;
                streams.get(i).requestProgress();
                simulated.run();
                assertThat(sink.progresses - before)
                        .as("progress of stream %d", i)
                        .isEqualTo(sink.allSynced() ? 1 : 0);
            }
        }

        private void withSink(BiConsumer<ModelSink, WatchStream> action) {
            if (!sinks.isEmpty()) {
                int chosen = random.nextInt(sinks.size());
                action.accept(sinks.get(chosen), streams.get(chosen));
            }
        }

        private KeySpan span() {
            Bytes key = Bytes.utf8(key());
            return switch (random.nextInt(4)) {
                case 0 -> KeySpan.of(key);
                case 1 -> KeySpan.ALL;
                case 2 -> new KeySpan(key, null, false);
                default -> KeySpan.of(key, Bytes.utf8(key()));
            };
        }

        private String key() {
            return String.valueOf((char) ('a' + random.nextInt(8)));
        }
    }
}
