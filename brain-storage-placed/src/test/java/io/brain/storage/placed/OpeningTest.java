package io.brain.storage.placed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Cursor;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.Fault;
import io.brain.storage.testkit.FaultyStorage;
import io.brain.storage.testkit.MemoryStorage;
import io.brain.storage.testkit.ScriptedFaults;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Which stores belong together, and what is brought to one that lacks a commit. */
final class OpeningTest {
    private MemoryStorage base = Prefixes.base();
    private MemoryStorage hot = new MemoryStorage();

    private PlacedStorage open() {
        base = base.openAgain(Runnable::run);
        hot = hot.openAgain(Runnable::run);
        return Prefixes.open(base, Map.of("hot", hot));
    }

    private static void put(KvStorage storage, String key, String value) {
        WriteBatch batch = WriteBatch.builder().put(Bytes.utf8(key), Bytes.utf8(value)).build();
        assertThat(Futures.join(storage.commit(batch))).isInstanceOf(CommitResult.Committed.class);
    }

    private static String get(KvStorage storage, String key) {
        return get(storage, Bytes.utf8(key));
    }

    private static String get(KvStorage storage, Bytes key) {
        try (Snapshot snapshot = storage.snapshot()) {
            Bytes value = snapshot.get(key);
            return value == null ? null : value.toString();
        }
    }

    private static String refusal(Map<String, KvStorage> stores, KvStorage base) {
        StorageException refused =
                catchThrowableOfType(
                        StorageException.class, () -> Prefixes.open(base, stores).close());
        assertThat(refused).isNotNull();
        assertThat(refused.kind()).isEqualTo(StorageException.Kind.REFUSED);
        assertThat(refused.getMessage()).doesNotContain("\n");
        return refused.getMessage();
    }

    private void placed() {
        try (PlacedStorage storage = open()) {
            put(storage, "p/1", "1");
            Prefixes.move(storage, "p/", "hot");
            put(storage, "p/2", "2");
        }
        base = base.openAgain(Runnable::run);
        hot = hot.openAgain(Runnable::run);
    }

    /** A copy of everything in a store. */
    private static MemoryStorage copy(KvStorage store) {
        MemoryStorage copy = new MemoryStorage();
        try (Snapshot snapshot = store.snapshot();
                var cursor = snapshot.cursor(KeyRange.ALL, Cursor.Direction.FORWARD)) {
            WriteBatch.Builder all = WriteBatch.builder();
            while (cursor.next()) {
                all.put(cursor.key(), cursor.value());
            }
            var unused = copy.commit(all.build());
        }
        return copy;
    }

    @Test
    void aMissingStoreIsRefusedWithTheFlagThatNamesIt() {
        placed();
        assertThat(refusal(Map.of(), base))
                .isEqualTo("p/ is placed on store hot: start with --placed-store hot=...");
    }

    @Test
    void anEmptyStoreIsRefused() {
        placed();
        assertThat(refusal(Map.of("hot", new MemoryStorage()), base))
                .contains("hot is empty or another one");
    }

    @Test
    void anotherBasesStoreIsRefused() {
        placed();
        assertThatThrownBy(
                        () ->
                                PlacedStorage.open(
                                        Prefixes.base(),
                                        Map.of("hot", hot),
                                        Prefixes.RANGES,
                                        Prefixes.ID + 1))
                .hasMessage("store hot belongs to another data directory, or its name is hot");
    }

    /** The number of a new base is another one at each start, until it is stored. */
    @Test
    void aStoreThatWasAdoptedBeforeACrashBelongsToTheBaseAfterIt() {
        KvStorage dying =
                new ForwardingKvStorage(base) {
                    @Override
                    public CompletionStage<CommitResult> commit(WriteBatch batch) {
                        return get(hot, Records.STORE) == null
                                ? super.commit(batch)
                                : CompletableFuture.completedFuture(
                                        new CommitResult.Unavailable(
                                                new StorageException(
                                                        StorageException.Kind.UNAVAILABLE,
                                                        "crashed")));
                    }
                };
        PlacedStorage first = Prefixes.open(dying, Map.of("hot", hot));
        assertThatThrownBy(() -> first.place(Bytes.utf8("p/"), "hot")).hasMessage("crashed");
        first.close();
        base = base.openAgain(Runnable::run);
        hot = hot.openAgain(Runnable::run);
        PlacedStorage.requireWhole(base, Bytes.EMPTY);
        try (PlacedStorage second =
                PlacedStorage.openStill(
                        base,
                        Map.of("hot", hot),
                        Prefixes.RANGES,
                        Prefixes.ID + 1,
                        Mover.Pace.STANDARD)) {
            put(second, "p/1", "1");
            Prefixes.move(second, "p/", "hot");
            assertThat(get(second, "p/1")).isEqualTo("1");
        }
    }

    @Test
    void aStoreUnderAnotherNameIsRefused() {
        placed();
        assertThat(refusal(Map.of("hot", new MemoryStorage(), "cold", hot), base))
                .containsAnyOf("its name is hot", "empty or another one");
    }

    @Test
    void aStoreWithForeignKeysIsRefused() {
        put(hot, "foreign", "1");
        assertThat(refusal(Map.of("hot", hot), base)).contains("hot is not empty");
    }

    @Test
    void anOlderCopyIsRefused() {
        placed();
        MemoryStorage older = copy(hot);
        try (PlacedStorage storage = open()) {
            put(storage, "p/3", "3");
            put(storage, "p/4", "4");
        }
        assertThat(refusal(Map.of("hot", older), base.openAgain(Runnable::run)))
                .contains("hot is an older copy, 2 commits behind");
    }

    @Test
    void aNewerStoreIsRefused() {
        placed();
        MemoryStorage newer = copy(hot);
        StoreRecord record;
        try (Snapshot snapshot = newer.snapshot()) {
            record = StoreRecord.decode(snapshot.get(Records.STORE));
        }
        WriteBatch batch = WriteBatch.builder().put(Records.STORE, record.next().encode()).build();
        var unused = newer.commit(batch);
        assertThat(refusal(Map.of("hot", newer), base)).contains("hot is newer");
    }

    @Test
    void aSharedBaseIsRefused() {
        assertThat(refusal(Map.of("hot", hot), new MemoryStorage()))
                .contains("one process has open");
    }

    @Test
    void aBaseWithPlacementsIsNotUsedAlone() {
        placed();
        assertThatThrownBy(() -> PlacedStorage.requireWhole(base, Bytes.EMPTY))
                .hasMessage("p/ is placed on store hot: --placed-store is missing");
        assertThatThrownBy(() -> PlacedStorage.requireWhole(hot, Bytes.EMPTY))
                .hasMessageContaining("this is the placed store hot");
        PlacedStorage.requireWhole(Prefixes.base(), Bytes.EMPTY);
    }

    @Test
    void aBaseIsWholeAgainWhenEverythingIsHome() {
        placed();
        try (PlacedStorage storage = open()) {
            Prefixes.move(storage, "p/", "base");
            assertThat(storage.placements()).isEmpty();
        }
        base = base.openAgain(Runnable::run);
        PlacedStorage.requireWhole(base, Bytes.EMPTY);
        assertThat(get(base, "p/2")).isEqualTo("2");
        // The store can be used again.
        try (PlacedStorage storage = open()) {
            Prefixes.move(storage, "p/", "hot");
            assertThat(get(storage, "p/2")).isEqualTo("2");
        }
    }

    @Test
    void anUnfinishedCopyIsForgottenWithItsStore() {
        try (PlacedStorage storage = open()) {
            for (int i = 0; i < 30; i++) {
                put(storage, "p/" + i, "1");
            }
            storage.place(Bytes.utf8("p/"), "hot");
            storage.moveStep();
        }
        base = base.openAgain(Runnable::run);
        try (PlacedStorage storage = Prefixes.open(base, Map.of())) {
            assertThat(storage.placements()).isEmpty();
            assertThat(get(storage, "p/29")).isEqualTo("1");
        }
    }

    /** The network has it when the process ends. */
    @Test
    void aCopyThatArrivesAfterARestartBringsNoDeletedKey() {
        Deque<Runnable> late = new ArrayDeque<>();
        ScriptedFaults faults = new ScriptedFaults();
        KvStorage remote = new FaultyStorage(hot, faults, (delay, task) -> late.add(task));
        PlacedStorage killed = Prefixes.open(base, Map.of("hot", remote));
        for (int i = 10; i < 40; i++) {
            put(killed, "p/" + i, "1");
        }
        killed.place(Bytes.utf8("p/"), "hot");
        faults.then(
                Fault.of(Fault.Outcome.UNCERTAIN_THEN_APPLIED)
                        .delayed(Duration.ZERO, Duration.ofMillis(1)));
        assertThatThrownBy(killed::moveStep).hasMessageContaining("injected");

        try (PlacedStorage storage = Prefixes.open(base, Map.of("hot", hot))) {
            late.remove().run();
            WriteBatch batch = WriteBatch.builder().delete(Bytes.utf8("p/12")).build();
            assertThat(Futures.join(storage.commit(batch)))
                    .isInstanceOf(CommitResult.Committed.class);
            Prefixes.finish(storage);
            assertThat(get(storage, "p/11")).isEqualTo("1");
            assertThat(get(storage, "p/12")).isNull();
        }
    }

    /** A disk was lost and replaced. */
    @Test
    void anUnfinishedCopyIsForgottenIfItsStoreIsNew() {
        try (PlacedStorage storage = open()) {
            for (int i = 0; i < 30; i++) {
                put(storage, "p/" + i, "1");
            }
            storage.place(Bytes.utf8("p/"), "hot");
            storage.moveStep();
        }
        hot = new MemoryStorage();
        try (PlacedStorage storage = open()) {
            assertThat(storage.placements()).isEmpty();
            put(storage, "p/29", "2");
            Prefixes.move(storage, "p/", "hot");
            assertThat(get(storage, "p/0")).isEqualTo("1");
            assertThat(get(storage, "p/29")).isEqualTo("2");
        }
        hot = new MemoryStorage();
        assertThat(refusal(Map.of("hot", hot), base.openAgain(Runnable::run)))
                .contains("hot is empty or another one");
    }

    @Test
    void theLastCommitIsBroughtOnceToAStoreThatLacksIt() {
        placed();
        MemoryStorage older = copy(hot);
        try (PlacedStorage storage = open()) {
            put(storage, "p/3", "3");
        }
        assertThatThrownBy(
                        () ->
                                PlacedStorage.openReadOnly(
                                        base.openAgain(Runnable::run),
                                        Map.of("hot", older.openAgain(Runnable::run)),
                                        Prefixes.RANGES))
                .hasMessageContaining("start the server once");
        hot = older;
        for (int i = 0; i < 2; i++) {
            try (PlacedStorage storage = open()) {
                assertThat(get(storage, "p/3")).isEqualTo("3");
                assertThat(get(storage, "p/2")).isEqualTo("2");
            }
        }
    }

    /** Each fault at each of the two commits of a batch, and a crash after it or not. */
    @Test
    void aBatchIsInBothStoresOrInNone() {
        for (Fault.Outcome outcome : Fault.Outcome.values()) {
            for (boolean atBase : new boolean[] {true, false}) {
                for (boolean crash : new boolean[] {true, false}) {
                    base = Prefixes.base();
                    hot = new MemoryStorage();
                    if (outcome != Fault.Outcome.CONFLICT
                            && outcome != Fault.Outcome.UNCERTAIN_THEN_APPLIED) {
                        requireAtomic(outcome, atBase, crash);
                    }
                }
            }
        }
    }

    private void requireAtomic(Fault.Outcome outcome, boolean atBase, boolean crash) {
        placed();
        ScriptedFaults faults = new ScriptedFaults();
        KvStorage faulty = new FaultyStorage(atBase ? base : hot, faults);
        PlacedStorage storage =
                Prefixes.open(atBase ? faulty : base, Map.of("hot", atBase ? hot : faulty));
        put(storage, "fence", "1");
        WriteBatch batch =
                WriteBatch.builder()
                        .compareAndSet(Bytes.utf8("fence"), Bytes.utf8("1"), Bytes.utf8("2"))
                        .put(Bytes.utf8("p/1"), Bytes.utf8("new"))
                        .delete(Bytes.utf8("p/2"))
                        .build();
        faults.then(Fault.of(outcome).resolvedAfter(2));
        CommitResult end = Futures.join(storage.commit(batch));
        if (crash) {
            base.crash();
            hot.crash();
            storage = open();
        }
        int tries = 0;
        while (end instanceof CommitResult.Uncertain && tries++ < 10) {
            if (!atBase && !crash) {
                // The base is at the new commit, and what the other store has cannot be read.
                assertThat(get(storage, "fence")).isEqualTo("2");
                KvStorage away = storage;
                assertThatThrownBy(() -> get(away, "p/1")).hasMessageContaining("store hot");
            }
            end = Futures.join(storage.resolve(batch));
        }
        boolean committed = end instanceof CommitResult.Committed;
        String what = outcome + " at base " + atBase + " crash " + crash + ": " + end;
        assertThat(committed || end instanceof CommitResult.Unavailable).as(what).isTrue();
        assertThat(committed)
                .as(what)
                .isEqualTo(
                        !atBase
                                || outcome == Fault.Outcome.NONE
                                || outcome == Fault.Outcome.UNCERTAIN_APPLIED);
        Map<String, String> read = new TreeMap<>();
        for (String key : new String[] {"fence", "p/1", "p/2"}) {
            read.put(key, String.valueOf(get(storage, key)));
        }
        assertThat(read)
                .as(what)
                .isEqualTo(
                        committed
                                ? Map.of("fence", "2", "p/1", "new", "p/2", "null")
                                : Map.of("fence", "1", "p/1", "1", "p/2", "2"));
        storage.close();
    }
}
