package io.brain.storage.tikv;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class InFlightTest {
    private final InFlight inFlight = new InFlight(Duration.ofSeconds(30));

    @Test
    void aReaderOfTheCommitWaitsUntilItIsEverywhere() throws Exception {
        inFlight.begin(10, 12);
        CompletableFuture<Void> read = CompletableFuture.runAsync(() -> inFlight.awaitReadable(12));

        TimeUnit.MILLISECONDS.sleep(30);
        assertThat(read).isNotDone();
        inFlight.end(10);
        read.get(1, TimeUnit.MINUTES);
    }

    @Test
    void aReaderOfAnOlderStateDoesNotWait() {
        inFlight.begin(10, 12);

        inFlight.awaitReadable(11);
        inFlight.awaitReadable(9);
    }

    @Test
    void waitingHasABound() {
        InFlight impatient = new InFlight(Duration.ofMillis(1));
        impatient.begin(10, 12);

        impatient.awaitReadable(12);
        assertThat(impatient.awaitEnd(10)).isFalse();
    }

    @Test
    void anUnknownTransactionIsNotWaitedFor() {
        assertThat(inFlight.awaitEnd(10)).isFalse();
    }
}
