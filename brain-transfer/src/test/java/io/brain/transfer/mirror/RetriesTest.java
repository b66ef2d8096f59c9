package io.brain.transfer.mirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Status;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RetriesTest {
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final AtomicInteger calls = new AtomicInteger();

    private static IOException away() {
        return new IOException("away", Status.UNAVAILABLE.asRuntimeException());
    }

    @Test
    void aCallThatTakesLongerThanThePatienceIsRepeated() throws IOException {
        int result =
                Retries.of(
                        () -> {
                            if (calls.incrementAndGet() == 1) {
                                sleep(200);
                                throw away();
                            }
                            return 7;
                        },
                        PATIENCE_NANOS);
        assertThat(result).isEqualTo(7);
    }

    @Test
    void patienceEnds() {
        assertThatThrownBy(
                        () ->
                                Retries.of(
                                        () -> {
                                            calls.incrementAndGet();
                                            throw away();
                                        },
                                        PATIENCE_NANOS))
                .hasMessage("away");
        assertThat(calls).hasValueGreaterThan(1);
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }
}
