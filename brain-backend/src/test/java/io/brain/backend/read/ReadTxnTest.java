package io.brain.backend.read;

import static io.brain.backend.read.Queries.ALL;
import static io.brain.backend.read.Queries.at;
import static io.brain.backend.read.Queries.key;
import static io.brain.backend.read.Queries.span;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.Compare;
import io.brain.backend.model.Compare.Relation;
import io.brain.backend.model.Compare.Target;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Txn;
import io.brain.backend.store.KeyCoder;
import io.brain.storage.Bytes;
import io.brain.storage.testkit.MemoryStorage;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReadTxnTest {
    private final MemoryStorage storage = new MemoryStorage();
    private final StoreWriter store = new StoreWriter(storage, new KeyCoder(Bytes.EMPTY));
    private final RangeReader reader = store.reader();

    @AfterEach
    void nothingStaysOpen() {
        storage.checkNoOpenSnapshots();
    }

    @Test
    void anEmptyTransactionSucceedsAtTheNewestRevision() {
        store.put("a", "1");
        Txn empty = new Txn(List.of(), List.of(), List.of());
        assertThat(reader.readTxn(empty)).isEqualTo(new OpResult.Txn(2, true, List.of()));
    }

    @Test
    void theBranchThatRunsIsChosenByAllCompares() {
        store.put("a", "1");
        Compare yes = number(key("a"), Target.VERSION, Relation.EQUAL, 1);
        Compare no = number(key("a"), Target.VERSION, Relation.EQUAL, 2);
        List<Op> success = ranges(RangeQuery.of(key("a")));
        List<Op> failure = ranges();
        assertThat(reader.readTxn(new Txn(List.of(yes, yes), success, failure)).results())
                .containsExactly(reader.read(RangeQuery.of(key("a"))));
        OpResult.Txn failed = reader.readTxn(new Txn(List.of(yes, no), success, failure));
        assertThat(failed).isEqualTo(new OpResult.Txn(2, false, List.of()));
    }

    @Test
    void everyHeaderShowsTheNewestRevision() {
        store.put("a", "1");
        store.put("a", "2");
        OpResult.Txn answer = reader.readTxn(txn(at(ALL, 2), RangeQuery.of(ALL)));
        assertThat(answer.revision()).isEqualTo(3);
        assertThat(answer.results()).extracting(OpResult::revision).containsExactly(3L, 3L);
    }

    @Test
    void aRangesRevisionIsTakenAsItIs() {
        store.put("a", "1");
        assertThat(reader.readTxn(txn(at(ALL, -1))).results()).hasSize(1);
        assertFails(ErrorKind.COMPACTED, txn(at(ALL, -5)));
        assertFails(ErrorKind.FUTURE_REVISION, txn(at(ALL, 3)));
        store.put("a", "2");
        store.compact(3);
        assertFails(ErrorKind.COMPACTED, txn(at(ALL, -1)));
        assertFails(ErrorKind.COMPACTED, txn(at(ALL, 2)));
        assertThat(reader.readTxn(txn(at(ALL, 3), at(ALL, 0))).results()).hasSize(2);
    }

    @Test
    void theBranchThatDoesNotRunIsNotChecked() {
        List<Op> future = ranges(at(ALL, 99));
        assertThat(reader.readTxn(new Txn(List.of(), List.of(), future)).succeeded()).isTrue();
    }

    @Test
    void aMissingKeyComparesAsZerosAndNeverAsAValue() {
        assertThat(holds(number(key("x"), Target.MOD, Relation.EQUAL, 0))).isTrue();
        assertThat(holds(number(key("x"), Target.LEASE, Relation.EQUAL, 0))).isTrue();
        assertThat(holds(number(key("x"), Target.VERSION, Relation.LESS, 1))).isTrue();
        assertThat(holds(value(key("x"), Relation.EQUAL, ""))).isFalse();
        assertThat(holds(value(key("x"), Relation.NOT_EQUAL, "y"))).isFalse();
        assertThat(holds(value(key("x"), Relation.UNKNOWN, "y"))).isFalse();
    }

    @Test
    void everyKeyOfASpanMustSatisfyACompare() {
        store.put("a", "1");
        store.put("b", "1");
        assertThat(holds(value(ALL, Relation.EQUAL, "1"))).isTrue();
        store.put("c", "2");
        assertThat(holds(value(ALL, Relation.EQUAL, "1"))).isFalse();
        assertThat(holds(value(span("a", "c"), Relation.EQUAL, "1"))).isTrue();
        assertThat(holds(number(ALL, Target.CREATE, Relation.GREATER, 2))).isFalse();
    }

    @Test
    void anEmptySpanComparesAsAMissingKey() {
        store.put("a", "1");
        assertThat(holds(number(span("c", "b"), Target.CREATE, Relation.EQUAL, 0))).isTrue();
        assertThat(holds(number(span("b", "c"), Target.CREATE, Relation.GREATER, 0))).isFalse();
        assertThat(holds(value(span("b", "c"), Relation.NOT_EQUAL, "x"))).isFalse();
    }

    @Test
    void unknownTargetsCompareZeroAndUnknownRelationsHold() {
        store.put("a", "1");
        assertThat(holds(number(key("a"), Target.UNKNOWN, Relation.EQUAL, 7))).isTrue();
        assertThat(holds(number(key("a"), Target.UNKNOWN, Relation.GREATER, -7))).isFalse();
        assertThat(holds(number(key("a"), Target.MOD, Relation.UNKNOWN, 77))).isTrue();
    }

    private boolean holds(Compare compare) {
        return reader.readTxn(new Txn(List.of(compare), List.of(), List.of())).succeeded();
    }

    private static Compare number(KeySpan span, Target target, Relation relation, long number) {
        return new Compare(span, target, relation, number, Bytes.EMPTY);
    }

    private static Compare value(KeySpan span, Relation relation, String value) {
        return new Compare(span, Target.VALUE, relation, 0, Bytes.utf8(value));
    }

    private static Txn txn(RangeQuery... queries) {
        return new Txn(List.of(), ranges(queries), List.of());
    }

    private static List<Op> ranges(RangeQuery... queries) {
        return List.of(queries).stream().<Op>map(Op.Range::new).toList();
    }

    private void assertFails(ErrorKind kind, Txn txn) {
        assertThatThrownBy(() -> reader.readTxn(txn))
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.kind()).isEqualTo(kind));
    }
}
