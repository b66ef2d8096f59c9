package io.brain.storage.placed;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.Fault;
import io.brain.storage.testkit.FaultyStorage;
import io.brain.storage.testkit.MemoryStorage;
import io.brain.storage.testkit.RandomFaults;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random batches, reads, moves and crashes, with failing and uncertain commits of each store: what
 * is read equals one sorted map. A run repeats with its seed.
 */
final class PlacementModelTest {
    private static final List<String> PREFIXES = List.of("a/", "b/", "c/");
    private static final List<String> STORES = List.of("base", "cold", "hot");
    private static final int STEPS = 1500;
    private static final Bytes FENCE = Bytes.utf8("fence");

    private static final List<Fault.Outcome> OUTCOMES =
            List.of(
                    Fault.Outcome.UNAVAILABLE,
                    Fault.Outcome.UNCERTAIN_NOT_APPLIED,
                    Fault.Outcome.UNCERTAIN_APPLIED,
                    Fault.Outcome.UNCERTAIN_THEN_APPLIED);

    private final NavigableMap<Bytes, Bytes> model = new TreeMap<>();
    private final List<Held> held = new ArrayList<>();

    /** Commits on their way to a store. */
    private final Deque<Runnable> late = new ArrayDeque<>();

    private Random random;
    private double faultRate;
    private MemoryStorage base = Prefixes.base();
    private MemoryStorage hot = new MemoryStorage();
    private MemoryStorage cold = new MemoryStorage();
    private PlacedStorage storage;
    private int fence;
    private int moved;
    private int crashes;
    private int uncertain;

    /** A snapshot and what it must show. */
    private record Held(Snapshot snapshot, NavigableMap<Bytes, Bytes> content) {}

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void whatIsReadEqualsOneMap(long seed) {
        random = new Random(seed);
        open();
        commitFence();
        faultRate = seed % 3 == 0 ? 0 : 0.1;
        for (int step = 0; step < STEPS; step++) {
            act();
        }
        faultRate = 0;
        settle();
        Prefixes.finish(storage);
        check();
        assertThat(moved).as("moves").isGreaterThan(5);
        assertThat(crashes).as("crashes").isGreaterThan(5);
        assertThat(uncertain > 0).as("uncertain commits").isEqualTo(seed % 3 != 0);
        requireSpread();
        held.forEach(one -> one.snapshot.close());
        storage.close();
    }

    private void act() {
        int dice = random.nextInt(100);
        if (dice < 50) {
            write();
        } else if (dice < 70) {
            check();
        } else if (dice < 74) {
            hold();
        } else if (dice < 90) {
            step();
        } else if (dice < 97) {
            place();
        } else if (dice < 98) {
            crash();
        } else {
            compact();
        }
    }

    private void open() {
        storage = Prefixes.open(faulty(base), Map.of("hot", faulty(hot), "cold", faulty(cold)));
    }

    private KvStorage faulty(KvStorage store) {
        return new FaultyStorage(store, this::fault, (delay, task) -> late.add(task));
    }

    private Fault fault(WriteBatch batch) {
        if (faultRate == 0) {
            return Fault.NONE;
        }
        Fault fault = new RandomFaults(random, faultRate, Duration.ZERO, OUTCOMES).apply(batch);
        return fault.outcome() == Fault.Outcome.UNCERTAIN_THEN_APPLIED
                ? fault.delayed(Duration.ZERO, Duration.ofMillis(1))
                : fault;
    }

    /** Commits arrive that were uncertain before. */
    private void arrive() {
        while (!late.isEmpty()) {
            late.remove().run();
        }
    }

    private void commitFence() {
        WriteBatch first = WriteBatch.builder().putIfAbsent(FENCE, value(0)).build();
        assertThat(Futures.join(storage.commit(first))).isInstanceOf(CommitResult.Committed.class);
        model.put(FENCE, value(0));
    }

    /** A batch over several stores, after a fence, as the backend sends it. */
    private void write() {
        WriteBatch.Builder batch = WriteBatch.builder();
        batch.compareAndSet(FENCE, value(fence), value(fence + 1));
        NavigableMap<Bytes, Bytes> changes = new TreeMap<>();
        for (int i = random.nextInt(6); i >= 0; i--) {
            Bytes value = random.nextInt(4) == 0 ? null : Bytes.utf8("v" + random.nextInt());
            changes.put(key(), value);
        }
        boolean guarded = random.nextInt(5) == 0;
        boolean holds = true;
        for (var change : changes.entrySet()) {
            Bytes key = change.getKey();
            Bytes expected = guarded && random.nextBoolean() ? model.get(key) : null;
            if (expected != null && change.getValue() != null) {
                boolean right = random.nextInt(4) > 0;
                holds &= right;
                batch.compareAndSet(key, right ? expected : Bytes.utf8("wrong"), change.getValue());
            } else if (change.getValue() != null) {
                batch.put(key, change.getValue());
            } else {
                batch.delete(key);
            }
        }
        CommitResult end = finalOutcome(batch.build());
        if (end instanceof CommitResult.Committed) {
            assertThat(holds).isTrue();
            fence++;
            model.put(FENCE, value(fence));
            apply(changes);
        } else if (end instanceof CommitResult.Conflict) {
            assertThat(holds).isFalse();
        }
    }

    private void apply(Map<Bytes, Bytes> changes) {
        changes.forEach(
                (key, value) -> {
                    if (value == null) {
                        model.remove(key);
                    } else {
                        model.put(key, value);
                    }
                });
    }

    /** What happens while the outcome of a commit is open. */
    private void disturb() {
        switch (random.nextInt(10)) {
            case 0 -> crash();
            case 1, 2, 3 -> arrive();
            case 4, 5, 6 -> step();
            case 7 -> place();
            default -> {}
        }
    }

    private CommitResult finalOutcome(WriteBatch batch) {
        CommitResult end = Futures.join(storage.commit(batch));
        while (end instanceof CommitResult.Uncertain) {
            uncertain++;
            disturb();
            end = Futures.join(storage.resolve(batch));
        }
        return end;
    }

    /** Deletes without a fence, as a compaction sends them: repeated until they are committed. */
    private void compact() {
        WriteBatch.Builder batch = WriteBatch.builder();
        NavigableMap<Bytes, Bytes> changes = new TreeMap<>();
        for (int i = 0; i < 5; i++) {
            changes.put(key(), null);
        }
        changes.keySet().forEach(batch::delete);
        WriteBatch deletes = batch.build();
        while (!(Futures.join(storage.commit(deletes)) instanceof CommitResult.Committed)) {
            uncertain++;
            arrive(); // before anything else is written
        }
        apply(changes);
    }

    private void place() {
        String prefix = PREFIXES.get(random.nextInt(PREFIXES.size()));
        try {
            storage.place(Bytes.utf8(prefix), STORES.get(random.nextInt(STORES.size())));
            moved++;
        } catch (PlacementException | StorageException refused) {
            assertThat(refused.getMessage()).isNotEmpty();
        }
    }

    private void step() {
        try {
            storage.moveStep();
        } catch (StorageException failed) {
            assertThat(failed.getMessage()).contains("injected");
        }
    }

    /** The process ends, and another one opens what is stored. */
    private void crash() {
        crashes++;
        base.crash();
        hot.crash();
        cold.crash();
        held.clear();
        late.clear();
        base = base.openAgain(Runnable::run);
        hot = hot.openAgain(Runnable::run);
        cold = cold.openAgain(Runnable::run);
        double rate = faultRate;
        faultRate = 0;
        open();
        faultRate = rate;
    }

    private void settle() {
        WriteBatch.Builder nothing = WriteBatch.builder().delete(Bytes.utf8("absent"));
        CommitResult end = Futures.join(storage.commit(nothing.build()));
        for (int i = 0; i < 3 && !(end instanceof CommitResult.Committed); i++) {
            end = Futures.join(storage.commit(nothing.build())); // another one is resolved first
        }
        assertThat(end).isInstanceOf(CommitResult.Committed.class);
    }

    private void hold() {
        if (held.size() > 3) {
            Held oldest = held.remove(0);
            requireEqual(oldest.snapshot, oldest.content);
            oldest.snapshot.close();
        }
        try {
            held.add(new Held(storage.snapshot(), new TreeMap<>(model)));
        } catch (StorageException away) {
            assertThat(away.getMessage()).contains("injected");
        }
    }

    /** The newest state, unless a commit of a move is in doubt. */
    private void check() {
        try (Snapshot snapshot = storage.snapshot()) {
            requireEqual(snapshot, model);
        } catch (StorageException away) {
            assertThat(away.getMessage()).contains("injected");
        }
    }

    private void requireEqual(Snapshot snapshot, NavigableMap<Bytes, Bytes> expected) {
        assertThat(read(snapshot, KeyRange.ALL, Cursor.Direction.FORWARD)).isEqualTo(expected);
        Bytes from = key();
        Bytes to = key();
        if (from.compareTo(to) < 0) {
            NavigableMap<Bytes, Bytes> part = expected.subMap(from, true, to, false);
            KeyRange range = new KeyRange(from, to);
            assertThat(read(snapshot, range, Cursor.Direction.REVERSE)).isEqualTo(part);
            assertThat(read(snapshot, range, Cursor.Direction.FORWARD)).isEqualTo(part);
        }
        assertThat(snapshot.get(from)).isEqualTo(expected.get(from));
        assertThat(snapshot.get(List.of(from, to, FENCE)))
                .isEqualTo(
                        Arrays.asList(expected.get(from), expected.get(to), expected.get(FENCE)));
        try (Cursor cursor = snapshot.cursor(KeyRange.ALL, Cursor.Direction.REVERSE)) {
            Bytes floor = expected.floorKey(from);
            assertThat(cursor.seek(from)).isEqualTo(floor != null);
            assertThat(floor == null || cursor.key().equals(floor)).isTrue();
        }
    }

    private static NavigableMap<Bytes, Bytes> read(
            Snapshot snapshot, KeyRange range, Cursor.Direction direction) {
        NavigableMap<Bytes, Bytes> content = new TreeMap<>();
        try (Cursor cursor = snapshot.cursor(range, direction)) {
            Bytes last = null;
            while (cursor.next()) {
                boolean forward = direction == Cursor.Direction.FORWARD;
                assertThat(last == null || (cursor.key().compareTo(last) > 0) == forward).isTrue();
                last = cursor.key();
                content.put(cursor.key(), cursor.value());
            }
        }
        return content;
    }

    /** Each store has exactly the prefixes that are placed on it. */
    private void requireSpread() {
        Map<String, MemoryStorage> stores = Map.of("base", base, "hot", hot, "cold", cold);
        for (String prefix : PREFIXES) {
            KeyRange range = KeyRange.prefix(Bytes.utf8(prefix));
            String home =
                    storage.placements().stream()
                            .filter(one -> one.placement().prefix().equals(Bytes.utf8(prefix)))
                            .map(one -> one.placement().store())
                            .findFirst()
                            .orElse("base");
            stores.forEach(
                    (name, store) -> {
                        try (Snapshot snapshot = store.snapshot()) {
                            boolean empty =
                                    read(snapshot, range, Cursor.Direction.FORWARD).isEmpty();
                            assertThat(name.equals(home) || empty)
                                    .as("%s in %s, placed on %s", prefix, name, home)
                                    .isTrue();
                        }
                    });
        }
    }

    private Bytes key() {
        String[] places = {"a/", "b/", "c/", "", "z", "a", "b0"};
        return Bytes.utf8(places[random.nextInt(places.length)] + "k" + random.nextInt(60));
    }

    private static Bytes value(int fence) {
        return Bytes.utf8("fence " + fence);
    }
}
