package io.brain.storage.tikv.client;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

final class TimestampOracleTest {
    private final AtomicBoolean threadsAreShort = new AtomicBoolean(true);

    private final TimestampOracle oracle =
            new TimestampOracle(
                    () -> {
                        if (threadsAreShort.getAndSet(false)) {
                            throw new OutOfMemoryError("no thread");
                        }
                        throw new IllegalStateException("no leader");
                    },
                    7,
                    Duration.ofMillis(100),
                    System::currentTimeMillis);

    @Test
    void pdIsSearchedForAgainAfterAnError() {
        assertThatThrownBy(() -> oracle.now(new Backoff(Duration.ofMillis(100))))
                .isInstanceOf(OutOfMemoryError.class);
        assertThatThrownBy(() -> oracle.now(new Backoff(Duration.ofMillis(100))))
                .hasMessageContaining("no leader");
    }
}
