package io.brain.storage.placed;

import io.brain.storage.Bytes;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageTrait;
import io.brain.storage.testkit.MemoryStorage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Short words for tests: a prefix has one range, its own. */
final class Prefixes {
    static final Function<Bytes, List<KeyRange>> RANGES =
            prefix -> List.of(KeyRange.prefix(prefix));

    static final long ID = 7;

    private Prefixes() {}

    static MemoryStorage base() {
        return new MemoryStorage(
                Runnable::run, Set.of(StorageTrait.SURVIVES_RESTART, StorageTrait.EXCLUSIVE_OPEN));
    }

    /** Without a thread that moves. */
    static PlacedStorage open(KvStorage base, Map<String, KvStorage> stores) {
        Mover.Pace pace = new Mover.Pace(Duration.ZERO, 7, 1000);
        return PlacedStorage.openStill(base, stores, RANGES, ID, pace);
    }

    /** Moves a prefix, to the end. */
    static void move(PlacedStorage storage, String prefix, String store) {
        storage.place(Bytes.utf8(prefix), store);
        finish(storage);
    }

    /** Ends what is unfinished. */
    static void finish(PlacedStorage storage) {
        for (int i = 0; i < 100_000; i++) {
            if (storage.placements().stream()
                    .allMatch(one -> one.placement().state() == Placement.State.PLACED)) {
                return;
            }
            storage.moveStep();
        }
        throw new AssertionError("the move does not end: " + storage.placements());
    }
}
