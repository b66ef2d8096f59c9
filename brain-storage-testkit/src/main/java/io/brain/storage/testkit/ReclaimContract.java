package io.brain.storage.testkit;

import static io.brain.storage.Cursor.Direction.FORWARD;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The hint to free the space of deleted data. */
interface ReclaimContract extends StoreUnderTest {
    @Test
    default void aHintToReclaimChangesNothingThatCanBeRead() {
        putAll("a", "b", "c");
        try (Snapshot before = store().snapshot()) {
            await(store().commit(batch().delete(bytes("b")).build()));
            store().reclaim();
            putAll("d");
            store().reclaim();

            assertThat(keys(KeyRange.ALL, FORWARD)).containsExactly("a", "c", "d");
            assertThat(before.get(bytes("b"))).isNotNull();
        }
        if (traits().contains(StorageTrait.SURVIVES_RESTART)) {
            reopened();
            assertThat(keys(KeyRange.ALL, FORWARD)).containsExactly("a", "c", "d");
        }
    }

    @Test
    default void hintsMayComeAtOnceAndAmongCommitsAndAfterTheClose() throws Exception {
        CompletableFuture<?>[] hints = new CompletableFuture<?>[4];
        for (int thread = 0; thread < hints.length; thread++) {
            hints[thread] =
                    CompletableFuture.runAsync(
                            () -> {
                                for (int i = 0; i < 1000; i++) {
                                    store().reclaim();
                                }
                            });
        }
        for (int i = 0; i < 50; i++) {
            WriteBatch batch = batch().put(bytes("k" + i), bytes("1")).build();
            await(store().commit(batch));
        }
        assertThat(keys(KeyRange.ALL, FORWARD)).hasSize(50);
        CompletableFuture<Void> closed = CompletableFuture.runAsync(store()::close);
        CompletableFuture.allOf(hints).get(1, TimeUnit.MINUTES);
        closed.get(1, TimeUnit.MINUTES);
        store().reclaim();
    }
}
