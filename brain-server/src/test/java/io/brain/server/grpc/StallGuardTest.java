package io.brain.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.fair.Tenant;
import io.brain.backend.model.Reservation;
import io.brain.backend.runtime.Scheduler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

class StallGuardTest {
    private static final long SLOW_BYTES = 64 << 10;

    private final Queue<Runnable> scheduled = new ArrayDeque<>();
    private final StallGuard guard = new StallGuard(this::schedule);
    private Duration clock = Duration.ZERO;
    private Duration interval = Duration.ZERO;
    private boolean contended;

    /** True while the connection's thread runs no task. */
    private boolean busy;

    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private long takenBytes;
    private Duration dropped;

    @Test
    void anIdleClientHasThirtySeconds() {
        watch(1);
        passUntilDropped(0);
        assertThat(dropped).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void anIdleClientHasTwoSecondsIfOthersWaitAndTheNextOneLess() {
        contended = true;
        Scheduler.Timer first = watch(100 << 20);
        passUntilDropped(0);
        assertThat(dropped).isEqualTo(Duration.ofSeconds(2));
        first.cancel();
        pass(interval, 0);
        dropped = null;
        Duration start = clock;
        Scheduler.Timer next = watch(100 << 20);
        passUntilDropped(0);
        assertThat(dropped.minus(start)).isEqualTo(Duration.ofMillis(500));
        next.cancel();
        dropped = null;
        watch(100 << 20);
        pass(Duration.ofSeconds(11), 64 << 10);
        assertThat(dropped).isNull();
        start = clock;
        passUntilDropped(0);
        assertThat(dropped.minus(start)).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void idleTimeBeforeOthersWaitCounts() {
        watch(100 << 20);
        pass(Duration.ofSeconds(20), 0);
        assertThat(dropped).isNull();
        contended = true;
        passUntilDropped(0);
        assertThat(dropped).isLessThanOrEqualTo(Duration.ofMillis(20_250));
    }

    @Test
    void aResponseOnABusyConnectionHasFiveSecondsIfOthersWait() {
        contended = true;
        watch(1);
        passUntilDropped(SLOW_BYTES);
        assertThat(dropped).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void aSlowConnectionHasTimeForTheLengthOfTheResponse() {
        contended = true;
        watch(32 << 20);
        passUntilDropped(SLOW_BYTES);
        assertThat(dropped).isEqualTo(Duration.ofSeconds(5 + 32));
    }

    @Test
    void aClientThatTookItsResponseIsNotDisconnected() {
        contended = true;
        Scheduler.Timer stall = watch(1);
        pass(Duration.ofMillis(750), 0);
        stall.cancel();
        pass(Duration.ofMillis(500), 0);
        assertThat(dropped).isNull();
        assertThat(scheduled).as("no check without responses").isEmpty();
        watch(1);
        assertThat(scheduled).hasSize(1);
    }

    @Test
    void timeInWhichTheServerDoesNotGetToTheConnectionDoesNotCount() {
        contended = true;
        busy = true;
        watch(1);
        pass(Duration.ofMinutes(1), 0);
        assertThat(dropped).isNull();
        busy = false;
        waiting.remove().run();
        Duration start = clock;
        passUntilDropped(0);
        assertThat(dropped.minus(start)).isBetween(Duration.ofMillis(1500), Duration.ofSeconds(2));
    }

    private Scheduler.Timer watch(long bytes) {
        Connection connection =
                new Connection() {
                    @Override
                    public Tenant tenant() {
                        return Tenant.SERVER;
                    }

                    @Override
                    public long takenBytes() {
                        return takenBytes;
                    }

                    @Override
                    public void execute(Runnable task) {
                        if (busy) {
                            waiting.add(task);
                        } else {
                            task.run();
                        }
                    }

                    @Override
                    public void drop() {
                        dropped = clock;
                    }
                };
        return guard.watch(connection, bytes, held());
    }

    private Reservation held() {
        return new Reservation() {
            @Override
            public boolean isWanted() {
                return contended;
            }

            @Override
            public void close() {}
        };
    }

    private void passUntilDropped(long bytesPerCheck) {
        while (dropped == null) {
            pass(interval, bytesPerCheck);
        }
    }

    private void pass(Duration time, long bytesPerCheck) {
        Duration end = clock.plus(time);
        while (clock.compareTo(end) < 0 && !scheduled.isEmpty()) {
            clock = clock.plus(interval);
            takenBytes += bytesPerCheck;
            scheduled.remove().run();
        }
    }

    private Scheduler.Timer schedule(Duration delay, Executor executor, Runnable task) {
        interval = delay;
        scheduled.add(task);
        return () -> scheduled.remove(task);
    }
}
