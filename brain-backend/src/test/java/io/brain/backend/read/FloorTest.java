package io.brain.backend.read;

import static io.brain.backend.read.Queries.ALL;
import static io.brain.backend.read.Queries.at;
import static io.brain.backend.read.Queries.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Txn;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Revisions;
import io.brain.storage.Bytes;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageTrait;
import io.brain.storage.testkit.MemoryStorage;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compactions that come while a read is on its way. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FloorTest {
    private final KeyCoder coder = new KeyCoder(Bytes.EMPTY);

    /** Runs something once, at the moment a snapshot is about to be opened, or just was. */
    private static final class Interrupting extends ForwardingKvStorage {
        private Runnable before = () -> {};
        private Runnable after = () -> {};

        Interrupting(KvStorage delegate) {
            super(delegate);
        }

        @Override
        public Snapshot snapshot() {
            runBefore();
            return runAfter(super.snapshot());
        }

        @Override
        public Snapshot snapshotAt(long timestamp) {
            runBefore();
            return runAfter(super.snapshotAt(timestamp));
        }

        private void runBefore() {
            Runnable action = before;
            before = () -> {};
            action.run();
        }

        private Snapshot runAfter(Snapshot snapshot) {
            Runnable action = after;
            after = () -> {};
            action.run();
            return snapshot;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theNewestStateIsNeverCompacted(boolean opensTimestamps) {
        Interrupting storage = storage(opensTimestamps);
        StoreWriter store = new StoreWriter(storage, coder);
        store.put("a", "1");
        storage.before =
                () -> {
                    store.put("a", "2");
                    store.compact(3);
                };
        OpResult.Range answer = store.reader().read(RangeQuery.of(ALL));
        assertThat(values(answer)).containsExactly(opensTimestamps ? "1" : "2");
        assertThat(answer.revision()).isEqualTo(opensTimestamps ? 2 : 3);
    }

    @Test
    void aFloorThatIsStoredButNotPublishedHasDeletedNothing() {
        Interrupting storage = storage(false);
        StoreWriter store = new StoreWriter(storage, coder);
        store.put("a", "1");
        store.write().put(Bytes.utf8("a"), Bytes.utf8("2"), 0).store();
        store.storeFloor(3);
        assertThat(values(store.reader().read(RangeQuery.of(ALL)))).containsExactly("1");
        assertCompacted(store, RangeQuery.at(ALL, 2, 0));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFloorThatIsOnlyStoredHoldsAlready(boolean opensTimestamps) {
        Interrupting storage = storage(opensTimestamps);
        StoreWriter store = new StoreWriter(storage, coder);
        store.put("a", "1");
        store.put("a", "2");
        store.storeFloor(3);
        assertCompacted(store, at(ALL, 2));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFloorThatRisesDuringAReadIsSeenBeforeTheAnswer(boolean opensTimestamps) {
        Interrupting storage = storage(opensTimestamps);
        StoreWriter store = new StoreWriter(storage, coder);
        store.put("a", "1");
        store.put("a", "2");
        storage.after = () -> store.compact(3);
        assertCompacted(store, at(ALL, 2));

        store.put("a", "3");
        storage.after = () -> store.compact(4);
        Txn txn = Txn.of(new Op.Range(at(ALL, 3)));
        assertThatThrownBy(() -> store.reader().readTxn(txn))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        e -> assertThat(e.kind()).isEqualTo(ErrorKind.COMPACTED));
    }

    @Test
    void aReadPointIsOpenedAtItsTimestamp() {
        StoreWriter store = new StoreWriter(new MemoryStorage(), coder);
        store.put("a", "1");
        ReadPoint point = store.revisions().committed();
        store.put("a", "2");
        store.compact(3);
        OpResult.Range answer = store.reader().read(RangeQuery.of(ALL), point, ReadQuota.UNLIMITED);
        assertThat(values(answer)).containsExactly("1");
        assertThat(answer.revision()).isEqualTo(2);
    }

    @Test
    void anOldRevisionAtATimestampBehindACompactionIsReadAtTheFloor() {
        MemoryStorage storage = new MemoryStorage();
        StoreWriter store = new StoreWriter(storage, coder);
        store.put("a", "1");
        store.put("a", "2");
        store.compact(3);
        ReadPoint behind = new ReadPoint(2, storage.timestamp());
        RangeReader follower =
                new RangeReader(storage, coder, new Revisions(behind, -1), store.known());
        OpResult.Range answer = follower.read(RangeQuery.of(ALL), behind, ReadQuota.UNLIMITED);
        assertThat(values(answer)).containsExactly("2");
        assertThat(answer.revision()).isEqualTo(3);
    }

    private static Interrupting storage(boolean opensTimestamps) {
        return new Interrupting(
                opensTimestamps
                        ? new MemoryStorage()
                        : new MemoryStorage(Runnable::run, Set.<StorageTrait>of()));
    }

    private static void assertCompacted(StoreWriter store, RangeQuery query) {
        assertThatThrownBy(() -> store.reader().read(query))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        e -> assertThat(e.kind()).isEqualTo(ErrorKind.COMPACTED));
    }
}
