package io.brain.backend.read;

import static io.brain.backend.read.Queries.ALL;
import static io.brain.backend.read.Queries.at;
import static io.brain.backend.read.Queries.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.cache.HeadCache;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Txn;
import io.brain.backend.read.RangeReader.CompactedPointException;
import io.brain.backend.store.Fence;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Revisions;
import io.brain.backend.store.Store;
import io.brain.storage.Bytes;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.MemoryStorage;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compactions during a read. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FloorTest {
    private final KeyCoder coder = new KeyCoder(Bytes.EMPTY);

    /** Runs an action once, before or after a snapshot is opened. */
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
    void anUnpublishedFloorOfTheOnlyProcessHasDeletedNothing() {
        KvStorage storage = new MemoryStorage(Runnable::run, Set.of(StorageTrait.EXCLUSIVE_OPEN));
        StoreWriter store = new StoreWriter(storage, coder);
        store.put("a", "1");
        store.write().put(Bytes.utf8("a"), Bytes.utf8("2"), 0).store();
        store.storeFloor(3);
        assertThat(values(store.reader().read(RangeQuery.of(ALL)))).containsExactly("1");
        assertThat(values(store.reader().read(at(ALL, 2)))).containsExactly("1");
    }

    @Test
    void anUnknownFloorOfASharedStoreMayHaveDeletedWhatAReadNeeds() {
        KvStorage storage = storage(false);
        StoreWriter leader = new StoreWriter(storage, coder);
        leader.put("a", "1");
        Revisions known = new Revisions(leader.revisions().committed(), -1);
        RangeReader follower =
                new RangeReader(new Store(storage, coder, known), new HeadCache(64 << 10, 2));
        leader.put("a", "2");
        leader.compact(3);
        assertThatThrownBy(() -> follower.read(RangeQuery.of(ALL)))
                .isInstanceOfSatisfying(
                        CompactedPointException.class, e -> assertThat(e.floor()).isEqualTo(3));
        assertCompacted(follower, at(ALL, 2));
        known.publish(leader.revisions().committed());
        assertThat(values(follower.read(RangeQuery.of(ALL)))).containsExactly("2");
    }

    @Test
    void aSnapshotWithoutTheRevisionOfTheReadPointIsRefused() {
        KvStorage formerPrimary = storage(false);
        StoreWriter store = new StoreWriter(formerPrimary, coder);
        store.put("a", "1");
        ReadPoint ofLeader = new ReadPoint(3, formerPrimary.timestamp());
        Store known = new Store(formerPrimary, coder, new Revisions(ofLeader, -1));
        RangeReader follower = new RangeReader(known, new HeadCache(64 << 10, 2));
        assertThatThrownBy(() -> follower.read(RangeQuery.of(ALL)))
                .isInstanceOfSatisfying(
                        StorageException.class,
                        e -> assertThat(e.kind()).isEqualTo(StorageException.Kind.UNAVAILABLE));
        store.put("a", "2");
        assertThat(values(follower.read(RangeQuery.of(ALL)))).containsExactly("2");
    }

    @Test
    void aPinnedReadIsCompleteBelowTheFloorOnlyWhileItsEpochLasts() {
        MemoryStorage storage = new MemoryStorage(Runnable::run, Set.of());
        StoreWriter store = new StoreWriter(storage, coder);
        store.put("a", "1");
        storeFence(storage, 1);
        store.put("a", "2");
        store.raiseFloor(3);
        assertThat(values(readPinned(store, 1))).containsExactly("1");
        storeFence(storage, 2);
        assertThatThrownBy(() -> readPinned(store, 1))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        e -> assertThat(e.kind()).isEqualTo(ErrorKind.LEADER_FAILED));
        assertThat(values(readPinned(store, 2))).containsExactly("1");
        storage.checkNoOpenSnapshots();
    }

    private OpResult.Range readPinned(StoreWriter store, long epoch) {
        return store.reader()
                .readPinned(
                        RangeQuery.of(ALL),
                        store.revisions().committed(),
                        epoch,
                        2,
                        new TreeMap<>(),
                        2,
                        ReadQuota.UNLIMITED);
    }

    private void storeFence(KvStorage storage, long epoch) {
        Bytes fence = new Fence(epoch, 1, 3, 0).encode();
        storage.commit(WriteBatch.builder().put(coder.fenceKey(), fence).build())
                .toCompletableFuture()
                .join();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStoredFloorIsEffectiveBeforeItIsPublished(boolean opensTimestamps) {
        Interrupting storage = storage(opensTimestamps);
        StoreWriter store = new StoreWriter(storage, coder);
        store.put("a", "1");
        store.put("a", "2");
        store.storeFloor(3);
        assertCompacted(store, at(ALL, 2));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFloorRaisedDuringAReadFailsTheRead(boolean opensTimestamps) {
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
    void aPointBelowTheFloorOfItsTimestampIsReadAtTheFloor() {
        MemoryStorage storage = new MemoryStorage();
        StoreWriter store = new StoreWriter(storage, coder);
        store.put("a", "1");
        store.put("a", "2");
        store.compact(3);
        ReadPoint behind = new ReadPoint(2, storage.timestamp());
        RangeReader follower =
                new RangeReader(
                        new Store(storage, coder, new Revisions(behind, -1)), store.known());
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
        assertCompacted(store.reader(), query);
    }

    private static void assertCompacted(RangeReader reader, RangeQuery query) {
        assertThatThrownBy(() -> reader.read(query))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        e -> assertThat(e.kind()).isEqualTo(ErrorKind.COMPACTED));
    }
}
