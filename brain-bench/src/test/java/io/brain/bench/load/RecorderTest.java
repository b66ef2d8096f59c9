package io.brain.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecorderTest {

    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;

    @Test
    void onlyOperationsDuringTheRecordingAreRecorded() {
        Recorder recorder = new Recorder(false);
        recorder.done(0, 50 * MILLI, 1);
        recorder.begin(100 * MILLI);
        recorder.done(90 * MILLI, 110 * MILLI, 1);
        recorder.done(100 * MILLI, 140 * MILLI, 3);
        recorder.end();
        recorder.done(0, 900 * MILLI, 1);

        assertThat(recorder.units()).isEqualTo(4);
        assertThat(recorder.latency().max()).isBetween(39_900.0, 40_100.0);
        assertThat(recorder.latency().p50()).isBetween(19_900.0, 20_100.0);
    }

    @Test
    void failuresAreAlwaysCountedAndTheFirstIsKept() {
        Recorder recorder = new Recorder(false);
        recorder.failed("first");
        recorder.begin(0);
        recorder.failed("second");

        assertThat(recorder.failures()).isEqualTo(2);
        assertThat(recorder.firstFailure()).isEqualTo("first");
    }

    @Test
    void eachSecondIsKeptAlsoWithoutOperations() {
        Recorder recorder = new Recorder(true);
        recorder.begin(10 * SECOND);
        recorder.done(10 * SECOND, 10 * SECOND + 2 * MILLI, 1);
        recorder.done(10 * SECOND, 12 * SECOND + MILLI, 1);
        recorder.done(13 * SECOND, 13 * SECOND + MILLI, 1);

        assertThat(recorder.seconds())
                .extracting(Recorder.Second::operations)
                .containsExactly(1L, 0L, 1L);
        assertThat(recorder.seconds().get(2).p99Micros()).isGreaterThan(1_990_000);
    }

    @Test
    void phasesHaveSeparateLatencies() {
        Recorder recorder = new Recorder(true);
        recorder.begin(0);
        recorder.done(0, MILLI, 1);
        recorder.endPhase();
        recorder.done(0, 5 * MILLI, 1);
        recorder.endPhase();

        assertThat(recorder.phases()).hasSize(2);
        assertThat(recorder.phases().get(0).p99()).isBetween(990.0, 1_010.0);
        assertThat(recorder.phases().get(1).p99()).isBetween(4_990.0, 5_010.0);
    }
}
