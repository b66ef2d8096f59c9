package io.brain.storage.tikv;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.WriteBatch;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Two processes with one store: one stops in the middle of a transaction, the other goes on. */
abstract class TwoProcesses {
    static final Duration LONG = Duration.ofMinutes(5);
    static final Duration SHORT = Duration.ofMillis(500);

    static TestBed bed;

    final String fence = "fence " + UUID.randomUUID();
    final String other = "other " + UUID.randomUUID();

    /** The process that stops. */
    Inside dead;

    /** The one that goes on. */
    Inside alive;

    KvStorage storage;

    @BeforeAll
    static void startTestBed(@TempDir Path directory) {
        bed = TestBed.start(directory);
    }

    @AfterAll
    static void stopTestBed() {
        if (bed != null) {
            bed.close();
        }
    }

    @BeforeEach
    void openBoth() throws Exception {
        dead = new Inside(bed.options());
        alive = new Inside(bed.options());
        storage = bed.open();
        assertThat(commit(WriteBatch.builder().put(bytes(fence), bytes("0"))))
                .isInstanceOf(CommitResult.Committed.class);
    }

    @AfterEach
    void closeBoth() {
        storage.close();
        alive.close();
        dead.close();
    }

    static Bytes bytes(String text) {
        return Bytes.utf8(text);
    }

    CommitResult commit(WriteBatch.Builder batch) throws Exception {
        return storage.commit(batch.build()).toCompletableFuture().get(1, TimeUnit.MINUTES);
    }

    WriteBatch.Builder step(String from, String to) {
        return WriteBatch.builder()
                .compareAndSet(bytes(fence), bytes(from), bytes(to))
                .put(bytes(other), bytes(to));
    }

    Transaction prewritten(Duration lockTtl) {
        Transaction transaction = dead.begin(step("0", "1").build(), lockTtl);
        transaction.prewrite(Inside.backoff());
        return transaction;
    }
}
