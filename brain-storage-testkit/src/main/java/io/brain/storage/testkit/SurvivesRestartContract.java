package io.brain.storage.testkit;

import static io.brain.storage.Cursor.Direction.FORWARD;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.CommitResult;
import io.brain.storage.KeyRange;
import io.brain.storage.WriteBatch;
import org.junit.jupiter.api.Test;

/**
 * The part of {@link KvStorageContract} for adapters with the trait {@link
 * io.brain.storage.StorageTrait#SURVIVES_RESTART}.
 */
public interface SurvivesRestartContract extends StoreUnderTest {
    @Test
    default void whatWasCommittedIsThereAfterARestart() {
        putAll("a", "b", "c");
        commit(batch().delete(bytes("b")).put(bytes("c"), bytes("2")));
        commit(batch().put(bytes("d"), bytes("1")));

        reopened();

        assertThat(keys(KeyRange.ALL, FORWARD)).containsExactly("a", "c", "d");
        assertThat(get("c")).isEqualTo("2");
        assertThat(get("d")).isEqualTo("1");
    }

    @Test
    default void guardsHoldAcrossARestart() {
        commit(batch().putIfAbsent(bytes("fence"), bytes("1")));
        reopened();

        assertThat(await(store().commit(batch().putIfAbsent(bytes("fence"), bytes("2")).build())))
                .isInstanceOf(CommitResult.Conflict.class);
        commit(batch().compareAndSet(bytes("fence"), bytes("1"), bytes("2")));
        reopened();
        assertThat(get("fence")).isEqualTo("2");
    }

    @Test
    default void timestampsContinueAfterARestart() {
        long last = 0;
        for (int i = 0; i < 4; i++) {
            assertThat(store().timestamp()).isGreaterThanOrEqualTo(last);
            long timestamp = put("k", "v" + i);
            assertThat(timestamp).isGreaterThan(last);
            last = timestamp;
            reopened();
        }
    }

    @Test
    default void aLargeStoreIsThereAfterARestart() {
        String filler = "x".repeat(5000);
        for (int i = 0; i < 20; i++) {
            WriteBatch.Builder batch = batch();
            for (int k = 0; k < 100; k++) {
                batch.put(bytes("key " + (100 * i + k)), bytes(filler + k));
            }
            commit(batch);
        }
        reopened();

        assertThat(keys(KeyRange.ALL, FORWARD)).hasSize(2000);
        assertThat(get("key 1999")).isEqualTo(filler + "99");
    }

    @Test
    default void aBatchCanBeResolvedAfterARestart() {
        put("x", "1");
        WriteBatch landed = batch().compareAndSet(bytes("x"), bytes("1"), bytes("2")).build();
        assertThat(await(store().commit(landed))).isInstanceOf(CommitResult.Committed.class);
        WriteBatch lost = batch().compareAndSet(bytes("x"), bytes("2"), bytes("3")).build();

        reopened();

        assertThat(await(store().resolve(landed))).isInstanceOf(CommitResult.Committed.class);
        assertThat(await(store().resolve(lost))).isInstanceOf(CommitResult.Unavailable.class);
        assertThat(get("x")).isEqualTo("2");
    }
}
