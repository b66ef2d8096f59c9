package io.brain.storage.testkit;

import static io.brain.storage.Cursor.Direction.FORWARD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.CommitResult;
import io.brain.storage.KeyRange;
import io.brain.storage.WriteBatch;
import org.junit.jupiter.api.Test;

/** Finding out how a commit ended whose answer the owner does not have. */
interface SettleContract extends StoreUnderTest {
    /** A batch that {@link io.brain.storage.KvStorage#settle} can tell about, once x is "1". */
    private WriteBatch step() {
        return batch().compareAndSet(bytes("x"), bytes("1"), bytes("2"))
                .put(bytes("y"), bytes("2"))
                .build();
    }

    @Test
    default void aLandedBatchIsSettledAsCommitted() {
        put("x", "1");
        WriteBatch batch = step();
        CommitResult.Committed committed = (CommitResult.Committed) await(store().commit(batch));

        CommitResult settled = await(store().settle(batch));

        assertThat(settled).isInstanceOf(CommitResult.Committed.class);
        assertThat(((CommitResult.Committed) settled).timestamp())
                .isBetween(committed.timestamp(), store().timestamp());
        assertThat(get("y")).isEqualTo("2");
    }

    @Test
    default void aLandedFirstPutIsSettledAsCommitted() {
        WriteBatch batch = batch().putIfAbsent(bytes("x"), bytes("1")).build();
        commit(batch().put(bytes("other"), bytes("1")));
        assertThat(await(store().commit(batch))).isInstanceOf(CommitResult.Committed.class);

        assertThat(await(store().settle(batch))).isInstanceOf(CommitResult.Committed.class);
    }

    @Test
    default void aBatchThatNeverArrivedIsSettledAsNotCommitted() {
        put("x", "1");

        assertThat(await(store().settle(step()))).isInstanceOf(CommitResult.Unavailable.class);
        assertThat(get("x")).isEqualTo("1");
        assertThat(get("y")).isNull();
    }

    @Test
    default void aFirstPutThatNeverArrivedIsSettledAsNotCommitted() {
        WriteBatch batch = batch().putIfAbsent(bytes("x"), bytes("1")).build();

        assertThat(await(store().settle(batch))).isInstanceOf(CommitResult.Unavailable.class);
        assertThat(keys(KeyRange.ALL, FORWARD)).isEmpty();
    }

    @Test
    default void aRefusedBatchIsSettledAsNotCommitted() {
        put("x", "another");
        WriteBatch batch = step();
        assertThat(await(store().commit(batch))).isInstanceOf(CommitResult.Conflict.class);

        assertThat(await(store().settle(batch))).isInstanceOf(CommitResult.Unavailable.class);
        assertThat(get("x")).isEqualTo("another");
    }

    @Test
    default void theSameBatchCanBeSentAgainAfterItWasSettledAsNotCommitted() {
        put("x", "1");
        WriteBatch batch = step();
        assertThat(await(store().settle(batch))).isInstanceOf(CommitResult.Unavailable.class);

        assertThat(await(store().commit(batch))).isInstanceOf(CommitResult.Committed.class);
        assertThat(get("x")).isEqualTo("2");
        assertThat(await(store().settle(batch))).isInstanceOf(CommitResult.Committed.class);
    }

    @Test
    default void settlingTwiceAnswersTheSame() {
        put("x", "1");
        WriteBatch batch = step();
        assertThat(await(store().commit(batch))).isInstanceOf(CommitResult.Committed.class);

        assertThat(await(store().settle(batch))).isEqualTo(await(store().settle(batch)));
    }

    @Test
    default void aBatchWithoutAGuardedPutAsPrimaryCannotBeSettled() {
        for (WriteBatch.Builder batch :
                new WriteBatch.Builder[] {
                    batch().put(bytes("x"), bytes("1")),
                    batch().delete(bytes("x")),
                    batch().deleteIfCurrent(bytes("x"), bytes("1"))
                }) {
            WriteBatch built = batch.putIfAbsent(bytes("y"), bytes("1")).build();
            assertThatThrownBy(() -> store().settle(built))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
