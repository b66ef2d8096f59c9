package io.brain.storage.testkit;

import static io.brain.storage.Cursor.Direction.FORWARD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.KeyRange;
import io.brain.storage.WriteBatch;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Every kind of mutation, guards, atomicity, and the order of timestamps. */
interface CommitContract extends StoreUnderTest {
    /** Commits {@code batch}, which must conflict. */
    private CommitResult.Conflict conflict(WriteBatch.Builder batch) {
        CommitResult end = await(store().commit(batch.build()));
        assertThat(end).isInstanceOf(CommitResult.Conflict.class);
        return (CommitResult.Conflict) end;
    }

    @Test
    default void putStoresAndOverwrites() {
        put("k", "1");
        assertThat(get("k")).isEqualTo("1");
        put("k", "two");
        assertThat(get("k")).isEqualTo("two");
    }

    @Test
    default void deleteRemovesAndMayMeetNothing() {
        put("k", "1");
        commit(batch().delete(bytes("k")).delete(bytes("never there")));
        assertThat(get("k")).isNull();
        commit(batch().delete(bytes("k")));
        assertThat(get("k")).isNull();
    }

    @Test
    default void putIfAbsentStoresWhereNothingIs() {
        commit(batch().putIfAbsent(bytes("k"), bytes("1")));
        assertThat(get("k")).isEqualTo("1");
    }

    @Test
    default void putIfAbsentStoresWhereSomethingWas() {
        put("k", "1");
        commit(batch().delete(bytes("k")));
        commit(batch().putIfAbsent(bytes("k"), bytes("2")));
        assertThat(get("k")).isEqualTo("2");
    }

    @Test
    default void putIfAbsentConflictsWithWhatIsThere() {
        put("k", "1");
        assertThat(conflict(batch().putIfAbsent(bytes("k"), bytes("2"))))
                .isEqualTo(new CommitResult.Conflict(bytes("k"), Optional.of(bytes("1"))));
        assertThat(get("k")).isEqualTo("1");
    }

    @Test
    default void compareAndSetReplacesWhatItExpects() {
        put("k", "1");
        commit(batch().compareAndSet(bytes("k"), bytes("1"), bytes("2")));
        assertThat(get("k")).isEqualTo("2");
    }

    @Test
    default void compareAndSetConflictsWithAnotherValue() {
        put("k", "1");
        assertThat(conflict(batch().compareAndSet(bytes("k"), bytes("0"), bytes("2"))))
                .isEqualTo(new CommitResult.Conflict(bytes("k"), Optional.of(bytes("1"))));
        assertThat(get("k")).isEqualTo("1");
    }

    @Test
    default void compareAndSetConflictsWithNothing() {
        assertThat(conflict(batch().compareAndSet(bytes("k"), bytes("0"), bytes("2"))))
                .isEqualTo(new CommitResult.Conflict(bytes("k"), Optional.empty()));
        assertThat(get("k")).isNull();
    }

    @Test
    default void compareAndSetComparesAllOfTheValue() {
        put("k", "abc");
        for (String near : new String[] {"ab", "abcd", "abC", "abc\0", "Abc"}) {
            assertThat(
                            conflict(batch().compareAndSet(bytes("k"), bytes(near), bytes("x")))
                                    .actual())
                    .contains(bytes("abc"));
        }
    }

    @Test
    default void compareAndSetMayStoreTheSameValueAgain() {
        put("k", "1");
        commit(batch().compareAndSet(bytes("k"), bytes("1"), bytes("1")));
        assertThat(get("k")).isEqualTo("1");
    }

    @Test
    default void deleteIfCurrentRemovesWhatItExpects() {
        put("k", "1");
        commit(batch().deleteIfCurrent(bytes("k"), bytes("1")));
        assertThat(get("k")).isNull();
    }

    @Test
    default void deleteIfCurrentConflictsWithAnotherValueAndWithNothing() {
        put("k", "1");
        assertThat(conflict(batch().deleteIfCurrent(bytes("k"), bytes("0"))))
                .isEqualTo(new CommitResult.Conflict(bytes("k"), Optional.of(bytes("1"))));
        assertThat(conflict(batch().deleteIfCurrent(bytes("absent"), bytes("0"))))
                .isEqualTo(new CommitResult.Conflict(bytes("absent"), Optional.empty()));
        assertThat(get("k")).isEqualTo("1");
    }

    @Test
    default void aBatchOfEveryKindTakesEffectTogether() {
        putAll("b", "c", "d");

        commit(
                batch().putIfAbsent(bytes("a"), bytes("1"))
                        .compareAndSet(bytes("b"), bytes("of b"), bytes("2"))
                        .put(bytes("e"), bytes("3"))
                        .delete(bytes("c"))
                        .deleteIfCurrent(bytes("d"), bytes("of d")));

        assertThat(keys(KeyRange.ALL, FORWARD)).containsExactly("a", "b", "e");
        assertThat(get("b")).isEqualTo("2");
    }

    @Test
    default void oneGuardThatFailsRefusesTheWholeBatchWhereverItStands() {
        putAll("x", "y");
        for (int at = 0; at < 3; at++) {
            WriteBatch.Builder batch = batch();
            for (int i = 0; i < 3; i++) {
                if (i == at) {
                    batch.putIfAbsent(bytes("x"), bytes("taken"));
                }
                batch.put(bytes("new " + i), bytes("1"));
            }
            batch.delete(bytes("y"));

            assertThat(conflict(batch).key()).isEqualTo(bytes("x"));
            assertThat(keys(KeyRange.ALL, FORWARD)).containsExactly("x", "y");
            assertThat(get("x")).isEqualTo("of x");
        }
    }

    @Test
    default void aConflictNamesOneOfTheGuardsThatFailed() {
        putAll("x", "y", "z");
        CommitResult.Conflict conflict =
                conflict(
                        batch().compareAndSet(bytes("x"), bytes("of x"), bytes("1"))
                                .putIfAbsent(bytes("y"), bytes("1"))
                                .deleteIfCurrent(bytes("z"), bytes("1")));

        assertThat(conflict.key()).isIn(bytes("y"), bytes("z"));
        assertThat(conflict.actual()).contains(bytes("of ").concat(conflict.key()));
        assertThat(get("x")).isEqualTo("of x");
    }

    @Test
    default void aRefusedBatchCanBeSentAgainOnceItsGuardsHold() {
        put("k", "1");
        WriteBatch batch = batch().compareAndSet(bytes("k"), bytes("2"), bytes("3")).build();
        assertThat(await(store().commit(batch))).isInstanceOf(CommitResult.Conflict.class);
        put("k", "2");
        assertThat(await(store().commit(batch))).isInstanceOf(CommitResult.Committed.class);
        assertThat(get("k")).isEqualTo("3");
    }

    @Test
    default void aBatchMayHaveManyMutations() {
        WriteBatch.Builder batch = batch();
        for (int i = 0; i < 20_000; i++) {
            batch.put(bytes("key " + i), bytes("value " + i));
        }
        commit(batch);
        assertThat(keys(KeyRange.ALL, FORWARD)).hasSize(20_000);
        assertThat(get("key 19999")).isEqualTo("value 19999");
    }

    @Test
    default void emptyKeysAndValuesAndBatchesAreRefusedWhenBuilt() {
        Bytes empty = Bytes.EMPTY;
        Bytes some = bytes("1");
        assertThatThrownBy(() -> batch().put(some, empty))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> batch().putIfAbsent(some, empty))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> batch().compareAndSet(some, some, empty))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> batch().put(empty, some))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> batch().delete(empty))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> batch().build()).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    default void laterCommitsHaveGreaterTimestamps() {
        long last = 0;
        for (int i = 0; i < 50; i++) {
            long timestamp = commit(batch().put(bytes("k"), bytes("v" + i)));
            assertThat(timestamp).isGreaterThan(last);
            last = timestamp;
        }
    }

    @Test
    default void theClockStandsBetweenTheCommitsBeforeAndAfter() {
        long before = put("k", "1");
        long clock = store().timestamp();
        long after = put("k", "2");

        assertThat(clock).isGreaterThanOrEqualTo(before).isLessThan(after);
        assertThat(store().timestamp()).isGreaterThanOrEqualTo(after);
    }

    @Test
    default void theClockNeverGoesBack() {
        long last = store().timestamp();
        for (int i = 0; i < 20; i++) {
            conflict(batch().compareAndSet(bytes("absent"), bytes("1"), bytes("2")));
            long now = store().timestamp();
            assertThat(now).isGreaterThanOrEqualTo(last);
            last = now;
        }
    }

    @Test
    default void workHungOnACommitMayStartTheNext() {
        CompletableFuture<Integer> done = new CompletableFuture<>();
        commitInTurn(0, 50, done);

        assertThat(done.orTimeout(60, TimeUnit.SECONDS).join()).isEqualTo(50);
        assertThat(keys(KeyRange.ALL, FORWARD)).hasSize(50);
    }

    private void commitInTurn(int turn, int turns, CompletableFuture<Integer> done) {
        if (turn == turns) {
            done.complete(turn);
            return;
        }
        store().commit(batch().putIfAbsent(bytes("turn " + turn), bytes("1")).build())
                .whenComplete(
                        (end, failure) -> {
                            if (end instanceof CommitResult.Committed) {
                                commitInTurn(turn + 1, turns, done);
                            } else {
                                done.completeExceptionally(new AssertionError("" + end, failure));
                            }
                        });
    }
}
