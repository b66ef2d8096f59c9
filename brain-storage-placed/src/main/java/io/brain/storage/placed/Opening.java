package io.brain.storage.placed;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Mutation;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import io.brain.storage.placed.Placement.State;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks that stores belong together, and brings them to one commit. Used once. */
final class Opening {
    private static final Logger log = LoggerFactory.getLogger(Opening.class);

    private final KvStorage base;
    private final Map<String, KvStorage> given;
    private final Function<Bytes, List<KeyRange>> ranges;
    private final long id;

    Opening(
            KvStorage base,
            Map<String, KvStorage> given,
            Function<Bytes, List<KeyRange>> ranges,
            long id) {
        this.base = base;
        this.given = given;
        this.ranges = ranges;
        this.id = id;
    }

    PlacedStorage open(boolean writable, Mover.Pace pace) {
        if (!base.traits().contains(StorageTrait.EXCLUSIVE_OPEN)) {
            throw refused("placed stores need a base store that one process has open (rocksdb)");
        }
        Bytes stored;
        Bytes last;
        try (Snapshot snapshot = base.snapshot()) {
            stored = snapshot.get(Records.PLACEMENTS);
            last = snapshot.get(Records.REDO);
        }
        PlacementRecord record =
                stored == null ? PlacementRecord.empty(id) : PlacementRecord.decode(stored);
        PlacementRecord kept = withoutMissing(record);
        Redo redo = last == null ? Redo.NONE : Redo.decode(last);
        SortedMap<String, PlacedStore> stores = new TreeMap<>();
        given.forEach(
                (name, storage) -> {
                    PlacedStore store = checked(name, storage, kept);
                    stores.put(name, store);
                    bring(store, kept, redo, writable);
                });
        Commits commits =
                new Commits(base, stores, ranges, record, stored != null, copied(kept, stores));
        if (!kept.equals(record) && writable) {
            commits.work(() -> commits.change(kept));
        }
        return new PlacedStorage(base, stores, ranges, commits, writable, pace);
    }

    /** Forgets an unfinished copy in a store that is not given, or new: nothing is read from it. */
    private PlacementRecord withoutMissing(PlacementRecord record) {
        PlacementRecord kept = record;
        for (Placement one : record.placements()) {
            if (!isGiven(one.store())) {
                throw refused(
                        "%s is placed on store %s: start with --placed-store %s=..."
                                .formatted(one.prefix(), one.store(), one.store()));
            }
            if (one.state() != State.PLACED && !hasCopy(one.other())) {
                log.warn(
                        "forgetting a copy, its store is not given, or new prefix={} store={}",
                        one.prefix(),
                        one.other());
                kept = kept.with(one.cleared(kept.changes() + 1), new TreeMap<>());
            }
        }
        return kept;
    }

    private boolean isGiven(String name) {
        return name.equals(Placement.BASE) || given.containsKey(name);
    }

    private boolean hasCopy(String name) {
        if (name.equals(Placement.BASE)) {
            return true;
        }
        KvStorage store = given.get(name);
        if (store == null) {
            return false;
        }
        try (Snapshot snapshot = store.snapshot()) {
            return snapshot.get(Records.STORE) != null;
        }
    }

    private static PlacedStore checked(String name, KvStorage storage, PlacementRecord record) {
        Bytes stored;
        boolean empty;
        try (Snapshot snapshot = storage.snapshot()) {
            stored = snapshot.get(Records.STORE);
            empty = isEmpty(snapshot);
        }
        StoreRecord own = stored == null ? null : StoreRecord.decode(stored);
        if (own != null && (own.base() != record.id() || !own.name().equals(name))) {
            throw refused(
                    "store %s belongs to another data directory, or its name is %s"
                            .formatted(name, own.name()));
        }
        if (!record.numbers().containsKey(name)) {
            if (!empty) {
                throw refused("store " + name + " is not empty, and nothing is placed on it");
            }
        } else if (own == null) {
            throw refused(
                    "store %s is empty or another one: give the one that has its prefixes"
                            .formatted(name));
        }
        return new PlacedStore(name, storage, own);
    }

    private static boolean isEmpty(Snapshot snapshot) {
        KeyRange records = Records.RANGE;
        for (KeyRange range :
                List.of(
                        new KeyRange(Bytes.EMPTY, records.start()),
                        new KeyRange(records.end(), null))) {
            try (Cursor cursor = snapshot.cursor(range, Cursor.Direction.FORWARD)) {
                if (cursor.next()) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Brings a store the base's last commit, if it lacks that. */
    private static void bring(
            PlacedStore store, PlacementRecord record, Redo redo, boolean writable) {
        Long wanted = record.numbers().get(store.name());
        if (wanted == null || store.record().number() == wanted) {
            return;
        }
        List<Mutation> changes = redo.changes().get(store.name());
        long number = store.record().number();
        if (number > wanted) {
            throw refused(
                    "store %s is newer than the data directory: restore both from one moment"
                            .formatted(store.name()));
        }
        if (changes == null || number != wanted - 1) {
            throw refused(
                    "store %s is an older copy, %d commits behind: restore all from one moment"
                            .formatted(store.name(), wanted - number));
        }
        if (!writable) {
            throw refused(
                    "store %s lacks the last commit: start the server once, and stop it"
                            .formatted(store.name()));
        }
        WriteBatch batch = store.batch(changes);
        CommitResult end = Futures.join(store.storage().commit(batch));
        if (end instanceof CommitResult.Uncertain) {
            end = Futures.join(store.storage().resolve(batch));
        }
        if (!(end instanceof CommitResult.Committed committed)) {
            throw Futures.failure(end);
        }
        store.committed(committed.timestamp());
        log.info("brought the last commit to store={} number={}", store.name(), wanted);
    }

    /** How far the copy is that was not finished; null: there is none. */
    private Position copied(PlacementRecord record, SortedMap<String, PlacedStore> stores) {
        Placement moving = record.unfinished();
        if (moving == null || moving.state() != State.MOVING) {
            return null;
        }
        PlacedStore target = stores.get(moving.other());
        Bytes stored;
        try (Snapshot snapshot = (target == null ? base : target.storage()).snapshot()) {
            stored = snapshot.get(Records.POSITION);
        }
        Position at = stored == null ? null : Position.decode(stored);
        return at != null && at.number() == moving.number() ? at : Chunk.start(moving, ranges);
    }

    static void requireWhole(KvStorage storage, Bytes keyspace) {
        try (Snapshot snapshot = storage.snapshot()) {
            Bytes stored = snapshot.get(keyspace.concat(Records.STORE));
            if (stored != null) {
                throw refused(
                        "this is the placed store %s of another data directory: see --placed-store"
                                .formatted(StoreRecord.decode(stored).name()));
            }
            Bytes placements = snapshot.get(Records.PLACEMENTS);
            if (placements != null) {
                List<Placement> all = PlacementRecord.decode(placements).placements();
                if (!all.isEmpty()) {
                    throw refused(
                            "%s is placed on store %s: --placed-store is missing"
                                    .formatted(all.get(0).prefix(), name(all.get(0))));
                }
            }
        }
    }

    private static String name(Placement placement) {
        return placement.store().equals(Placement.BASE) ? placement.other() : placement.store();
    }

    private static StorageException refused(String why) {
        return new StorageException(Kind.REFUSED, why);
    }
}
