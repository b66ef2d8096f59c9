package io.brain.storage.placed;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import io.brain.storage.placed.Placement.State;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A base store, and placed stores that have the prefixes placed on them, as one storage: a batch is
 * committed in all its stores or in none, and a snapshot sees one moment of all. Prefixes are moved
 * while it serves.
 *
 * <p>The base is local: no other process has it open. Writes to a placed store that is unavailable
 * wait, and those after them; reads of other stores continue.
 */
public final class PlacedStorage extends ForwardingKvStorage {
    private static final Logger log = LoggerFactory.getLogger(PlacedStorage.class);

    private final KvStorage base;
    private final SortedMap<String, PlacedStore> stores;
    private final Function<Bytes, List<KeyRange>> ranges;
    private final Commits commits;
    private final Mover mover;
    private final boolean writable;
    private final AtomicBoolean closing = new AtomicBoolean();

    PlacedStorage(
            KvStorage base,
            SortedMap<String, PlacedStore> stores,
            Function<Bytes, List<KeyRange>> ranges,
            Commits commits,
            boolean writable,
            Mover.Pace pace) {
        super(base);
        this.base = base;
        this.stores = stores;
        this.ranges = ranges;
        this.commits = commits;
        this.mover = new Mover(base, stores, ranges, commits, pace);
        this.writable = writable;
    }

    /**
     * A placement and its progress.
     *
     * @param keys copied or cleared since the start of the process
     * @param bytes of them
     * @param trouble why it does not go on now; null: it does, or nothing is to be done
     */
    public record Status(Placement placement, long keys, long bytes, String trouble) {}

    /**
     * Opens the storage, which owns all stores and closes them, also when this fails. Brings a
     * placed store the commit that it lacks after a crash, and continues a move.
     *
     * @param base with the trait EXCLUSIVE_OPEN
     * @param stores by name
     * @param ranges of a prefix; of prefixes of which none begins with another, they do not overlap
     * @param id random, for a new base
     * @throws StorageException kind REFUSED if a store is missing, or is not the one that belongs
     *     to the base, with a line that names the remedy
     */
    public static PlacedStorage open(
            KvStorage base,
            Map<String, KvStorage> stores,
            Function<Bytes, List<KeyRange>> ranges,
            long id) {
        PlacedStorage storage = openStill(base, stores, ranges, id, Mover.Pace.STANDARD);
        storage.mover.start();
        return storage;
    }

    /** {@link #open} without a thread that moves. */
    static PlacedStorage openStill(
            KvStorage base,
            Map<String, KvStorage> stores,
            Function<Bytes, List<KeyRange>> ranges,
            long id,
            Mover.Pace pace) {
        return closedOnFailure(
                base, stores, () -> new Opening(base, stores, ranges, id).open(true, pace));
    }

    /**
     * Opens existing stores that are read-only, and changes nothing.
     *
     * @throws StorageException as {@link #open}; kind REFUSED also if a placed store lacks a commit
     */
    public static PlacedStorage openReadOnly(
            KvStorage base, Map<String, KvStorage> stores, Function<Bytes, List<KeyRange>> ranges) {
        return closedOnFailure(
                base,
                stores,
                () -> new Opening(base, stores, ranges, 0).open(false, Mover.Pace.STANDARD));
    }

    /**
     * Refuses a storage that must not be used alone.
     *
     * @param keyspace prefix of the keys that are to be used
     * @throws StorageException kind REFUSED if it has placed stores, or is one
     */
    public static void requireWhole(KvStorage storage, Bytes keyspace) {
        Opening.requireWhole(storage, keyspace);
    }

    private static PlacedStorage closedOnFailure(
            KvStorage base, Map<String, KvStorage> stores, Supplier<PlacedStorage> opening) {
        try {
            return opening.get();
        } catch (RuntimeException refused) {
            stores.values().forEach(KvStorage::close);
            base.close();
            throw refused;
        }
    }

    @Override
    public Snapshot snapshot() {
        return commits.snapshot();
    }

    @Override
    public CompletionStage<CommitResult> commit(WriteBatch batch) {
        return writable ? commits.commit(batch) : base.commit(batch);
    }

    @Override
    public CompletionStage<CommitResult> resolve(WriteBatch batch) {
        return commits.resolve(batch);
    }

    @Override
    public Snapshot snapshotAt(long timestamp) {
        throw new UnsupportedOperationException("snapshots at a timestamp");
    }

    /** The base's; REMOTE if a store is. */
    @Override
    public Set<StorageTrait> traits() {
        Set<StorageTrait> traits = EnumSet.noneOf(StorageTrait.class);
        traits.addAll(base.traits());
        traits.remove(StorageTrait.SNAPSHOT_AT_TIMESTAMP);
        if (storages().stream().anyMatch(one -> one.traits().contains(StorageTrait.REMOTE))) {
            traits.add(StorageTrait.REMOTE);
        }
        return traits;
    }

    /** The least of all stores, because a batch that is committed must fit into each. */
    @Override
    public int keyBytesMax() {
        int least = base.keyBytesMax();
        return storages().stream().mapToInt(KvStorage::keyBytesMax).reduce(least, Math::min);
    }

    /** The least of all stores, as of keys. */
    @Override
    public int valueBytesMax() {
        int least = base.valueBytesMax();
        return storages().stream().mapToInt(KvStorage::valueBytesMax).reduce(least, Math::min);
    }

    /** The least of all stores. */
    @Override
    public long batchBytesMax() {
        long least = base.batchBytesMax();
        return storages().stream().mapToLong(KvStorage::batchBytesMax).reduce(least, Math::min);
    }

    @Override
    public void reclaim() {
        base.reclaim();
        storages().forEach(KvStorage::reclaim);
    }

    @Override
    public void finishLoading() {
        base.finishLoading();
        storages().forEach(KvStorage::finishLoading);
    }

    /** {@link #stats} of each placed store, by name. */
    public Map<String, Map<String, Long>> storeStats() {
        Map<String, Map<String, Long>> stats = new TreeMap<>();
        stores.forEach((name, store) -> stats.put(name, store.storage().stats()));
        return stats;
    }

    /** All placements, in order of prefixes. */
    public List<Status> placements() {
        Mover.Progress progress = mover.progress();
        return commits.record().placements().stream()
                .sorted(Comparator.comparing(Placement::prefix))
                .map(
                        one ->
                                one.number() == progress.number()
                                        ? new Status(
                                                one,
                                                progress.keys(),
                                                progress.bytes(),
                                                progress.trouble())
                                        : new Status(one, 0, 0, null))
                .toList();
    }

    /**
     * Starts to move a prefix to a store, or cancels its move if it is still there. Returns when
     * that is recorded. Blocks.
     *
     * @param prefix not empty; neither it nor another placed prefix begins with the other
     * @param store a name, or {@link Placement#BASE}
     * @throws PlacementException if it cannot be moved
     * @throws StorageException if it was not recorded, or may not have been
     */
    public void place(Bytes prefix, String store) {
        if (!writable) {
            throw new PlacementException("the stores are open read-only");
        }
        try {
            commits.work(
                    () -> commits.record().cancels(prefix, store),
                    () -> placeInOrder(prefix, store));
        } finally {
            mover.wake();
        }
    }

    private void placeInOrder(Bytes prefix, String store) {
        PlacementRecord record = commits.record();
        Placement next = record.next(prefix, store, stores.keySet());
        if (next == null) {
            return;
        }
        SortedMap<String, Long> added = new TreeMap<>();
        if (!store.equals(Placement.BASE) && !record.numbers().containsKey(store)) {
            // First, because a store never leaves the base whose number it has.
            commits.keepId();
            added.put(store, adopt(stores.get(store), record.id()));
        }
        if (next.state() == State.MOVING) {
            // Before the record, which may turn out to be stored later.
            commits.startCopy(Chunk.start(next, ranges));
        }
        commits.change(record.with(next, added));
        log.info("placing prefix={} to={} state={}", prefix, store, next.state());
    }

    /** Makes a store one of this base; returns the number of its last commit. */
    private static long adopt(PlacedStore store, long id) {
        Bytes stored;
        try (Snapshot snapshot = store.storage().snapshot()) {
            stored = snapshot.get(Records.STORE);
        }
        long last = stored == null ? 0 : StoreRecord.decode(stored).number();
        StoreRecord own = new StoreRecord(id, store.name(), last + 1);
        WriteBatch batch =
                (stored == null
                                ? WriteBatch.builder().putIfAbsent(Records.STORE, own.encode())
                                : WriteBatch.builder()
                                        .compareAndSet(Records.STORE, stored, own.encode()))
                        .build();
        CommitResult end = Futures.join(store.storage().commit(batch));
        if (end instanceof CommitResult.Uncertain) {
            end = Futures.join(store.storage().resolve(batch));
        }
        if (!(end instanceof CommitResult.Committed committed)) {
            throw Futures.failure(end);
        }
        store.adopted(own, committed.timestamp());
        return own.number();
    }

    /** One step of a move, for tests. */
    void moveStep() {
        mover.step();
    }

    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        mover.close();
        commits.close();
        commits.refuseReads();
        // All at once: each refuses its readers, then waits for them.
        List<CompletableFuture<Void>> closed =
                storages().stream()
                        .map(storage -> CompletableFuture.runAsync(storage::close))
                        .toList();
        base.close();
        closed.forEach(CompletableFuture::join);
    }

    private Collection<KvStorage> storages() {
        return stores.values().stream().map(PlacedStore::storage).toList();
    }
}
