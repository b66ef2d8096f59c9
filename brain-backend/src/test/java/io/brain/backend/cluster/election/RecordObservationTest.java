package io.brain.backend.cluster.election;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.runtime.SimulatedRuntime;
import io.brain.storage.Bytes;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RecordObservationTest {
    private static final Bytes RECORD = Bytes.utf8("record");

    private final SimulatedRuntime simulation = new SimulatedRuntime(1);
    private final RecordObservation observation =
            new RecordObservation(simulation.runtime().clock());

    @Test
    void theTimeOfAShortReadCounts() {
        read(0);
        for (int i = 0; i < 10; i++) {
            advance(10);
            read(40);
        }
        assertThat(observation.unchanged()).isEqualTo(Duration.ofMillis(500));
    }

    @Test
    void ofALongReadOnlyAsMuchCounts() {
        read(0);
        advance(10);
        read(2000);
        assertThat(observation.unchanged()).isEqualTo(Duration.ofMillis(60));
    }

    @Test
    void theTimeBeginsAgainAfterAFailedReadAndAChange() {
        read(0);
        advance(10);
        observation.onReadFailed();
        advance(10);
        read(0);
        assertThat(observation.unchanged()).isEqualTo(Duration.ZERO);
        advance(10);
        boolean changed = observation.onRead(null, simulation.runtime().clock().nanos());
        assertThat(changed).isTrue();
        assertThat(observation.unchanged()).isEqualTo(Duration.ZERO);
    }

    private void read(int millis) {
        long start = simulation.runtime().clock().nanos();
        advance(millis);
        observation.onRead(RECORD, start);
    }

    private void advance(int millis) {
        simulation.advance(Duration.ofMillis(millis));
    }
}
