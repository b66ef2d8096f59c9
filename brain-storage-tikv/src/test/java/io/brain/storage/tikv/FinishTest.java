package io.brain.storage.tikv;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.remote.CommitThreads;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

final class FinishTest {
    @Test
    void aCommitIsFinishedEvenIfThereIsNoThreadForIt() {
        CommitThreads stopped = new CommitThreads("finish-", 1);
        stopped.stop();
        AtomicBoolean finished = new AtomicBoolean();

        TikvStorage.finish(stopped, () -> finished.set(true));

        assertThat(finished).isTrue();
    }
}
