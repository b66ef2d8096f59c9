package io.brain.backend.read;

import static io.brain.backend.read.Queries.ALL;
import static io.brain.backend.read.Queries.at;
import static io.brain.backend.read.Queries.counted;
import static io.brain.backend.read.Queries.filtered;
import static io.brain.backend.read.Queries.key;
import static io.brain.backend.read.Queries.keysOnly;
import static io.brain.backend.read.Queries.limited;
import static io.brain.backend.read.Queries.values;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.RevisionFilter;
import io.brain.backend.model.RangeQuery.SortOrder;
import io.brain.backend.model.RangeQuery.SortTarget;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import io.brain.storage.testkit.MemoryStorage;
import org.junit.jupiter.api.Test;

/** What a read asks of the engine must not grow with the number of versions that a key has. */
class KeyWalkCostTest {
    /** Of more bytes than a walk looks at. */
    private static final String LONG = "a value of some length".repeat(200);

    private static final int VERSIONS = 100_000;
    private static final int MOVES_PER_KEY_MAX = 20;

    private final CountingStorage storage = new CountingStorage(new MemoryStorage());
    private final StoreWriter store = new StoreWriter(storage, new KeyCoder(Bytes.EMPTY));
    private final RangeReader reader = store.reader();

    @Test
    void aHotKeyDoesNotSlowAList() {
        store.put("a", "1");
        store.put("c", "1");
        for (int i = 0; i < VERSIONS; i++) {
            store.put("b", Integer.toString(i));
        }
        OpResult.Range newest = cheaply(RangeQuery.of(ALL));
        assertThat(values(newest)).containsExactly("1", "99999", "1");
        assertThat(values(cheaply(at(ALL, 50_003)))).containsExactly("1", "49999", "1");
        assertThat(values(cheaply(at(ALL, 5)))).containsExactly("1", "1", "1");
        assertThat(cheaply(at(ALL, 3)).count()).isEqualTo(2);
        assertThat(cheaply(counted(ALL, 0, RevisionFilter.NONE)).count()).isEqualTo(3);
        assertThat(values(cheaply(at(key("b"), 50_003)))).containsExactly("49999");
        assertThat(storage.gets + storage.seeks).isEqualTo(3);
    }

    @Test
    void whatIsCountedBehindTheLimitIsNotFetched() {
        for (int i = 0; i < 500; i++) {
            store.put("key" + i, LONG);
        }
        long pinned = store.revisions().committed().revision();
        for (int i = 0; i < 500; i += 2) {
            store.put("key" + i, LONG + "2");
        }
        storage.reset();
        assertThat(reader.read(limited(ALL, 10)).count()).isEqualTo(500);
        assertThat(storage.values).isEqualTo(10);
        storage.reset();
        assertThat(reader.read(RangeQuery.at(ALL, pinned, 10)).count()).isEqualTo(500);
        assertThat(storage.values).isEqualTo(10);
        storage.reset();
        assertThat(reader.read(counted(ALL, 0, RevisionFilter.NONE)).count()).isEqualTo(500);
        assertThat(storage.values).isZero();
        assertThat(storage.seeks).isZero();
    }

    @Test
    void keysAloneAreListedWithoutTheirValues() {
        String value = "a long value".repeat(400);
        store.put("a", value);
        store.put("b", value, 17);
        store.put("a", value);
        store.put("k".repeat(300), value);
        store.put("none", "");
        OpResult.Range bare = cheaply(keysOnly(ALL, SortTarget.KEY, SortOrder.NONE));
        assertThat(storage.values).isZero();
        assertThat(bare.kvs())
                .containsExactly(
                        KeyValueCodec.encode(Bytes.utf8("a"), 2, 4, 2, Bytes.EMPTY, 0),
                        KeyValueCodec.encode(Bytes.utf8("b"), 3, 3, 1, Bytes.EMPTY, 0),
                        KeyValueCodec.encode(Bytes.utf8("k".repeat(300)), 5, 5, 1, Bytes.EMPTY, 0),
                        KeyValueCodec.encode(Bytes.utf8("none"), 6, 6, 1, Bytes.EMPTY, 0));
    }

    @Test
    void aBoundOnModRevisionsFetchesOnlyWhatItLetsThrough() {
        for (int i = 0; i < 100; i++) {
            store.put("key" + i, LONG);
        }
        storage.reset();
        RevisionFilter last = new RevisionFilter(99, 100, 0, 0);
        assertThat(reader.read(filtered(ALL, last, 0)).kvs()).hasSize(2);
        assertThat(storage.values).isEqualTo(2);
    }

    @Test
    void aListOfKeysWithFewVersionsSeeksNowhere() {
        for (int i = 0; i < 300; i++) {
            store.put("key" + i % 100, "value");
        }
        storage.reset();
        assertThat(reader.read(RangeQuery.of(ALL)).count()).isEqualTo(100);
        assertThat(storage.seeks).isZero();
        assertThat(storage.cursors).isEqualTo(1);
        assertThat(storage.steps).isEqualTo(101);
    }

    @Test
    void keysThatWereChangedSinceAreCountedWithFewSeeks() {
        for (int i = 0; i < 1000; i++) {
            store.put("key" + (1000 + i), LONG);
        }
        long pinned = store.revisions().committed().revision();
        for (int i = 0; i < 1000; i += 2) {
            store.put("key" + (1000 + i), LONG + "2");
        }
        storage.reset();
        assertThat(reader.read(RangeQuery.at(ALL, pinned, 1)).count()).isEqualTo(1000);
        assertThat(storage.values).isEqualTo(1);
        assertThat(storage.seeks).isLessThan(10);
        assertThat(storage.steps).isLessThan(3000);
    }

    @Test
    void aListDoesNotMeetTheHistory() {
        for (int i = 0; i < 5000; i++) {
            store.put("key" + i % 100, "value");
        }
        storage.reset();
        assertThat(reader.read(RangeQuery.of(ALL)).count()).isEqualTo(100);
        assertThat(storage.cursors).isEqualTo(1);
        assertThat(storage.seeks).isZero();
        assertThat(storage.steps).isEqualTo(101);
    }

    @Test
    void aPointReadOpensNoCursor() {
        store.put("a", "1");
        store.put("a", "2");
        storage.reset();
        assertThat(values(reader.read(RangeQuery.of(key("a"))))).containsExactly("2");
        assertThat(storage.cursors).isZero();
        assertThat(storage.gets).isEqualTo(2);
    }

    private OpResult.Range cheaply(RangeQuery query) {
        storage.reset();
        OpResult.Range answer = reader.read(query);
        assertThat(storage.steps + storage.seeks + storage.gets)
                .as("moves for %s", query)
                .isLessThan(3 * MOVES_PER_KEY_MAX);
        return answer;
    }
}
