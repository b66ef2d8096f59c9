package io.brain.backend.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BackendThreadsTest {
    @Test
    void executorsHaveNamedThreads() throws Exception {
        try (BackendThreads threads = new BackendThreads(2)) {
            BackendRuntime runtime = threads.runtime();
            assertThat(threadOf(runtime.sequencer())).isEqualTo("brain-sequencer-0");
            assertThat(threadOf(runtime.watch())).isEqualTo("brain-watch-0");
            assertThat(threadOf(runtime.readers())).startsWith("brain-reader-");
            assertThat(threadOf(runtime.background())).startsWith("brain-background-");
            assertThat(threadOf(runtime.prompt())).isEqualTo("brain-prompt-0");
            assertThat(threadOf(runtime.logReaders())).startsWith("brain-log-reader-");
            assertThat(threadOf(runtime.takeover())).startsWith("brain-takeover-");
        }
    }

    @Test
    void tasksOfTheSequencerRunInOrder() {
        List<Integer> ran = Collections.synchronizedList(new ArrayList<>());
        try (BackendThreads threads = new BackendThreads(1)) {
            for (int i = 0; i < 100; i++) {
                int number = i;
                threads.runtime().sequencer().execute(() -> ran.add(number));
            }
        }
        assertThat(ran).hasSize(100).isSorted();
    }

    @Test
    void aScheduledTaskRunsAfterItsDelayOnItsExecutor() throws Exception {
        try (BackendThreads threads = new BackendThreads(1)) {
            BackendRuntime runtime = threads.runtime();
            long start = runtime.clock().nanos();
            CompletableFuture<Thread> ran = new CompletableFuture<>();
            runtime.scheduler()
                    .schedule(
                            Duration.ofMillis(20),
                            runtime.watch(),
                            () -> ran.complete(Thread.currentThread()));
            assertThat(ran.get(1, TimeUnit.MINUTES).getName()).isEqualTo("brain-watch-0");
            assertThat(runtime.clock().nanos() - start).isGreaterThanOrEqualTo(20_000_000);
        }
    }

    @Test
    void aCancelledTimerDoesNotRun() {
        AtomicInteger ran = new AtomicInteger();
        try (BackendThreads threads = new BackendThreads(1)) {
            BackendRuntime runtime = threads.runtime();
            runtime.scheduler()
                    .schedule(Duration.ofHours(1), runtime.watch(), ran::incrementAndGet)
                    .cancel();
        }
        assertThat(ran).hasValue(0);
    }

    @Test
    void aTaskThatIsCancelledInTheQueueDoesNotRun() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger ran = new AtomicInteger();
        try (BackendThreads threads = new BackendThreads(1)) {
            BackendRuntime runtime = threads.runtime();
            runtime.readers().execute(() -> awaitQuietly(release));
            Scheduler.Timer queued =
                    runtime.scheduler()
                            .schedule(Duration.ZERO, runtime.readers(), ran::incrementAndGet);
            awaitTimer(runtime, Duration.ZERO);
            queued.cancel();
            release.countDown();
        }
        assertThat(ran).hasValue(0);
    }

    @Test
    void aFullQueueRefusesTasksAndAClosedOneDropsThem() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        BackendThreads threads = new BackendThreads(1);
        BackendRuntime runtime = threads.runtime();
        try {
            runtime.readers().execute(() -> awaitQuietly(release));
            fill(runtime.readers());
        } finally {
            release.countDown();
            threads.close();
        }
        assertThatCode(() -> runtime.readers().execute(() -> {})).doesNotThrowAnyException();
    }

    @Test
    void aScheduledTaskWaitsForRoomInTheQueue() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        CompletableFuture<Boolean> ran = new CompletableFuture<>();
        AtomicInteger cancelled = new AtomicInteger();
        try (BackendThreads threads = new BackendThreads(1)) {
            BackendRuntime runtime = threads.runtime();
            runtime.readers().execute(() -> awaitQuietly(release));
            fill(runtime.readers());
            runtime.scheduler()
                    .schedule(Duration.ZERO, runtime.readers(), () -> ran.complete(true));
            Scheduler.Timer timer =
                    runtime.scheduler()
                            .schedule(Duration.ZERO, runtime.readers(), cancelled::incrementAndGet);
            awaitTimer(runtime, Duration.ofMillis(50)); // both tasks have found no room
            timer.cancel();
            awaitTimer(runtime, Duration.ZERO); // an attempt that began before has ended
            assertThat(ran).isNotDone();
            release.countDown();
            assertThat(ran.get(1, TimeUnit.MINUTES)).isTrue();
        }
        assertThat(cancelled).hasValue(0);
    }

    @Test
    void aFailingTaskDoesNotStopLaterTasks() {
        AtomicInteger ran = new AtomicInteger();
        try (BackendThreads threads = new BackendThreads(1)) {
            threads.runtime()
                    .sequencer()
                    .execute(
                            () -> {
                                throw new IllegalStateException("expected by the test");
                            });
            threads.runtime().sequencer().execute(ran::incrementAndGet);
        }
        assertThat(ran).hasValue(1);
    }

    private static void fill(Executor executor) {
        assertThatThrownBy(
                        () -> {
                            while (true) {
                                executor.execute(() -> {});
                            }
                        })
                .isInstanceOf(RejectedExecutionException.class);
    }

    /** Waits until the timer's only thread runs a task that is due after a delay. */
    private static void awaitTimer(BackendRuntime runtime, Duration delay) throws Exception {
        CompletableFuture<Boolean> ran = new CompletableFuture<>();
        runtime.scheduler().schedule(delay, Runnable::run, () -> ran.complete(true));
        ran.get(1, TimeUnit.MINUTES);
    }

    private static String threadOf(Executor executor) throws Exception {
        CompletableFuture<String> name = new CompletableFuture<>();
        executor.execute(() -> name.complete(Thread.currentThread().getName()));
        return name.get(1, TimeUnit.MINUTES);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
