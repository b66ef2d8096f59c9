package io.brain.server.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.Reservation;
import io.brain.backend.runtime.Scheduler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

class StallGuardTest {
    private static final long SLOW_LINE = 64 << 10;

    private final Queue<Runnable> scheduled = new ArrayDeque<>();
    private final StallGuard guard = new StallGuard(this::schedule);
    private Duration clock = Duration.ZERO;
    private Duration looksEvery = Duration.ZERO;
    private boolean wanted;
    private long takenBytes;
    private Duration dropped;

    @Test
    void aSilentClientHasThirtySeconds() {
        watch(1);
        passUntilDropped(0);
        assertThat(dropped).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void aSilentClientHasTwoSecondsIfOthersWaitAndTheNextOneLess() {
        wanted = true;
        Scheduler.Timer first = watch(100 << 20);
        passUntilDropped(0);
        assertThat(dropped).isEqualTo(Duration.ofSeconds(2));
        first.cancel();
        pass(looksEvery, 0);
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
    void silenceFromBeforeOthersWaitedCounts() {
        watch(100 << 20);
        pass(Duration.ofSeconds(20), 0);
        assertThat(dropped).isNull();
        wanted = true;
        passUntilDropped(0);
        assertThat(dropped).isLessThanOrEqualTo(Duration.ofMillis(20_250));
    }

    @Test
    void anAnswerThatStaysBehindOthersOnItsConnectionHasFiveSecondsIfOthersWait() {
        wanted = true;
        watch(1);
        passUntilDropped(SLOW_LINE);
        assertThat(dropped).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void aSlowLineHasTheTimeThatItTakes() {
        wanted = true;
        watch(32 << 20);
        passUntilDropped(SLOW_LINE);
        assertThat(dropped).isEqualTo(Duration.ofSeconds(5 + 32));
    }

    @Test
    void whoeverTookItsAnswerIsLeftAlone() {
        wanted = true;
        Scheduler.Timer stall = watch(1);
        pass(Duration.ofMillis(750), 0);
        stall.cancel();
        pass(Duration.ofMillis(500), 0);
        assertThat(dropped).isNull();
        assertThat(scheduled).as("nobody looks where nothing is").isEmpty();
        watch(1);
        assertThat(scheduled).hasSize(1);
    }

    private Scheduler.Timer watch(long bytes) {
        Connection connection =
                new Connection() {
                    @Override
                    public long takenBytes() {
                        return takenBytes;
                    }

                    @Override
                    public void execute(Runnable task) {
                        task.run();
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
                return wanted;
            }

            @Override
            public void close() {}
        };
    }

    private void passUntilDropped(long bytesEachLook) {
        while (dropped == null) {
            pass(looksEvery, bytesEachLook);
        }
    }

    private void pass(Duration time, long bytesEachLook) {
        Duration end = clock.plus(time);
        while (clock.compareTo(end) < 0 && !scheduled.isEmpty()) {
            clock = clock.plus(looksEvery);
            takenBytes += bytesEachLook;
            scheduled.remove().run();
        }
    }

    private Scheduler.Timer schedule(Duration delay, Executor executor, Runnable task) {
        looksEvery = delay;
        scheduled.add(task);
        return () -> scheduled.remove(task);
    }
}
