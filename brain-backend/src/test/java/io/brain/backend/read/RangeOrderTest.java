package io.brain.backend.read;

import static io.brain.backend.read.Queries.ALL;
import static io.brain.backend.read.Queries.filtered;
import static io.brain.backend.read.Queries.key;
import static io.brain.backend.read.Queries.keys;
import static io.brain.backend.read.Queries.keysOnly;
import static io.brain.backend.read.Queries.sorted;
import static io.brain.backend.read.Queries.values;
import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.api.Test;

/** One test per rule of etcd's filters, orders and keys-only answers. */
class RangeOrderTest {
    private final StoreWriter store =
            new StoreWriter(new MemoryStorage(), new KeyCoder(Bytes.EMPTY));
    private final RangeReader reader = store.reader();

    @Test
    void filtersDoNotChangeTheCountButMore() {
        putLetters();
        RevisionFilter late = new RevisionFilter(4, 0, 0, 0);
        OpResult.Range all = reader.read(filtered(ALL, late, 0));
        assertThat(keys(all)).containsExactly("c", "d");
        assertThat(all.count()).isEqualTo(4);
        assertThat(all.more()).isFalse();
        OpResult.Range one = reader.read(filtered(ALL, late, 1));
        assertThat(keys(one)).containsExactly("c");
        assertThat(one.count()).isEqualTo(4);
        assertThat(one.more()).isTrue();
    }

    @Test
    void filterBoundsAreInclusiveAndSigned() {
        putLetters();
        store.put("a", "again");
        assertThat(keysWhere(new RevisionFilter(4, 0, 0, 0))).containsExactly("a", "c", "d");
        assertThat(keysWhere(new RevisionFilter(0, 4, 0, 0))).containsExactly("b", "c");
        assertThat(keysWhere(new RevisionFilter(0, 0, 4, 0))).containsExactly("c", "d");
        assertThat(keysWhere(new RevisionFilter(0, 0, 0, 3))).containsExactly("a", "b");
        assertThat(keysWhere(new RevisionFilter(0, -1, 0, 0))).isEmpty();
        assertThat(keysWhere(new RevisionFilter(-1, 0, -1, 0))).hasSize(4);
    }

    @Test
    void keysOnlyKeepsRevisionsAndDropsValueAndLease() {
        store.put("a", "1", 9);
        store.put("a", "2", 9);
        Bytes bare = KeyValueCodec.encode(Bytes.utf8("a"), 2, 3, 2, Bytes.EMPTY, 0);
        RangeQuery byKey = keysOnly(ALL, SortTarget.KEY, SortOrder.NONE);
        assertThat(reader.read(byKey).kvs()).containsExactly(bare);
        RangeQuery byMod = keysOnly(key("a"), SortTarget.MOD, SortOrder.DESCEND);
        assertThat(reader.read(byMod).kvs()).containsExactly(bare);
    }

    @Test
    void keysOnlySortedByValueSortsBeforeItDropsValuesAndKeepsTheLease() {
        store.put("a", "1", 9);
        store.put("b", "3", 8);
        store.put("c", "2");
        OpResult.Range answer = reader.read(keysOnly(ALL, SortTarget.VALUE, SortOrder.DESCEND));
        assertThat(keys(answer)).containsExactly("b", "c", "a");
        assertThat(values(answer)).containsOnly("");
        assertThat(answer.kvs().stream().map(kv -> KeyValue.decode(kv).lease()))
                .containsExactly(8L, 0L, 9L);
    }

    @Test
    void aTargetWithoutAnOrderSortsOnlyTheKeysWithinTheLimit() {
        store.put("b", "oldest");
        store.put("z", "older");
        store.put("a", "new");
        store.put("b", "newest");
        RangeQuery one = sorted(ALL, SortTarget.MOD, SortOrder.NONE, 1);
        OpResult.Range answer = reader.read(one);
        assertThat(keys(answer)).containsExactly("a");
        assertThat(answer.more()).isTrue();
        assertThat(answer.count()).isEqualTo(3);
        RangeQuery all = sorted(ALL, SortTarget.MOD, SortOrder.NONE, 0);
        assertThat(keys(reader.read(all))).containsExactly("z", "a", "b");
    }

    @Test
    void aTargetWithoutAnOrderSortsAllKeysIfThereIsAFilter() {
        store.put("b", "1");
        store.put("c", "1");
        store.put("a", "1");
        RangeQuery query =
                new RangeQuery(
                        ALL,
                        1,
                        0,
                        SortOrder.NONE,
                        SortTarget.MOD,
                        false,
                        false,
                        false,
                        new RevisionFilter(1, 0, 0, 0));
        assertThat(keys(reader.read(query))).containsExactly("b");
    }

    @Test
    void equalKeysBeyondTheMemoryOfASortAreInKeyOrder() {
        String large = "v".repeat(1 << 20);
        for (int i = 0; i < 30; i++) {
            store.put("k%02d".formatted(i), i % 3 + large);
        }
        assertThat(sortedKeys(SortTarget.VALUE, SortOrder.ASCEND, 12))
                .containsExactly(
                        "k00", "k03", "k06", "k09", "k12", "k15", "k18", "k21", "k24", "k27", "k01",
                        "k04");
        assertThat(sortedKeys(SortTarget.VALUE, SortOrder.DESCEND, 2))
                .containsExactly("k02", "k05");
    }

    @Test
    void aSortedAnswerIsSortedBeforeItIsLimited() {
        store.put("b", "x");
        store.put("c", "z");
        store.put("a", "y");
        store.put("c", "w");
        assertThat(sortedKeys(SortTarget.MOD, SortOrder.ASCEND, 1)).containsExactly("b");
        assertThat(sortedKeys(SortTarget.MOD, SortOrder.DESCEND, 1)).containsExactly("c");
        assertThat(sortedKeys(SortTarget.CREATE, SortOrder.DESCEND, 2)).containsExactly("a", "c");
        assertThat(sortedKeys(SortTarget.VERSION, SortOrder.DESCEND, 1)).containsExactly("c");
        assertThat(sortedKeys(SortTarget.VALUE, SortOrder.ASCEND, 0))
                .containsExactly("c", "b", "a");
        assertThat(sortedKeys(SortTarget.KEY, SortOrder.ASCEND, 0)).containsExactly("a", "b", "c");
        OpResult.Range last = reader.read(sorted(ALL, SortTarget.KEY, SortOrder.DESCEND, 2));
        assertThat(keys(last)).containsExactly("c", "b");
        assertThat(last.count()).isEqualTo(3);
        assertThat(last.more()).isTrue();
    }

    @Test
    void valuesAreSortedAsUnsignedBytes() {
        store.write().put(Bytes.utf8("high"), Bytes.wrap(new byte[] {(byte) 0xff}), 0).commit();
        store.put("low", "a");
        assertThat(sortedKeys(SortTarget.VALUE, SortOrder.ASCEND, 0))
                .containsExactly("low", "high");
    }

    private List<String> keysWhere(RevisionFilter filter) {
        return keys(reader.read(filtered(ALL, filter, 0)));
    }

    private List<String> sortedKeys(SortTarget target, SortOrder order, long limit) {
        return keys(reader.read(sorted(ALL, target, order, limit)));
    }

    private void putLetters() {
        for (String key : List.of("a", "b", "c", "d")) {
            store.put(key, "value of " + key);
        }
    }
}
