package io.brain.backend.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.Compare;
import io.brain.backend.model.Compare.Relation;
import io.brain.backend.model.Compare.Target;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.RevisionFilter;
import io.brain.backend.model.RangeQuery.SortOrder;
import io.brain.backend.model.RangeQuery.SortTarget;
import io.brain.backend.model.Txn;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.store.CompactRecord;
import io.brain.backend.store.Pins;
import io.brain.backend.txn.Proposal.Answer;
import io.brain.backend.txn.TxnAnswer;
import io.brain.backend.txn.TxnEvaluator;
import io.brain.backend.txn.TxnProposal;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import io.brain.storage.testkit.Fault;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The numbers in brackets are those of the numbered cases in etcd's behaviour. */
class TxnEvaluatorTest {
    private static final Bytes EMPTY = Bytes.EMPTY;

    private final WriteFixture fixture = new WriteFixture();
    private final Pins pins = new Pins();
    private final Set<Long> leases = Set.of(7L, 8L);
    private final TxnEvaluator evaluator = new TxnEvaluator(leases::contains, pins, fixture.coder);

    @AfterEach
    void nothingIsPinned() {
        fixture.memory.checkNoOpenSnapshots();
        assertThat(pins.lowest()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void anEmptyTransactionSucceedsAndTakesNoRevision() {
        OpResult.Txn result = run(txn(List.of(), List.of(), List.of()));
        assertThat(result).isEqualTo(new OpResult.Txn(1, true, List.of()));
    }

    @Test
    void aFailedCompareWithoutElseTakesNoRevision() {
        run(put("a", "1"));
        Txn txn =
                txn(
                        List.of(number("a", Target.MOD, Relation.EQUAL, 0)),
                        List.of(putOp("a", "2")),
                        List.of());
        assertThat(run(txn)).isEqualTo(new OpResult.Txn(2, false, List.of()));
    }

    @Test
    void aDeleteOfNothingHasTheOldRevisionUntilTheFirstChange() {
        OpResult.Txn result =
                run(
                        txn(
                                List.of(),
                                List.of(deleteOp("x"), putOp("a", "1"), deleteOp("y")),
                                List.of()));
        assertThat(result.results()).extracting(OpResult::revision).containsExactly(1L, 2L, 2L);
        assertThat(result.revision()).isEqualTo(2);
        assertThat(run(Txn.of(deleteOp("x"))))
                .isEqualTo(
                        new OpResult.Txn(2, true, List.of(new OpResult.Delete(2, 0, List.of()))));
    }

    @Test
    void rangesSeeEarlierOperationsOfTheirTransaction() {
        run(put("a", "1"));
        Op all = new Op.Range(RangeQuery.of(KeySpan.ALL));
        OpResult.Txn result =
                run(
                        txn(
                                List.of(),
                                List.of(all, putOp("b", "2"), all, deleteOp("a"), all),
                                List.of()));
        assertThat(keys(result, 0)).containsExactly("a");
        assertThat(keys(result, 2)).containsExactly("a", "b");
        assertThat(keys(result, 4)).containsExactly("b");
        assertThat(result.results())
                .extracting(OpResult::revision)
                .containsExactly(2L, 3L, 3L, 3L, 3L);
    }

    @Test
    void aRangeAtTheRevisionBeforeSeesTheStateBefore() {
        run(put("a", "1"));
        Op before = new Op.Range(RangeQuery.at(KeySpan.ALL, 2, 0));
        OpResult.Txn result = run(txn(List.of(), List.of(putOp("b", "2"), before), List.of()));
        assertThat(keys(result, 1)).containsExactly("a");
    }

    @Test
    void aSingleKeyInMemoryIsReadDuringEvaluation() {
        run(put("a", "1"));
        fixture.world.readers().limit(0);
        Compare absent = number("none", Target.VERSION, Relation.EQUAL, 0);
        List<Op> steps = List.of(putOp("a", "2"), getOp("a"), getOp("none"));
        OpResult.Txn result = run(txn(List.of(absent), steps, List.of()));
        KeyValue kv = KeyValue.decode(((OpResult.Range) result.results().get(1)).kvs().get(0));
        assertThat(kv.value()).isEqualTo(Bytes.utf8("2"));
        assertThat(result.results().get(2)).isEqualTo(new OpResult.Range(3, List.of(), false, 0));
    }

    @Test
    void aSingleKeyThatIsNotInMemoryIsReadAfterTheCommit() {
        Txn txn = txn(List.of(), List.of(putOp("a", "2"), getOp("none")), List.of());
        var answer = fixture.submit(proposal(txn));
        for (int i = 0; i < 10; i++) {
            fixture.evaluate();
            fixture.world.engine().runAll();
        }
        assertThat(fixture.stored().value("a")).isEqualTo("2");
        assertThat(answer).isNotDone();
        fixture.run();
        assertThat(answer.join().results().get(1))
                .isEqualTo(new OpResult.Range(2, List.of(), false, 0));
    }

    @Test
    void aSingleKeyHonoursFiltersCountOnlyAndKeysOnly() {
        run(
                txn(
                        List.of(),
                        List.of(new Op.Put(key("a"), key("1"), 7, false, false, false)),
                        List.of()));
        OpResult.Txn result =
                run(
                        txn(
                                List.of(),
                                List.of(
                                        single(
                                                SortTarget.KEY,
                                                false,
                                                true,
                                                new RevisionFilter(3, 0, 0, 0)),
                                        single(
                                                SortTarget.KEY,
                                                true,
                                                false,
                                                new RevisionFilter(3, 0, 0, 0)),
                                        single(SortTarget.KEY, true, false, RevisionFilter.NONE),
                                        single(SortTarget.VALUE, true, false, RevisionFilter.NONE)),
                                List.of()));
        assertThat(result.results().get(0)).isEqualTo(new OpResult.Range(2, List.of(), false, 1));
        assertThat(result.results().get(1)).isEqualTo(new OpResult.Range(2, List.of(), false, 1));
        KeyValue bare = KeyValue.decode(((OpResult.Range) result.results().get(2)).kvs().get(0));
        assertThat(bare.valueLength()).isZero();
        assertThat(bare.lease()).isZero();
        KeyValue leased = KeyValue.decode(((OpResult.Range) result.results().get(3)).kvs().get(0));
        assertThat(leased.lease()).isEqualTo(7);
    }

    @Test
    void aRangeAtAFutureOrCompactedRevisionFailsBeforeAnyChange() {
        run(put("a", "1"));
        Op future = new Op.Range(RangeQuery.at(KeySpan.ALL, 3, 0));
        assertThat(errorOf(txn(List.of(), List.of(putOp("b", "1"), future), List.of())))
                .isEqualTo(ErrorKind.FUTURE_REVISION);
        assertThat(run(txn(List.of(), List.of(getAt("a", -1)), List.of())).revision()).isEqualTo(2);
        assertThat(errorOf(txn(List.of(), List.of(getAt("a", -5)), List.of())))
                .isEqualTo(ErrorKind.COMPACTED);
        compactTo(2);
        assertThat(errorOf(txn(List.of(), List.of(getAt("a", 1)), List.of())))
                .isEqualTo(ErrorKind.COMPACTED);
        assertThat(run(txn(List.of(), List.of(getAt("a", 2)), List.of())).revision()).isEqualTo(2);
        assertThat(fixture.stored().fence.revision()).isEqualTo(2);
    }

    @Test
    void anUncommittedCompactionCounts() {
        run(put("a", "1"));
        var compaction =
                fixture.submit(
                        context -> {
                            context.putRecord(
                                    fixture.coder.compactKey(), new CompactRecord(2, -1).encode());
                            return Answer.of(null);
                        });
        assertThat(errorOf(txn(List.of(), List.of(getAt("a", 1)), List.of())))
                .isEqualTo(ErrorKind.COMPACTED);
        assertThat(compaction).isCompleted();
    }

    @Test
    void untakenBranchesAreNotChecked() {
        Op future = new Op.Range(RangeQuery.at(KeySpan.ALL, 99, 0));
        assertThat(run(txn(List.of(), List.of(putOp("a", "1")), List.of(future))).revision())
                .isEqualTo(2);
    }

    @Test
    void aRefusedPutFailsTheTransaction() {
        Op badLease = new Op.Put(key("b"), key("1"), 99, false, false, false);
        assertThat(errorOf(txn(List.of(), List.of(putOp("a", "1"), badLease), List.of())))
                .isEqualTo(ErrorKind.LEASE_NOT_FOUND);
        Op both = new Op.Put(key("b"), EMPTY, 99, false, true, false);
        assertThat(errorOf(Txn.of(both))).isEqualTo(ErrorKind.LEASE_NOT_FOUND);
        Op missing = new Op.Put(key("b"), EMPTY, 7, false, true, false);
        assertThat(errorOf(Txn.of(missing))).isEqualTo(ErrorKind.KEY_NOT_FOUND);
        assertThat(errorOf(txn(List.of(), List.of(putOp("b", "1"), missing), List.of())))
                .as("checked before the transaction")
                .isEqualTo(ErrorKind.KEY_NOT_FOUND);
        assertThat(fixture.stored().keys).isEmpty();
    }

    @Test
    void anIgnoredValueOrLeaseIsKept() {
        run(Txn.of(new Op.Put(key("a"), key("1"), 7, false, false, false)));
        run(Txn.of(new Op.Put(key("a"), EMPTY, 0, false, true, false)));
        assertThat(fixture.stored().kv("a").lease()).isZero();
        assertThat(fixture.stored().value("a")).isEqualTo("1");
        run(Txn.of(new Op.Put(key("a"), EMPTY, 8, false, true, false)));
        run(Txn.of(new Op.Put(key("a"), key("2"), 0, false, false, true)));
        assertThat(fixture.stored().kv("a").lease()).isEqualTo(8);
        assertThat(fixture.stored().value("a")).isEqualTo("2");
        assertThat(fixture.stored().kv("a").version()).isEqualTo(4);
        assertThat(fixture.stored().attachments)
                .containsExactly(fixture.coder.attachments().key(8, key("a")));
    }

    @Test
    void aKeyDeletedByAnEarlierOperationHasNoValueToKeep() {
        run(put("a", "1"));
        Op fromA = new Op.Delete(new KeySpan(key("a"), null, false), false);
        Op keep = new Op.Put(key("a"), EMPTY, 0, false, true, false);
        assertThat(errorOf(txn(List.of(), List.of(fromA, keep), List.of())))
                .isEqualTo(ErrorKind.KEY_NOT_FOUND);
        assertThat(fixture.stored().value("a")).isEqualTo("1");
    }

    @Test
    void prevKvIsTheStateBeforeTheOperation() {
        OpResult.Txn first = run(Txn.of(new Op.Put(key("a"), key("1"), 0, true, false, false)));
        assertThat(((OpResult.Put) first.results().get(0)).prevKv()).isNull();
        OpResult.Txn second = run(Txn.of(new Op.Put(key("a"), key("2"), 0, true, false, false)));
        KeyValue prev = KeyValue.decode(((OpResult.Put) second.results().get(0)).prevKv());
        assertThat(prev.value()).isEqualTo(key("1"));
        run(put("b", "1"));
        OpResult.Txn deleted = run(Txn.of(new Op.Delete(KeySpan.ALL, true)));
        OpResult.Delete delete = (OpResult.Delete) deleted.results().get(0);
        assertThat(delete.deleted()).isEqualTo(2);
        assertThat(delete.revision()).isEqualTo(5);
        assertThat(delete.prevKvs())
                .extracting(kv -> KeyValue.decode(kv).key().toString())
                .containsExactly("a", "b");
    }

    @Test
    void overlappingDeletesCountEachKeyOnce() {
        run(put("a", "1"));
        run(put("b", "1"));
        OpResult.Txn result =
                run(
                        txn(
                                List.of(),
                                List.of(deleteOp("a"), new Op.Delete(KeySpan.ALL, false)),
                                List.of()));
        assertThat(((OpResult.Delete) result.results().get(1)).deleted()).isEqualTo(1);
        assertThat(fixture.events.get(2).events()).hasSize(2);
    }

    @Test
    void aPutThatIsDeletedInTheSameTransactionIsTwoEventsOfOneRevision() {
        Op fromX = new Op.Delete(new KeySpan(key("x"), null, false), false);
        run(txn(List.of(), List.of(putOp("x", "1"), fromX), List.of()));
        assertThat(fixture.watchEvents())
                .extracting(WatchEvent::isDelete)
                .containsExactly(false, true);
        assertThat(fixture.watchEvents()).extracting(WatchEvent::prevKv).containsOnlyNulls();
        assertThat(fixture.stored().kv("x")).isNull();
    }

    @Test
    void aKeyDeletedAndPutInOneTransactionIsCreatedAgain() {
        run(put("x", "1"));
        run(put("x", "2"));
        Op fromX = new Op.Delete(new KeySpan(key("x"), null, false), false);
        run(txn(List.of(), List.of(fromX, putOp("x", "3")), List.of()));
        KeyValue kv = fixture.stored().kv("x");
        assertThat(kv.version()).isEqualTo(1);
        assertThat(kv.createRevision()).isEqualTo(4);
        List<WatchEvent> events = fixture.events.get(2).events();
        assertThat(KeyValue.decode(events.get(0).prevKv()).value()).isEqualTo(key("2"));
        assertThat(events.get(1).prevKv()).isNull();
    }

    @Test
    void nestedComparesSeeTheStateBeforeTheOuterTransaction() {
        Txn nested =
                txn(
                        List.of(number("n", Target.VERSION, Relation.EQUAL, 0)),
                        List.of(putOp("m", "yes")),
                        List.of(putOp("m", "no")));
        OpResult.Txn result =
                run(
                        txn(
                                List.of(),
                                List.of(putOp("n", "1"), new Op.Nested(nested), getOp("m")),
                                List.of()));
        assertThat(((OpResult.Txn) result.results().get(1)).succeeded()).isTrue();
        assertThat(fixture.stored().value("m")).isEqualTo("yes");
        assertThat(((OpResult.Range) result.results().get(2)).count()).isEqualTo(1);
    }

    @Test
    void eachNestedTransactionTakesItsOwnBranch() {
        Compare no = number("none", Target.VERSION, Relation.GREATER, 0);
        Compare yes = number("none", Target.VERSION, Relation.EQUAL, 0);
        Txn inner = txn(List.of(no), List.of(putOp("a", "then")), List.of(putOp("a", "else")));
        Txn first = txn(List.of(yes), List.of(new Op.Nested(inner)), List.of());
        Txn second = txn(List.of(no), List.of(putOp("b", "then")), List.of(putOp("b", "else")));
        Txn third = txn(List.of(yes), List.of(putOp("c", "then")), List.of(putOp("c", "else")));
        Txn skipped = txn(List.of(yes), List.of(new Op.Nested(second)), List.of());
        run(
                txn(
                        List.of(yes),
                        List.of(new Op.Nested(first), new Op.Nested(second), new Op.Nested(third)),
                        List.of(new Op.Nested(skipped))));
        StoredState stored = fixture.stored();
        assertThat(stored.value("a")).isEqualTo("else");
        assertThat(stored.value("b")).isEqualTo("else");
        assertThat(stored.value("c")).isEqualTo("then");
    }

    @Test
    void missingKeysCompareAsZeroAndHaveNoValue() {
        assertThat(holds(number("x", Target.MOD, Relation.EQUAL, 0))).isTrue();
        assertThat(holds(number("x", Target.LEASE, Relation.EQUAL, 0))).isTrue();
        assertThat(holds(number("x", Target.VERSION, Relation.LESS, 1))).isTrue();
        assertThat(holds(value("x", Relation.EQUAL, ""))).isFalse();
        assertThat(holds(value("x", Relation.NOT_EQUAL, "y"))).isFalse();
    }

    @Test
    void everyTargetComparesWithTheKeysProperty() {
        run(put("a", "0"));
        run(Txn.of(new Op.Put(key("a"), key("1"), 7, false, false, false)));
        assertThat(holds(number("a", Target.VERSION, Relation.EQUAL, 2))).isTrue();
        assertThat(holds(number("a", Target.CREATE, Relation.EQUAL, 2))).isTrue();
        assertThat(holds(number("a", Target.MOD, Relation.EQUAL, 3))).isTrue();
        assertThat(holds(number("a", Target.LEASE, Relation.EQUAL, 7))).isTrue();
        assertThat(holds(number("a", Target.MOD, Relation.GREATER, 2))).isTrue();
        assertThat(holds(number("a", Target.MOD, Relation.GREATER, 3))).isFalse();
        assertThat(holds(number("a", Target.MOD, Relation.LESS, 4))).isTrue();
        assertThat(holds(number("a", Target.MOD, Relation.NOT_EQUAL, 3))).isFalse();
        assertThat(holds(number("a", Target.MOD, Relation.UNKNOWN, 99))).isTrue();
        assertThat(holds(number("a", Target.UNKNOWN, Relation.EQUAL, 99))).isTrue();
        assertThat(holds(value("a", Relation.EQUAL, "1"))).isTrue();
        assertThat(holds(value("a", Relation.GREATER, ""))).isTrue();
        assertThat(holds(value("a", Relation.LESS, "10"))).isTrue();
    }

    @Test
    void aRangeCompareHoldsForEveryKeyOrForAMissingOne() {
        KeySpan span = KeySpan.of(key("a"), key("c"));
        assertThat(holds(new Compare(span, Target.CREATE, Relation.EQUAL, 0, EMPTY))).isTrue();
        assertThat(holds(new Compare(span, Target.CREATE, Relation.GREATER, 0, EMPTY))).isFalse();
        assertThat(holds(new Compare(span, Target.VALUE, Relation.NOT_EQUAL, 0, EMPTY))).isFalse();
        run(put("a", "1"));
        run(put("b", "2"));
        run(put("c", "9"));
        assertThat(holds(new Compare(span, Target.MOD, Relation.LESS, 4, EMPTY))).isTrue();
        assertThat(holds(new Compare(span, Target.MOD, Relation.LESS, 3, EMPTY))).isFalse();
        assertThat(holds(new Compare(span, Target.VALUE, Relation.LESS, 0, key("3")))).isTrue();
        KeySpan reversed = KeySpan.of(key("c"), key("a"));
        assertThat(holds(new Compare(reversed, Target.MOD, Relation.EQUAL, 0, EMPTY))).isTrue();
    }

    @Test
    void deferredReadsArePinnedUntilTheyAreMade() {
        run(put("a", "1"));
        run(put("a", "2"));
        Op old = new Op.Range(RangeQuery.at(KeySpan.ALL, 2, 0));
        Op now = new Op.Range(RangeQuery.of(KeySpan.ALL));
        var answer = fixture.submit(proposal(txn(List.of(), List.of(now, old), List.of())));
        fixture.evaluate();
        assertThat(pins.lowest()).isEqualTo(2);
        assertThat(answer).isNotDone();
        fixture.run();
        assertThat(keys(answer.join(), 0)).containsExactly("a");
        assertThat(pins.lowest()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void deferredReadsAreUnpinnedIfTheTransactionFails() {
        fixture.faults.then(Fault.unavailable(io.brain.storage.StorageException.Kind.NO_SPACE));
        Op now = new Op.Range(RangeQuery.of(KeySpan.ALL));
        assertThat(errorOf(txn(List.of(), List.of(putOp("a", "1"), now), List.of())))
                .isEqualTo(ErrorKind.NO_SPACE);
    }

    @Test
    void tooManyChangesAreRefusedAsAWhole() {
        WriteFixture small =
                new WriteFixture(
                        new WriteSettings(
                                999, 1 << 20, 1 << 20, 3, 1 << 20, 1 << 10, 1 << 10, 64 << 20));
        for (int i = 0; i < 4; i++) {
            assertThat(small.put("k" + i, "v")).isNotNull();
        }
        small.run();
        var delete = small.submit(proposal(Txn.of(new Op.Delete(KeySpan.ALL, false))));
        var puts =
                small.submit(
                        proposal(
                                txn(
                                        List.of(),
                                        List.of(
                                                putOp("a", ""),
                                                putOp("b", ""),
                                                putOp("c", ""),
                                                putOp("d", "")),
                                        List.of())));
        var fits =
                small.submit(
                        proposal(Txn.of(new Op.Delete(KeySpan.of(key("k0"), key("k3")), false))));
        small.run();
        assertThat(errorOf(delete)).isEqualTo(ErrorKind.REQUEST_TOO_LARGE);
        assertThat(errorOf(puts)).isEqualTo(ErrorKind.REQUEST_TOO_LARGE);
        assertThat(fits.join().revision()).isEqualTo(6);
    }

    @Test
    void aRevisionThatReplacesTooManyBytesIsRefusedAsAWhole() {
        WriteFixture small =
                new WriteFixture(
                        new WriteSettings(
                                999, 1 << 20, 1 << 20, 99, 1 << 20, 1 << 10, 1 << 10, 4_000));
        for (int i = 0; i < 5; i++) {
            assertThat(small.put("k" + i, "v".repeat(1_000))).isNotNull();
        }
        assertThat(small.put("large", "v".repeat(10_000))).isNotNull();
        small.run();
        var delete = small.submit(proposal(Txn.of(new Op.Delete(KeySpan.ALL, false))));
        small.run();
        assertThat(errorOf(delete)).isEqualTo(ErrorKind.REQUEST_TOO_LARGE);
        var puts =
                small.submit(
                        proposal(
                                txn(
                                        List.of(),
                                        List.of(
                                                putOp("k0", ""),
                                                putOp("k1", ""),
                                                putOp("k2", ""),
                                                putOp("k3", "")),
                                        List.of())));
        small.run();
        assertThat(errorOf(puts)).isEqualTo(ErrorKind.REQUEST_TOO_LARGE);
        var some =
                small.submit(
                        proposal(Txn.of(new Op.Delete(KeySpan.of(key("k0"), key("k3")), false))));
        small.run();
        assertThat(some.join().revision()).isEqualTo(8);
        // Whatever a client could store it can replace.
        var large =
                small.submit(
                        proposal(Txn.of(new Op.Delete(KeySpan.of(key("large"), key("m")), false))));
        small.run();
        assertThat(large.join().revision()).isEqualTo(9);
    }

    private TxnProposal<OpResult.Txn> proposal(Txn txn) {
        ScanningReader reader = new ScanningReader(fixture.memory, fixture.coder);
        return new TxnProposal<>(
                txn,
                evaluator,
                answer ->
                        answer.isComplete()
                                ? Answer.of(answer.result())
                                : Answer.afterwards(() -> read(answer, reader)));
    }

    private CompletionStage<OpResult.Txn> read(TxnAnswer answer, ScanningReader reader) {
        return CompletableFuture.supplyAsync(() -> answer.read(reader), fixture.world.readers())
                .whenComplete((result, failure) -> answer.release());
    }

    private boolean holds(Compare compare) {
        return run(txn(List.of(compare), List.of(), List.of())).succeeded();
    }

    private void compactTo(long revision) {
        var done =
                fixture.submit(
                        context -> {
                            context.putRecord(
                                    fixture.coder.compactKey(),
                                    new CompactRecord(revision, -1).encode());
                            return Answer.of(null);
                        });
        fixture.run();
        assertThat(done).isCompleted();
    }

    private OpResult.Txn run(Txn txn) {
        var answer = fixture.submit(proposal(txn));
        fixture.run();
        return answer.join();
    }

    private ErrorKind errorOf(Txn txn) {
        var answer = fixture.submit(proposal(txn));
        fixture.run();
        return errorOf(answer);
    }

    private static ErrorKind errorOf(CompletableFuture<?> answer) {
        CompletionException failure = catchThrowableOfType(CompletionException.class, answer::join);
        return ((BackendException) failure.getCause()).kind();
    }

    private static List<String> keys(OpResult.Txn result, int place) {
        return ((OpResult.Range) result.results().get(place))
                .kvs().stream().map(kv -> KeyValue.decode(kv).key().toString()).toList();
    }

    private static Txn txn(List<Compare> compares, List<Op> success, List<Op> failure) {
        return new Txn(compares, success, failure);
    }

    private static Txn put(String key, String value) {
        return Txn.of(putOp(key, value));
    }

    private static Op putOp(String key, String value) {
        return new Op.Put(key(key), key(value), 0, false, false, false);
    }

    private static Op deleteOp(String key) {
        return new Op.Delete(KeySpan.of(key(key)), false);
    }

    private static Op getOp(String key) {
        return new Op.Range(RangeQuery.of(KeySpan.of(key(key))));
    }

    private static Op getAt(String key, long revision) {
        return new Op.Range(RangeQuery.at(KeySpan.of(key(key)), revision, 0));
    }

    private static Op single(
            SortTarget target, boolean keysOnly, boolean countOnly, RevisionFilter filter) {
        return new Op.Range(
                new RangeQuery(
                        KeySpan.of(key("a")),
                        0,
                        0,
                        SortOrder.NONE,
                        target,
                        keysOnly,
                        countOnly,
                        false,
                        filter));
    }

    private static Compare number(String key, Target target, Relation relation, long number) {
        return new Compare(KeySpan.of(key(key)), target, relation, number, EMPTY);
    }

    private static Compare value(String key, Relation relation, String value) {
        return new Compare(KeySpan.of(key(key)), Target.VALUE, relation, 0, key(value));
    }

    private static Bytes key(String text) {
        return Bytes.utf8(text);
    }
}
