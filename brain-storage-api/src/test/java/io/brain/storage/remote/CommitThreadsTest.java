package io.brain.storage.remote;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class CommitThreadsTest {
    private final AtomicBoolean exhausted = new AtomicBoolean(true);
    private final CommitThreads threads =
            new CommitThreads(
                    1,
                    work -> {
                        if (exhausted.get()) {
                            throw new InternalError("injected: no thread can be started");
                        }
                        return new Thread(work);
                    });

    @AfterEach
    void stop() {
        threads.stop();
    }

    @Test
    void aCommitWithoutAThreadIsRefusedAndLeavesNothingWaiting() throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> threads.run(60 << 20, () -> {}))
                    .isInstanceOf(RejectedExecutionException.class);
        }
        exhausted.set(false);
        CompletableFuture<Void> ran = new CompletableFuture<>();

        threads.run(1, () -> {});
        threads.run(60 << 20, () -> ran.complete(null));

        ran.get(1, TimeUnit.MINUTES);
    }
}
