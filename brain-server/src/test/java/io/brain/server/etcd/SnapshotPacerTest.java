package io.brain.server.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SnapshotPacerTest {
    private static final long SLICE = SnapshotPacer.SLICE_NANOS;

    private final FakeTime time = new FakeTime();
    private long revision = 1;
    private final SnapshotPacer pacer = new SnapshotPacer(() -> revision, time);

    @Test
    void worksAnEighthOfTheTimeWhileRevisionsPass() throws InterruptedException {
        for (int i = 0; i < 10_000; i++) {
            revision++;
            time.work(SLICE / 10);
            pacer.step();
        }
        assertThat(time.pauses).hasSize(1_000).containsOnly(7 * SLICE);
        assertThat(time.nanos).isEqualTo(8 * time.cpuNanos);
    }

    @Test
    void doesNotPauseWithoutWrites() throws InterruptedException {
        for (int i = 0; i < 1_000; i++) {
            time.work(SLICE);
            pacer.step();
        }
        assertThat(time.pauses).isEmpty();
        revision++;
        time.work(SLICE);
        pacer.step();
        time.work(SLICE);
        pacer.step();
        assertThat(time.pauses).containsExactly(7 * SLICE);
    }

    @Test
    void waitingIsNotWork() throws InterruptedException {
        for (int i = 0; i < 100; i++) {
            revision++;
            time.work(SLICE / 10);
            time.nanos += SLICE;
            pacer.step();
        }
        assertThat(time.pauses).hasSize(10).containsOnly(7 * SLICE);
    }

    @Test
    void aLongStepCausesABoundedPause() throws InterruptedException {
        revision++;
        time.work(1000 * SLICE);
        pacer.step();
        assertThat(time.pauses).containsExactly(SnapshotPacer.PAUSE_NANOS_MAX);
    }

    /** A time that passes when the thread works or sleeps. */
    private static final class FakeTime implements SnapshotPacer.Time {
        private final List<Long> pauses = new ArrayList<>();
        private long nanos;
        private long cpuNanos;

        void work(long duration) {
            nanos += duration;
            cpuNanos += duration;
        }

        @Override
        public long nanos() {
            return nanos;
        }

        @Override
        public long cpuNanos() {
            return cpuNanos;
        }

        @Override
        public void sleep(long duration) {
            pauses.add(duration);
            nanos += duration;
        }
    }
}
