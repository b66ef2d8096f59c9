package io.brain.storage.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Cursor;
import io.brain.storage.Cursor.Direction;
import io.brain.storage.KeyRange;
import io.brain.storage.Mutation;
import io.brain.storage.Snapshot;
import io.brain.storage.WriteBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random histories, compared step by step with a sorted map. A failure names its seed. */
interface ModelContract extends StoreUnderTest {
    /** An open snapshot, and what it must show. */
    record Pair(Snapshot snapshot, NavigableMap<Bytes, Bytes> model) {}

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5})
    default void randomHistoriesEqualThoseOfASortedMap(long seed) {
        Random random = new Random(seed);
        NavigableMap<Bytes, Bytes> model = new TreeMap<>();
        List<Pair> open = new ArrayList<>();
        try {
            for (int step = 0; step < 400; step++) {
                takeStep(random, model, open, step, "seed " + seed + ", step " + step);
            }
        } finally {
            open.forEach(pair -> pair.snapshot().close());
        }
    }

    /** Commits, now and then opens or closes a snapshot, and looks at one of those open. */
    private void takeStep(
            Random random,
            NavigableMap<Bytes, Bytes> model,
            List<Pair> open,
            int step,
            String where) {
        WriteBatch batch = randomBatch(random, model, step);
        boolean allowed =
                batch.mutations().stream()
                        .allMatch(mutation -> mutation.holds(model.get(mutation.key())));
        CommitResult end = await(store().commit(batch));
        if (allowed) {
            assertThat(end).as(where).isInstanceOf(CommitResult.Committed.class);
            batch.mutations().forEach(mutation -> apply(mutation, model));
        } else {
            assertThat(end).as(where).isInstanceOf(CommitResult.Conflict.class);
        }
        if (random.nextInt(8) == 0) {
            open.add(new Pair(store().snapshot(), new TreeMap<>(model)));
        }
        if (!open.isEmpty()) {
            compare(random, open.get(random.nextInt(open.size())), where);
        }
        if (open.size() > 6) {
            open.remove(random.nextInt(open.size())).snapshot().close();
        }
    }

    private static void apply(Mutation mutation, NavigableMap<Bytes, Bytes> model) {
        if (mutation.newValue() == null) {
            model.remove(mutation.key());
        } else {
            model.put(mutation.key(), mutation.newValue());
        }
    }

    private WriteBatch randomBatch(Random random, NavigableMap<Bytes, Bytes> model, int step) {
        Map<Bytes, Mutation> mutations = new TreeMap<>();
        int size = 1 + random.nextInt(6);
        for (int i = 0; i < size; i++) {
            Bytes key = randomKey(random);
            Bytes value = bytes("v" + step + "." + i);
            boolean right = random.nextInt(10) > 0;
            Bytes expected = right ? model.getOrDefault(key, bytes("none")) : bytes("wrong");
            mutations.put(
                    key,
                    switch (random.nextInt(6)) {
                        case 0 -> new Mutation.Delete(key);
                        case 1 -> new Mutation.CompareAndSet(key, expected, value);
                        case 2 -> new Mutation.DeleteIfCurrent(key, expected);
                        case 3 -> new Mutation.PutIfAbsent(key, value);
                        default -> new Mutation.Put(key, value);
                    });
        }
        WriteBatch.Builder batch = batch();
        mutations.values().forEach(batch::add);
        return batch.build();
    }

    /** One to three of few bytes, so that keys meet, and are prefixes of each other. */
    private static Bytes randomKey(Random random) {
        byte[] alphabet = {0, 1, 'a', 'b', (byte) 0x80, (byte) 0xff};
        byte[] key = new byte[1 + random.nextInt(3)];
        for (int i = 0; i < key.length; i++) {
            key[i] = alphabet[random.nextInt(alphabet.length)];
        }
        return Bytes.wrap(key);
    }

    private static void compare(Random random, Pair pair, String where) {
        Bytes key = randomKey(random);
        assertThat(pair.snapshot().get(key)).as(where).isEqualTo(pair.model().get(key));
        Bytes start = random.nextInt(4) == 0 ? Bytes.EMPTY : randomKey(random);
        Bytes end = random.nextInt(4) == 0 ? null : randomKey(random);
        KeyRange range = new KeyRange(start, end);
        NavigableMap<Bytes, Bytes> within = new TreeMap<>(pair.model());
        within.keySet().removeIf(k -> !range.contains(k));
        Direction direction = random.nextBoolean() ? Direction.FORWARD : Direction.REVERSE;
        NavigableMap<Bytes, Bytes> ordered =
                direction == Direction.FORWARD ? within : within.descendingMap();
        try (Cursor cursor = pair.snapshot().cursor(range, direction)) {
            Map.Entry<Bytes, Bytes> expected = null;
            boolean moved = false;
            for (int move = 0; move < 12; move++) {
                boolean found;
                if (random.nextInt(3) == 0) {
                    Bytes target = randomKey(random);
                    expected = ordered.ceilingEntry(target);
                    found = cursor.seek(target);
                } else {
                    if (!moved) {
                        expected = ordered.firstEntry();
                    } else if (expected != null) {
                        expected = ordered.higherEntry(expected.getKey());
                    }
                    found = cursor.next();
                }
                moved = true;
                String at = where + ", move " + move + " " + direction + " in " + range;
                assertThat(found).as(at).isEqualTo(expected != null);
                if (found) {
                    assertThat(cursor.key()).as(at).isEqualTo(expected.getKey());
                    assertThat(cursor.value()).as(at).isEqualTo(expected.getValue());
                }
            }
        }
    }
}
