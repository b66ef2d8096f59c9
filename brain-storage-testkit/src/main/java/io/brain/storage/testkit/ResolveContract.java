package io.brain.storage.testkit;

import static io.brain.storage.Cursor.Direction.FORWARD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.CommitResult;
import io.brain.storage.KeyRange;
import io.brain.storage.WriteBatch;
import org.junit.jupiter.api.Test;

/** Resolving uncertain commits. */
interface ResolveContract extends StoreUnderTest {
    /** A batch that {@link io.brain.storage.KvStorage#resolve} can resolve, once x is "1". */
    private WriteBatch step() {
        return batch().compareAndSet(bytes("x"), bytes("1"), bytes("2"))
                .put(bytes("y"), bytes("2"))
                .build();
    }

    @Test
    default void aLandedBatchIsResolvedAsCommitted() {
        put("x", "1");
        WriteBatch batch = step();
        CommitResult.Committed committed = (CommitResult.Committed) await(store().commit(batch));

        CommitResult resolved = await(store().resolve(batch));

        assertThat(resolved).isInstanceOf(CommitResult.Committed.class);
        assertThat(((CommitResult.Committed) resolved).timestamp())
                .isBetween(committed.timestamp(), store().timestamp());
        assertThat(get("y")).isEqualTo("2");
    }

    @Test
    default void aLandedFirstPutIsResolvedAsCommitted() {
        WriteBatch batch = batch().putIfAbsent(bytes("x"), bytes("1")).build();
        commit(batch().put(bytes("other"), bytes("1")));
        assertThat(await(store().commit(batch))).isInstanceOf(CommitResult.Committed.class);

        assertThat(await(store().resolve(batch))).isInstanceOf(CommitResult.Committed.class);
    }

    @Test
    default void aBatchThatNeverArrivedIsResolvedAsNotCommitted() {
        put("x", "1");

        assertThat(await(store().resolve(step()))).isInstanceOf(CommitResult.Unavailable.class);
        assertThat(get("x")).isEqualTo("1");
        assertThat(get("y")).isNull();
    }

    @Test
    default void aFirstPutThatNeverArrivedIsResolvedAsNotCommitted() {
        WriteBatch batch = batch().putIfAbsent(bytes("x"), bytes("1")).build();

        assertThat(await(store().resolve(batch))).isInstanceOf(CommitResult.Unavailable.class);
        assertThat(keys(KeyRange.ALL, FORWARD)).isEmpty();
    }

    @Test
    default void aRefusedBatchIsResolvedAsNotCommitted() {
        put("x", "another");
        WriteBatch batch = step();
        assertThat(await(store().commit(batch))).isInstanceOf(CommitResult.Conflict.class);

        assertThat(await(store().resolve(batch))).isInstanceOf(CommitResult.Unavailable.class);
        assertThat(get("x")).isEqualTo("another");
    }

    @Test
    default void theSameBatchCanBeSentAgainAfterItWasResolvedAsNotCommitted() {
        put("x", "1");
        WriteBatch batch = step();
        assertThat(await(store().resolve(batch))).isInstanceOf(CommitResult.Unavailable.class);

        assertThat(await(store().commit(batch))).isInstanceOf(CommitResult.Committed.class);
        assertThat(get("x")).isEqualTo("2");
        assertThat(await(store().resolve(batch))).isInstanceOf(CommitResult.Committed.class);
    }

    @Test
    default void resolvingTwiceAnswersTheSame() {
        put("x", "1");
        WriteBatch batch = step();
        assertThat(await(store().commit(batch))).isInstanceOf(CommitResult.Committed.class);

        for (int i = 0; i < 2; i++) {
            assertThat(await(store().resolve(batch))).isInstanceOf(CommitResult.Committed.class);
        }
    }

    @Test
    default void aBatchWithoutAGuardedPutAsPrimaryCannotBeResolved() {
        for (WriteBatch.Builder batch :
                new WriteBatch.Builder[] {
                    batch().put(bytes("x"), bytes("1")),
                    batch().delete(bytes("x")),
                    batch().deleteIfCurrent(bytes("x"), bytes("1"))
                }) {
            WriteBatch built = batch.putIfAbsent(bytes("y"), bytes("1")).build();
            assertThatThrownBy(() -> store().resolve(built))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
