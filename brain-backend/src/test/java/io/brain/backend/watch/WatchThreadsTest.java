package io.brain.backend.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.cache.EventRing;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.runtime.BackendListener;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.Store;
import io.brain.storage.Bytes;
import io.brain.storage.testkit.MemoryStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Real threads: a publisher, the hub, readers of the log, and transports that stall and resume. */
class WatchThreadsTest {
    private static final int REVISIONS = 20_000;
    private static final int STREAMS = 12;
    private static final int WATCHERS = 50;

    private final ExecutorService hubThread = Executors.newSingleThreadExecutor();
    private final ExecutorService logReaders = Executors.newFixedThreadPool(2);
    private final ScheduledExecutorService transports = Executors.newScheduledThreadPool(2);
    private final MemoryStorage storage = new MemoryStorage();
    private final KeyCoder coder = new KeyCoder(Bytes.EMPTY);
    private final History history = new History(storage, coder);
    private final WatchHub hub = openHub();

    private WatchHub openHub() {
        WatchSettings settings =
                new WatchSettings(
                        200_000, 2, 50_000, 1 << 20, 1000, Duration.ofMinutes(10), true, 0);
        EventRing ring = new EventRing(settings.ringBytesMax(), 1);
        Store store = new Store(storage, coder, history.revisions());
        WatchHub opened =
                new WatchHub(runtime(hubThread, logReaders, transports), store, ring, settings);
        history.tell(ring);
        return opened;
    }

    @AfterEach
    void stopThreads() throws InterruptedException {
        transports.shutdownNow();
        hubThread.shutdown();
        logReaders.shutdown();
        assertThat(hubThread.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void everyStreamGetsEveryRevisionInOrderWhileAllThreadsRun() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(STREAMS);
        List<StallingSink> sinks = new ArrayList<>();
        for (int i = 0; i < STREAMS; i++) {
            StallingSink sink = new StallingSink(i, transports, done);
            sinks.add(sink);
            sink.stream = hub.open(sink);
            sink.stream.create(Fixture.watch(KeySpan.ALL, 2));
        }
        putAll();
        boolean finished = done.await(4, TimeUnit.MINUTES);
        for (StallingSink sink : sinks) {
            assertThat(sink.wrong.get()).isNull();
        }
        assertThat(finished).isTrue();
        sinks.forEach(sink -> sink.stream.close());
    }

    /** A client without a start revision resumes at the header's, and would miss such an event. */
    @Test
    void noEventIsAtTheRevisionOfItsWatchersHeader() throws InterruptedException {
        RecreatingSink sink = new RecreatingSink();
        sink.stream = hub.open(sink);
        for (int i = 0; i < WATCHERS; i++) {
            sink.stream.create(Fixture.watch(KeySpan.ALL, 0));
        }
        // Without both waits, a hub that gets no turn during the puts sends no event.
        assertThat(sink.created.await(1, TimeUnit.MINUTES)).isTrue();
        putAll();
        assertThat(sink.received.await(1, TimeUnit.MINUTES)).isTrue();
        sink.stream.close();
        hubThread.shutdown();
        assertThat(hubThread.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        assertThat(sink.wrong).isEmpty();
    }

    private void putAll() {
        for (int i = 0; i < REVISIONS; i++) {
            history.put("key" + i % 50, "v" + i);
        }
    }

    private static BackendRuntime runtime(
            ExecutorService hubThread,
            ExecutorService logReaders,
            ScheduledExecutorService timers) {
        return new BackendRuntime(
                System::nanoTime,
                (delay, executor, task) -> {
                    ScheduledFuture<?> timer =
                            timers.schedule(
                                    () -> executor.execute(task),
                                    delay.toNanos(),
                                    TimeUnit.NANOSECONDS);
                    return () -> timer.cancel(false);
                },
                logReaders,
                hubThread,
                logReaders,
                logReaders,
                logReaders,
                logReaders,
                logReaders,
                logReaders,
                new Random(1),
                BackendListener.NONE);
    }

    /** Expects events only. */
    private abstract static class EventSink implements WatchSink {
        /** Something else, or a wrong event, was received. */
        abstract void wrong(String what);

        @Override
        public long takenBytes() {
            return 0;
        }

        @Override
        public void created(long watchId, long revision) {}

        @Override
        public void refused(long revision, Refusal refusal) {
            wrong("refused");
        }

        @Override
        public void progress(long watchId, long revision) {}

        @Override
        public void canceled(long watchId, long revision) {}

        @Override
        public void compacted(long watchId, long compactRevision) {
            wrong("compacted");
        }

        @Override
        public void failed(BackendException cause) {
            wrong("failed: " + cause);
        }

        @Override
        public void stalled() {
            wrong("stalled");
        }
    }

    /** Full after some responses, ready again a little later, told by another thread. */
    private static final class StallingSink extends EventSink {
        private final Random random;
        private final ScheduledExecutorService transports;
        private final CountDownLatch done;
        private final AtomicInteger room = new AtomicInteger(10);
        private final AtomicReference<String> wrong = new AtomicReference<>();
        private volatile WatchStream stream;
        private long next = 2;

        private StallingSink(int seed, ScheduledExecutorService transports, CountDownLatch done) {
            this.random = new Random(seed);
            this.transports = transports;
            this.done = done;
        }

        @SuppressWarnings(
                "FutureReturnValueIgnored") // What the task leaves undone shows in the end.
        private void resumeLater(int responses) {
            transports.schedule(
                    () -> {
                        room.set(responses);
                        stream.ready();
                    },
                    random.nextInt(8),
                    TimeUnit.MILLISECONDS);
        }

        @Override
        void wrong(String what) {
            wrong.compareAndSet(null, what);
        }

        @Override
        public boolean isReady() {
            return room.get() > 0;
        }

        @Override
        public void events(
                long watchId,
                long revision,
                List<WatchEvent> events,
                boolean prevKv,
                boolean fragment) {
            for (WatchEvent event : events) {
                if (event.revision() != next) {
                    wrong("got " + event.revision() + ", not " + next);
                }
                next = event.revision() + 1;
            }
            if (next == REVISIONS + 2) {
                done.countDown();
            }
            if (room.decrementAndGet() == 0) {
                resumeLater(1 + random.nextInt(200));
            }
        }
    }

    /** Replaces each watcher after its first events. Hub thread only. */
    private static final class RecreatingSink extends EventSink {
        private final List<String> wrong = new ArrayList<>();
        private final Map<Long, Long> headers = new HashMap<>();
        private final CountDownLatch created = new CountDownLatch(WATCHERS);
        private final CountDownLatch received = new CountDownLatch(1);
        private volatile WatchStream stream;

        @Override
        void wrong(String what) {
            wrong.add(what);
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void created(long watchId, long revision) {
            headers.put(watchId, revision);
            created.countDown();
        }

        @Override
        public void events(
                long watchId,
                long revision,
                List<WatchEvent> sent,
                boolean prevKv,
                boolean fragment) {
            Long header = headers.remove(watchId);
            if (header == null) {
                return;
            }
            if (sent.get(0).revision() <= header) {
                wrong.add("created @" + header + ", event @" + sent.get(0).revision());
            }
            received.countDown();
            stream.cancel(watchId);
            stream.create(Fixture.watch(KeySpan.ALL, 0));
        }
    }
}
