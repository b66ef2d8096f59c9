package io.brain.backend.cluster.election;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ElectionSettingsTest {
    /** A follower of a leader that commits nothing else would send it no calls. */
    @ParameterizedTest
    @ValueSource(longs = {500, 3000, 20_000, 60_000, 600_000})
    void heartbeatsKeepContact(long leaseMillis) {
        ElectionSettings settings =
                new ElectionSettings(
                        "", List.of(), List.of(), Duration.ofMillis(leaseMillis), "", false);
        assertThat(settings.heartbeat().multipliedBy(2))
                .isPositive()
                .isLessThan(settings.contactTimeout());
        assertThat(settings.heartbeat().multipliedBy(2)).isLessThan(settings.silence());
    }
}
