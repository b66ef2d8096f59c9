package io.brain.backend.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.Compare;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Txn;
import io.brain.backend.store.KeyCoder;
import io.brain.storage.Bytes;
import io.brain.storage.StorageTrait;
import io.brain.storage.testkit.MemoryStorage;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random histories and requests, answered by the reader and by the naive model. */
class RangeModelTest {
    private static final int HISTORIES = 100;
    private static final int QUERIES = 80;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyAnswerEqualsTheModels(boolean opensTimestamps) {
        int answers = 0;
        for (int seed = 0; seed < HISTORIES; seed++) {
            answers += new Run(seed, opensTimestamps).compareAll();
        }
        // Refusals are compared too, but must not be all there is.
        assertThat(answers).isGreaterThan(HISTORIES * QUERIES);
    }

    private static final class Run {
        private final String name;
        private final Random random;
        private final MemoryStorage storage;
        private final StoreWriter store;
        private final NaiveModel model = new NaiveModel();
        private final RandomHistory history;
        private final RangeReader reader;
        private long floor = -1;
        private int answers;

        Run(int seed, boolean opensTimestamps) {
            name = "seed " + seed;
            random = new Random(seed);
            storage =
                    opensTimestamps
                            ? new MemoryStorage()
                            : new MemoryStorage(Runnable::run, Set.<StorageTrait>of());
            Bytes keyspace = seed % 3 == 0 ? Bytes.utf8("space/") : Bytes.EMPTY;
            store = new StoreWriter(storage, new KeyCoder(keyspace));
            history = new RandomHistory(random, store, model);
            reader = store.reader();
        }

        int compareAll() {
            int revisions = 1 + random.nextInt(120);
            for (int i = 0; i < revisions; i++) {
                history.change();
                if (random.nextInt(40) == 0) {
                    compact();
                }
                if (random.nextInt(4) == 0) {
                    compareRange();
                }
            }
            if (random.nextBoolean()) {
                history.storeUnpublished();
            }
            for (int i = 0; i < QUERIES; i++) {
                compareRange();
                compareTxn();
                comparePinned();
            }
            storage.checkNoOpenSnapshots();
            return answers;
        }

        private void compact() {
            floor = Math.max(floor, history.someRevision());
            store.compact(floor);
            model.compact(floor);
        }

        private void compareRange() {
            RangeQuery query = history.query();
            if (random.nextInt(3) == 0) {
                // Then its range is known.
                RangeQuery plain = RangeQuery.of(query.span());
                same(plain, () -> reader.read(plain), () -> model.range(plain));
                same(plain, () -> reader.read(plain), () -> model.range(plain));
            }
            same(query, () -> reader.read(query), () -> model.range(query));
        }

        private void compareTxn() {
            List<Compare> compares = new ArrayList<>();
            for (int i = random.nextInt(3); i > 0; i--) {
                compares.add(history.compare());
            }
            Txn txn = new Txn(compares, ranges(), ranges());
            same(txn, () -> reader.readTxn(txn), () -> modelTxn(txn));
        }

        private List<Op> ranges() {
            List<Op> ranges = new ArrayList<>();
            for (int i = random.nextInt(3); i > 0; i--) {
                ranges.add(new Op.Range(history.query()));
            }
            return ranges;
        }

        private OpResult.Txn modelTxn(Txn txn) {
            boolean succeeded = txn.compares().stream().allMatch(model::holds);
            List<Op> branch = succeeded ? txn.success() : txn.failure();
            List<OpResult> results = new ArrayList<>();
            branch.forEach(op -> model.check(((Op.Range) op).query().revision()));
            for (Op op : branch) {
                results.add(model.range(((Op.Range) op).query()));
            }
            return new OpResult.Txn(model.revision(), succeeded, results);
        }

        private void comparePinned() {
            long revision = Math.max(floor, history.someRevision());
            NavigableMap<Bytes, NaiveModel.Kv> state = new TreeMap<>(model.state(revision));
            NavigableMap<Bytes, Bytes> overlay = history.overlay(revision, state);
            RangeQuery query = history.query(0);
            long header = revision + random.nextInt(2);
            same(
                    query + " over " + overlay,
                    () ->
                            reader.readPinned(
                                    query,
                                    store.revisions().committed(),
                                    1,
                                    revision,
                                    overlay,
                                    header,
                                    ReadQuota.UNLIMITED),
                    () -> NaiveModel.range(query, state, header));
        }

        private void same(Object request, Supplier<?> actual, Supplier<?> expected) {
            Object answer = answer(actual);
            assertThat(answer).as("%s: %s", name, request).isEqualTo(answer(expected));
            if (answer instanceof OpResult) {
                answers++;
            }
        }

        private static Object answer(Supplier<?> supplier) {
            try {
                return supplier.get();
            } catch (BackendException e) {
                return e.kind();
            }
        }
    }
}
