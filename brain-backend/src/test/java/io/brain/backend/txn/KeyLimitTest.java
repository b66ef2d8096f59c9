package io.brain.backend.txn;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Txn;
import io.brain.backend.store.KeyCoder;
import io.brain.storage.Bytes;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeyLimitTest {
    private static final int WIRE_BYTES = 1 << 20;

    private final KeyCoder coder = new KeyCoder(Bytes.EMPTY);
    private final KeyLimit limit = new KeyLimit(coder, 100);

    @Test
    void theLongestKeyIsTheOneWhoseStoredFormHasSoManyBytes() {
        int room = 100 - coder.historyKeyLength(Bytes.EMPTY);
        assertThat(limit.admits(Txn.of(put("k".repeat(room))), WIRE_BYTES)).isTrue();
        assertThat(limit.admits(Txn.of(put("k".repeat(room + 1))), WIRE_BYTES)).isFalse();
        // A byte that must be escaped takes two.
        assertThat(limit.admits(Txn.of(put("$" + "k".repeat(room - 1))), WIRE_BYTES)).isFalse();
    }

    @Test
    void everyPutOfATransactionIsLookedAtAndNothingElse() {
        Op tooLong = put("k".repeat(101));
        Txn nested = new Txn(List.of(), List.of(), List.of(tooLong));
        for (Txn txn :
                List.of(
                        new Txn(List.of(), List.of(put("a"), tooLong), List.of()),
                        new Txn(List.of(), List.of(), List.of(tooLong)),
                        Txn.of(new Op.Nested(nested)))) {
            assertThat(limit.admits(txn, WIRE_BYTES)).isFalse();
        }
        KeySpan span = KeySpan.of(Bytes.utf8("k".repeat(101)));
        Txn others =
                new Txn(
                        List.of(),
                        List.of(new Op.Delete(span, false), new Op.Range(RangeQuery.of(span))),
                        List.of());
        assertThat(limit.admits(others, WIRE_BYTES)).isTrue();
    }

    @Test
    void aSmallRequestIsNotLookedThrough() {
        assertThat(limit.admits(Txn.of(put("k".repeat(101))), 40)).isTrue();
        assertThat(limit.admits(Txn.of(put("k".repeat(101))), 50)).isFalse();
    }

    private static Op put(String key) {
        return new Op.Put(Bytes.utf8(key), Bytes.utf8("v"), 0, false, false, false);
    }
}
