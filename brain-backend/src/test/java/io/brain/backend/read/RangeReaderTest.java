package io.brain.backend.read;

import static io.brain.backend.read.Queries.ALL;
import static io.brain.backend.read.Queries.at;
import static io.brain.backend.read.Queries.counted;
import static io.brain.backend.read.Queries.key;
import static io.brain.backend.read.Queries.keys;
import static io.brain.backend.read.Queries.limited;
import static io.brain.backend.read.Queries.sorted;
import static io.brain.backend.read.Queries.span;
import static io.brain.backend.read.Queries.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.RevisionFilter;
import io.brain.backend.model.RangeQuery.SortOrder;
import io.brain.backend.model.RangeQuery.SortTarget;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.wire.KeyValue;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import io.brain.storage.testkit.MemoryStorage;
import java.util.List;
import java.util.TreeMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One test per rule of etcd's Range. */
class RangeReaderTest {
    private final MemoryStorage storage = new MemoryStorage();
    private final KeyCoder coder = new KeyCoder(Bytes.EMPTY);
    private final StoreWriter store = new StoreWriter(storage, coder);
    private final RangeReader reader = store.reader();

    @AfterEach
    void nothingStaysOpen() {
        storage.checkNoOpenSnapshots();
    }

    @Test
    void aFreshStoreIsAtRevisionOneAndEmpty() {
        OpResult.Range nothing = new OpResult.Range(1, List.of(), false, 0);
        assertThat(reader.read(RangeQuery.of(key("a")))).isEqualTo(nothing);
        assertThat(reader.read(RangeQuery.of(ALL))).isEqualTo(nothing);
    }

    @Test
    void storedBytesAreReturnedUnchanged() {
        store.put("a", "old", 3);
        store.put("a", "new", 7);
        Bytes kv = KeyValueCodec.encode(Bytes.utf8("a"), 2, 3, 2, Bytes.utf8("new"), 7);
        OpResult.Range answer = new OpResult.Range(3, List.of(kv), false, 1);
        assertThat(reader.read(RangeQuery.of(key("a")))).isEqualTo(answer);
        assertThat(reader.read(RangeQuery.of(ALL))).isEqualTo(answer);
    }

    @Test
    void anUncommittedRevisionIsAFutureRevision() {
        store.put("a", "1");
        assertFails(ErrorKind.FUTURE_REVISION, () -> reader.read(at(ALL, 3)));
        assertFails(ErrorKind.FUTURE_REVISION, () -> reader.read(at(key("a"), Long.MAX_VALUE)));
        assertFails(ErrorKind.FUTURE_REVISION, () -> reader.read(at(span("b", "a"), 3)));
        assertThat(reader.read(at(ALL, 2)).count()).isEqualTo(1);
    }

    @Test
    void aNegativeRevisionIsTheNewest() {
        store.put("a", "1");
        store.put("a", "2");
        store.compact(3);
        assertThat(values(reader.read(at(ALL, -5)))).containsExactly("2");
    }

    @Test
    void unpublishedChangesAreInvisible() {
        store.put("a", "1");
        store.put("b", "1");
        store.write().put(Bytes.utf8("a"), Bytes.utf8("2"), 0).delete(Bytes.utf8("b")).store();
        assertThat(values(reader.read(RangeQuery.of(ALL)))).containsExactly("1", "1");
        assertThat(values(reader.read(RangeQuery.of(key("a"))))).containsExactly("1");
        assertThat(reader.read(RangeQuery.of(key("b"))).revision()).isEqualTo(3);
    }

    @Test
    void theLimitSetsMoreAndTheCountIsOfAllKeys() {
        putLetters();
        OpResult.Range two = reader.read(limited(ALL, 2));
        assertThat(keys(two)).containsExactly("a", "b");
        assertThat(two.more()).isTrue();
        assertThat(two.count()).isEqualTo(4);
        OpResult.Range four = reader.read(limited(ALL, 4));
        assertThat(four.more()).isFalse();
        assertThat(keys(four)).hasSize(4);
    }

    @Test
    void aLimitOfZeroOrLessIsNoLimit() {
        putLetters();
        for (long limit : new long[] {0, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            OpResult.Range answer = reader.read(limited(ALL, limit));
            assertThat(keys(answer)).hasSize(4);
            assertThat(answer.more()).isFalse();
            RangeQuery byMod = sorted(ALL, SortTarget.MOD, SortOrder.NONE, limit);
            assertThat(keys(reader.read(byMod))).hasSize(4);
        }
    }

    @Test
    void anEmptyRangeIsNoError() {
        putLetters();
        OpResult.Range nothing = new OpResult.Range(5, List.of(), false, 0);
        assertThat(reader.read(RangeQuery.of(span("c", "b")))).isEqualTo(nothing);
        assertThat(reader.read(RangeQuery.of(span("c", "c")))).isEqualTo(nothing);
    }

    @Test
    void rangesExcludeTheirEnd() {
        putLetters();
        assertThat(keys(reader.read(RangeQuery.of(span("b", "d"))))).containsExactly("b", "c");
        assertThat(keys(reader.read(RangeQuery.of(span("b", "\0")))))
                .containsExactly("b", "c", "d");
        assertThat(keys(reader.read(RangeQuery.of(ALL)))).containsExactly("a", "b", "c", "d");
    }

    @Test
    void countOnlyIgnoresLimitAndFilters() {
        putLetters();
        RevisionFilter late = new RevisionFilter(4, 0, 0, 0);
        assertThat(reader.read(counted(ALL, 1, late)))
                .isEqualTo(new OpResult.Range(5, List.of(), false, 4));
        assertThat(reader.read(counted(key("b"), 0, late)).count()).isEqualTo(1);
        assertThat(reader.read(counted(key("x"), 0, late)).count()).isZero();
    }

    @Test
    void anOldRevisionShowsOldValuesUnderTheNewestHeader() {
        store.put("a", "1");
        store.put("a", "2");
        store.put("b", "1");
        store.delete("a");
        store.put("a", "3");
        assertThat(values(reader.read(at(ALL, 2)))).containsExactly("1");
        assertThat(values(reader.read(at(ALL, 3)))).containsExactly("2");
        assertThat(keys(reader.read(at(ALL, 4)))).containsExactly("a", "b");
        assertThat(keys(reader.read(at(ALL, 5)))).containsExactly("b");
        assertThat(reader.read(at(key("a"), 5)).kvs()).isEmpty();
        assertThat(values(reader.read(at(key("a"), 4)))).containsExactly("2");
        assertThat(reader.read(at(key("b"), 3)).kvs()).isEmpty();
        assertThat(reader.read(at(ALL, 2)).revision()).isEqualTo(6);
    }

    @Test
    void aRecreatedKeyStartsANewGeneration() {
        store.put("a", "1");
        store.delete("a");
        store.put("a", "2");
        KeyValue kv = KeyValue.decode(reader.read(RangeQuery.of(key("a"))).kvs().get(0));
        assertThat(kv.createRevision()).isEqualTo(4);
        assertThat(kv.modRevision()).isEqualTo(4);
        assertThat(kv.version()).isEqualTo(1);
    }

    @Test
    void theFloorIsReadableAndLowerRevisionsAreCompacted() {
        store.put("a", "1");
        store.put("a", "2");
        store.put("a", "3");
        store.compact(3);
        assertThat(values(reader.read(at(ALL, 3)))).containsExactly("2");
        assertFails(ErrorKind.COMPACTED, () -> reader.read(at(ALL, 2)));
        assertFails(ErrorKind.COMPACTED, () -> reader.read(at(key("a"), 2)));
        assertFails(ErrorKind.COMPACTED, () -> reader.read(at(span("b", "a"), 2)));
    }

    @Test
    void pagesAtOneRevisionDoNotSeeLaterChanges() {
        for (String key : List.of("/r/a", "/r/b", "/r/c", "/r/d", "/r/e")) {
            store.put(key, "1");
        }
        OpResult.Range first = reader.read(limited(span("/r/", "/r0"), 2));
        assertThat(first.count()).isEqualTo(5);
        assertThat(first.revision()).isEqualTo(6);
        store.put("/r/bb", "new");
        store.put("/r/c", "2");
        OpResult.Range second = reader.read(RangeQuery.at(span("/r/b\0", "/r0"), 6, 2));
        assertThat(keys(second)).containsExactly("/r/c", "/r/d");
        assertThat(values(second)).containsExactly("1", "1");
        assertThat(second.count()).isEqualTo(3);
        assertThat(second.more()).isTrue();
        assertThat(second.revision()).isEqualTo(8);
    }

    @Test
    void aKeyWithATombstoneDoesNotExist() {
        store.put("a", "1");
        store.delete("b");
        store.put("c", "1");
        store.raiseFloor(4);
        store.dropTombstone("b");
        assertThat(keys(reader.read(RangeQuery.of(ALL)))).containsExactly("a", "c");
        assertThat(reader.read(RangeQuery.of(key("b"))).count()).isZero();
        assertThat(reader.read(at(ALL, 4)).count()).isEqualTo(2);
    }

    @Test
    void aPinnedRangeIncludesTheTransactionsOwnChanges() {
        store.put("a", "1");
        store.put("b", "1");
        store.put("d", "1");
        TreeMap<Bytes, Bytes> overlay = new TreeMap<>();
        overlay.put(Bytes.utf8("a"), Bytes.EMPTY);
        overlay.put(Bytes.utf8("c"), store.newest(Bytes.utf8("d")));
        store.delete("b");
        OpResult.Range answer =
                reader.readPinned(
                        RangeQuery.of(ALL),
                        store.revisions().committed(),
                        1,
                        4,
                        overlay,
                        5,
                        ReadQuota.UNLIMITED);
        assertThat(answer.count()).isEqualTo(3);
        assertThat(answer.revision()).isEqualTo(5);
        assertThat(keys(answer)).containsExactly("b", "d", "d");
        RangeQuery one = limited(span("a", "c\0"), 1);
        assertThat(
                        reader.readPinned(
                                one,
                                store.revisions().committed(),
                                1,
                                4,
                                overlay,
                                5,
                                ReadQuota.UNLIMITED))
                .isEqualTo(new OpResult.Range(5, List.of(answer.kvs().get(0)), true, 2));
    }

    @Test
    void aPinnedRangeIsReadableBelowTheFloor() {
        store.put("a", "1");
        store.put("b", "1");
        store.raiseFloor(3);
        OpResult.Range answer =
                reader.readPinned(
                        RangeQuery.of(ALL),
                        store.revisions().committed(),
                        1,
                        2,
                        new TreeMap<>(),
                        3,
                        ReadQuota.UNLIMITED);
        assertThat(keys(answer)).containsExactly("a");
    }

    private void putLetters() {
        for (String key : List.of("a", "b", "c", "d")) {
            store.put(key, "value of " + key);
        }
    }

    private static void assertFails(ErrorKind kind, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.kind()).isEqualTo(kind));
    }
}
