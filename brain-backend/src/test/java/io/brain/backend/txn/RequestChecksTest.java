package io.brain.backend.txn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.Compare;
import io.brain.backend.model.Compare.Relation;
import io.brain.backend.model.Compare.Target;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Txn;
import io.brain.backend.store.KeyCoder;
import io.brain.storage.Bytes;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.testkit.MemoryStorage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What etcd 3.7 answers to the same requests. */
class RequestChecksTest {
    private static final int WIRE_BYTES = 1 << 20;

    private final KeyCoder coder = new KeyCoder(Bytes.EMPTY);
    private final RequestChecks checks =
            new RequestChecks(
                    128,
                    coder,
                    new ForwardingKvStorage(new MemoryStorage()) {
                        @Override
                        public int keyBytesMax() {
                            return 100;
                        }

                        @Override
                        public int valueBytesMax() {
                            return 1000;
                        }
                    });

    @Test
    void everyKeyIsRequired() {
        KeySpan none = KeySpan.of(Bytes.EMPTY, Bytes.utf8("z"));
        assertThat(errorOf(Txn.of(put("")))).isEqualTo(ErrorKind.KEY_NOT_PROVIDED);
        assertThat(errorOf(Txn.of(new Op.Delete(none, false))))
                .isEqualTo(ErrorKind.KEY_NOT_PROVIDED);
        assertThat(errorOf(Txn.of(new Op.Range(RangeQuery.of(none)))))
                .isEqualTo(ErrorKind.KEY_NOT_PROVIDED);
        Compare compare = new Compare(none, Target.MOD, Relation.EQUAL, 0, Bytes.EMPTY);
        assertThat(errorOf(new Txn(List.of(compare), List.of(), List.of())))
                .isEqualTo(ErrorKind.KEY_NOT_PROVIDED);
        assertThat(errorOf(then(nested(then(put("")))))).isEqualTo(ErrorKind.KEY_NOT_PROVIDED);
        assertThat(
                        catchThrowableOfType(
                                        BackendException.class,
                                        () -> RequestChecks.check(RangeQuery.of(none)))
                                .kind())
                .isEqualTo(ErrorKind.KEY_NOT_PROVIDED);
    }

    @Test
    void anIgnoredValueOrLeaseMustBeAbsent() {
        Bytes key = Bytes.utf8("k");
        assertThat(errorOf(Txn.of(new Op.Put(key, key, 0, false, true, false))))
                .isEqualTo(ErrorKind.VALUE_PROVIDED);
        assertThat(errorOf(Txn.of(new Op.Put(key, key, 5, false, false, true))))
                .isEqualTo(ErrorKind.LEASE_PROVIDED);
        assertPasses(Txn.of(new Op.Put(key, Bytes.EMPTY, 5, false, true, false)));
    }

    @Test
    void aTransactionHasAtMost128OpsPerListAndNestedOnesShareTheRest() {
        assertPasses(then(puts(128)));
        assertThat(errorOf(then(puts(129)))).isEqualTo(ErrorKind.TOO_MANY_OPS);
        assertThat(errorOf(new Txn(List.of(), List.of(), puts(129))))
                .isEqualTo(ErrorKind.TOO_MANY_OPS);
        Compare compare =
                new Compare(
                        KeySpan.of(Bytes.utf8("c")), Target.MOD, Relation.EQUAL, 0, Bytes.EMPTY);
        assertThat(errorOf(new Txn(Collections.nCopies(129, compare), List.of(), List.of())))
                .isEqualTo(ErrorKind.TOO_MANY_OPS);
        Op hundred = nested(new Txn(List.of(), gets(100), List.of()));
        assertPasses(then(plus(gets(27), hundred)));
        assertThat(errorOf(then(plus(gets(28), hundred)))).isEqualTo(ErrorKind.TOO_MANY_OPS);
        Op nested28 = nested(new Txn(List.of(), gets(28), List.of()));
        Op nested29 = nested(new Txn(List.of(), gets(29), List.of()));
        List<Compare> compares = Collections.nCopies(100, compare);
        assertPasses(new Txn(compares, List.of(nested28, nested28), List.of()));
        assertThat(errorOf(new Txn(compares, List.of(nested29), List.of())))
                .isEqualTo(ErrorKind.TOO_MANY_OPS);
    }

    @Test
    void aBranchMustNotPutAKeyTwiceNorPutWhatItDeletes() {
        assertDuplicate(then(put("k"), put("k")));
        assertDuplicate(new Txn(List.of(), List.of(), List.of(put("k"), put("k"))));
        assertDuplicate(then(delete("k"), put("k")));
        assertDuplicate(then(put("k"), delete("j", "l")));
        assertPasses(new Txn(List.of(), List.of(put("k")), List.of(put("k"))));
        assertPasses(then(delete("a", "c"), delete("b", "d"), put("d")));
    }

    @Test
    void deletesFromAKeyOnAndReversedOnesCountAsEmpty() {
        Op fromX = new Op.Delete(KeySpan.of(Bytes.utf8("x"), Bytes.wrap(new byte[1])), false);
        assertPasses(then(put("x"), fromX));
        assertPasses(then(fromX, put("x")));
        assertPasses(then(delete("z", "a"), put("k")));
        assertPasses(then(delete("k", "k"), put("k")));
    }

    @Test
    void nestedTransactionsAreComparedAsInEtcd() {
        assertDuplicate(then(put("d"), nested(then(put("d")))));
        assertPasses(then(nested(new Txn(List.of(), List.of(put("d")), List.of(put("d"))))));
        assertDuplicate(then(nested(then(put("m"))), nested(then(put("m")))));
        assertPasses(then(nested(then(put("m"))), nested(then(delete("m")))));
        assertDuplicate(then(nested(then(delete("m"))), nested(then(put("m")))));
        assertDuplicate(then(delete("m"), nested(then(put("m")))));
        assertDuplicate(then(nested(then(delete("m"))), put("m")));
        assertPasses(then(nested(new Txn(List.of(), List.of(put("d")), List.of(delete("d"))))));
    }

    @Test
    void deletedRangesAreMergedInAnyOrder() {
        Random random = new Random(3);
        for (int round = 0; round < 2000; round++) {
            List<Op> deletes = new ArrayList<>();
            for (int i = random.nextInt(6); i > 0; i--) {
                int start = random.nextInt(20);
                deletes.add(delete(letter(start), letter(start + random.nextInt(5))));
            }
            String key = letter(random.nextInt(26));
            boolean deleted =
                    deletes.stream()
                            .anyMatch(op -> ((Op.Delete) op).span().contains(Bytes.utf8(key)));
            Txn txn = then(plus(deletes, put(key)));
            if (deleted) {
                assertDuplicate(txn);
            } else {
                assertPasses(txn);
            }
        }
    }

    @Test
    void theQuotaCountsThePutsOfTheLargerBranch() {
        Op big = putOf("k", "12345");
        assertThat(RequestChecks.quotaCost(then(delete("a")))).isZero();
        assertThat(RequestChecks.quotaCost(then(big))).isEqualTo(256 + 6);
        Txn nest = new Txn(List.of(), List.of(put("a")), List.of(nested(then(big)), put("b")));
        assertThat(RequestChecks.quotaCost(nest)).isEqualTo(256 + 6 + 256 + 2);
    }

    @Test
    void keysAreLimitedByTheirStoredForm() {
        int room = 100 - coder.historyKeyLength(Bytes.EMPTY);
        assertThat(checks.fits(Txn.of(put("k".repeat(room))), WIRE_BYTES)).isTrue();
        assertThat(checks.fits(Txn.of(put("k".repeat(room + 1))), WIRE_BYTES)).isFalse();
        // A byte that must be escaped takes two.
        assertThat(checks.fits(Txn.of(put("$" + "k".repeat(room - 1))), WIRE_BYTES)).isFalse();
    }

    @Test
    void theKeysOfAllPutsAreLimited() {
        Op tooLong = put("k".repeat(101));
        Txn nested = new Txn(List.of(), List.of(), List.of(tooLong));
        for (Txn txn :
                List.of(
                        new Txn(List.of(), List.of(put("a"), tooLong), List.of()),
                        new Txn(List.of(), List.of(), List.of(tooLong)),
                        Txn.of(new Op.Nested(nested)))) {
            assertThat(checks.fits(txn, WIRE_BYTES)).isFalse();
        }
        KeySpan span = KeySpan.of(Bytes.utf8("k".repeat(101)));
        Txn others =
                new Txn(
                        List.of(),
                        List.of(new Op.Delete(span, false), new Op.Range(RangeQuery.of(span))),
                        List.of());
        assertThat(checks.fits(others, WIRE_BYTES)).isTrue();
    }

    @Test
    void aSmallRequestIsNotSearchedForLongKeys() {
        assertThat(checks.fits(Txn.of(put("k".repeat(101))), 40)).isTrue();
        assertThat(checks.fits(Txn.of(put("k".repeat(101))), 50)).isFalse();
    }

    @Test
    void valuesAreLimitedByTheirStoredForm() {
        Txn longest = Txn.of(putOf("k", "v".repeat(1000 - 128 - 1)));
        Txn tooLong = Txn.of(putOf("k", "v".repeat(1000 - 128)));
        assertThat(checks.fits(longest, WIRE_BYTES)).isTrue();
        assertThat(checks.fits(tooLong, WIRE_BYTES)).isFalse();
        assertThat(checks.fits(Txn.of(nested(tooLong)), WIRE_BYTES)).isFalse();
        Op half = putOf("k", "v".repeat(500));
        assertThat(checks.fits(then(half, half, half), WIRE_BYTES)).isTrue();
    }

    private static Op putOf(String key, String value) {
        return new Op.Put(Bytes.utf8(key), Bytes.utf8(value), 0, false, false, false);
    }

    private void assertPasses(Txn txn) {
        assertThatCode(() -> checks.check(txn)).doesNotThrowAnyException();
    }

    private void assertDuplicate(Txn txn) {
        assertThat(errorOf(txn)).isEqualTo(ErrorKind.DUPLICATE_KEY);
    }

    private ErrorKind errorOf(Txn txn) {
        return catchThrowableOfType(BackendException.class, () -> checks.check(txn)).kind();
    }

    private static Txn then(Op... ops) {
        return then(List.of(ops));
    }

    private static Txn then(List<Op> ops) {
        return new Txn(List.of(), ops, List.of());
    }

    private static Op nested(Txn txn) {
        return new Op.Nested(txn);
    }

    private static Op put(String key) {
        return new Op.Put(Bytes.utf8(key), Bytes.utf8("v"), 0, false, false, false);
    }

    private static Op delete(String key) {
        return new Op.Delete(KeySpan.of(Bytes.utf8(key)), false);
    }

    private static Op delete(String start, String end) {
        return new Op.Delete(KeySpan.of(Bytes.utf8(start), Bytes.utf8(end)), false);
    }

    private static List<Op> puts(int count) {
        List<Op> ops = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ops.add(put("k" + i));
        }
        return ops;
    }

    private static List<Op> gets(int count) {
        return Collections.nCopies(count, new Op.Range(RangeQuery.of(KeySpan.of(Bytes.utf8("k")))));
    }

    private static List<Op> plus(List<Op> ops, Op last) {
        List<Op> all = new ArrayList<>(ops);
        all.add(last);
        return all;
    }

    private static String letter(int index) {
        return String.valueOf((char) ('a' + index));
    }
}
