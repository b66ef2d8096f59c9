package io.brain.backend.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class RevisionWaitersTest {
    private final RevisionWaiters waiters = new RevisionWaiters();

    @Test
    void whoWaitsForARevisionGoesWhenItIsReachedAndNotBefore() {
        CompletableFuture<Void> five = waiters.add(5);
        CompletableFuture<Void> fiveToo = waiters.add(5);
        CompletableFuture<Void> seven = waiters.add(7);
        waiters.reached(4);
        assertThat(five).isNotDone();
        waiters.reached(6);
        assertThat(five).isCompleted();
        assertThat(fiveToo).isCompleted();
        assertThat(seven).isNotDone();
        assertThat(waiters.size()).isEqualTo(1);
    }

    @Test
    void whoGaveUpOrWasLetGoByTimeIsForgotten() {
        CompletableFuture<Void> givenUp = waiters.add(5);
        CompletableFuture<Void> late = waiters.add(5);
        CompletableFuture<Void> waits = waiters.add(9);
        givenUp.cancel(false);
        late.complete(null);
        assertThat(waiters.size()).isEqualTo(1);
        waiters.reached(8);
        assertThat(waits).isNotDone();
        waiters.reached(9);
        assertThat(waits).isCompleted();
        assertThat(waiters.size()).isZero();
    }
}
