package io.brain.storage.placed;

import io.brain.storage.Bytes;

/** The contract, with primaries and guards on a placed store, and a prefix that is moving. */
final class PlacedPrimaryTest extends PlacedMemoryTest {
    @Override
    void place(PlacedStorage storage) {
        Prefixes.move(storage, "x", "hot");
        Prefixes.move(storage, "f", "cold");
        Prefixes.move(storage, "a", "cold");
        Prefixes.move(storage, "c", "hot");
        storage.place(Bytes.utf8("k"), "cold");
    }
}
