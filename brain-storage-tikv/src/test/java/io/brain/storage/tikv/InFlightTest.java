package io.brain.storage.tikv;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class InFlightTest {
    private final InFlight inFlight = new InFlight(Duration.ofSeconds(30));

    @Test
    void aTransactionIsWaitedForUntilItHasEnded() throws Exception {
        inFlight.begin(10);
        CompletableFuture<Boolean> waiting =
                CompletableFuture.supplyAsync(() -> inFlight.awaitEnd(10));

        TimeUnit.MILLISECONDS.sleep(30);
        assertThat(waiting).isNotDone();
        inFlight.end(10);
        inFlight.end(10);
        assertThat(waiting.get(1, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void waitingHasABound() {
        InFlight impatient = new InFlight(Duration.ofMillis(1));
        impatient.begin(10);

        assertThat(impatient.awaitEnd(10)).isFalse();
    }

    @Test
    void anUnknownTransactionIsNotWaitedFor() {
        assertThat(inFlight.awaitEnd(10)).isFalse();
    }
}
