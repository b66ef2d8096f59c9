package io.brain.backend.watch;

import io.brain.backend.cache.EventRing;
import io.brain.backend.model.KeySpan;
import io.brain.backend.runtime.SimulatedRuntime;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.Store;
import io.brain.storage.Bytes;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageTrait;
import io.brain.storage.testkit.MemoryStorage;
import java.time.Duration;
import java.util.Set;
import java.util.function.UnaryOperator;

/** A hub on a memory store, with a history to write and time to move by hand. */
final class Fixture {
    final MemoryStorage memory;
    final SimulatedRuntime simulated = simulated(1);
    final History history;
    final EventRing ring;
    final WatchHub hub;

    Fixture(WatchSettings settings) {
        this(settings, UnaryOperator.identity(), StorageTrait.SNAPSHOT_AT_TIMESTAMP);
    }

    /** An engine of these traits, whose readers see it through a decorator. */
    Fixture(WatchSettings settings, UnaryOperator<KvStorage> forReaders, StorageTrait... traits) {
        KeyCoder coder = new KeyCoder(Bytes.EMPTY);
        memory = new MemoryStorage(Runnable::run, Set.of(traits));
        history = new History(memory, coder);
        ring = new EventRing(settings.ringBytesMax(), history.revision());
        hub =
                new WatchHub(
                        simulated.runtime(),
                        new Store(forReaders.apply(memory), coder, history.revisions()),
                        ring,
                        settings);
        history.tell(ring);
    }

    /** Threads of which watching uses only its own. */
    static SimulatedRuntime simulated(long seed) {
        SimulatedRuntime simulated = new SimulatedRuntime(seed);
        return simulated.only(simulated.watch(), simulated.logReaders());
    }

    /** Settings with a ring of this many bytes. */
    static WatchSettings ringOf(long bytes) {
        return new WatchSettings(
                bytes, 2, 16 << 20, 64 << 20, 20_000, Duration.ofMinutes(10), true, 0);
    }

    static Fixture roomy() {
        return new Fixture(ringOf(64 << 20));
    }

    /** A ring that can hold nothing: every replay reads the log. */
    static Fixture withoutRing() {
        return new Fixture(ringOf(1));
    }

    WatchStream open(RecordingSink sink) {
        WatchStream stream = hub.open(sink);
        simulated.run();
        return stream;
    }

    static KeySpan span(String key, String end) {
        return KeySpan.of(Bytes.utf8(key), Bytes.utf8(end));
    }

    static KeySpan key(String key) {
        return KeySpan.of(Bytes.utf8(key));
    }

    /** A plain watcher with an id of the stream's choice. */
    static WatchRequest watch(KeySpan span, long start) {
        return new WatchRequest(0, span, start, false, false, false, false, false);
    }

    static WatchRequest withId(long id, KeySpan span, long start) {
        return new WatchRequest(id, span, start, false, false, false, false, false);
    }

    static WatchRequest withPrevKv(KeySpan span, long start) {
        return new WatchRequest(0, span, start, true, false, false, false, false);
    }

    static WatchRequest withProgress(KeySpan span, long start) {
        return new WatchRequest(0, span, start, false, true, false, false, false);
    }

    static WatchRequest filtered(KeySpan span, long start, boolean noPut, boolean noDelete) {
        return new WatchRequest(0, span, start, false, false, false, noPut, noDelete);
    }
}
