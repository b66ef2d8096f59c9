package io.brain.admin.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KeyRange;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.MemoryStorage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A scan passes on every readable pair, and reports exactly the unreadable parts. */
class SkippingScanTest {
    private final MemoryStorage memory = new MemoryStorage();
    private final List<KeyRange> damaged = new ArrayList<>();
    private final List<String> found = new ArrayList<>();

    private static Bytes key(int number) {
        return Bytes.utf8("/registry/pods/default/pod-%05d".formatted(number));
    }

    private void damage(int from, int to) {
        damaged.add(new KeyRange(key(from), key(to)));
    }

    private void scan(KeyRange range) {
        WriteBatch.Builder batch = WriteBatch.builder();
        for (int number = 0; number < 100; number++) {
            batch.put(key(number), Bytes.utf8("v"));
        }
        memory.commit(batch.build()).toCompletableFuture().join();
        try (Snapshot snapshot = new Damaged().snapshot()) {
            new SkippingScan(snapshot, range)
                    .run(
                            (key, value) -> found.add(number(key)),
                            (before, after, cause) ->
                                    found.add(number(before) + "?" + number(after)));
        }
    }

    private static String number(Bytes key) {
        return key == null ? "" : Integer.toString(Integer.parseInt(key.toString().substring(27)));
    }

    private List<String> expected(int from, int to, String... rest) {
        List<String> all = new ArrayList<>();
        for (int number = from; number < to; number++) {
            all.add(Integer.toString(number));
        }
        all.addAll(List.of(rest));
        return all;
    }

    @Test
    void everyPairIsPassedOnOnce() {
        scan(KeyRange.ALL);
        assertThat(found).isEqualTo(expected(0, 100));
    }

    @Test
    void aDamagedPartIsSkippedExactly() {
        damage(10, 17);
        scan(KeyRange.ALL);
        List<String> all = expected(0, 10, "9?17");
        all.addAll(expected(17, 100));
        assertThat(found).isEqualTo(all);
    }

    @Test
    void distantDamagedPartsAreReportedSeparately() {
        damage(10, 12);
        damage(60, 61);
        scan(KeyRange.ALL);
        List<String> all = expected(0, 10, "9?12");
        all.addAll(expected(12, 60, "59?61"));
        all.addAll(expected(61, 100));
        assertThat(found).isEqualTo(all);
    }

    @Test
    void damageAtBothEndsOfTheRangeIsReported() {
        damage(0, 3);
        damage(97, 100);
        scan(new KeyRange(key(0), key(100)));
        List<String> all = new ArrayList<>(List.of("?3"));
        all.addAll(expected(3, 97, "96?"));
        assertThat(found).isEqualTo(all);
    }

    /** A store whose cursors fail at each key in a damaged range. */
    private final class Damaged extends ForwardingKvStorage {
        Damaged() {
            super(memory);
        }

        @Override
        public Snapshot snapshot() {
            Snapshot sound = super.snapshot();
            return new Snapshot() {
                @Override
                public Bytes get(Bytes key) {
                    return sound.get(key);
                }

                @Override
                public List<Bytes> get(List<Bytes> keys) {
                    return sound.get(keys);
                }

                @Override
                public Cursor cursor(KeyRange range, Cursor.Direction direction) {
                    return new DamagedCursor(range, sound.cursor(range, direction));
                }

                @Override
                public void close() {
                    sound.close();
                }
            };
        }
    }

    private final class DamagedCursor implements Cursor {
        private final Cursor sound;
        private Bytes at;

        DamagedCursor(KeyRange range, Cursor sound) {
            this.at = range.start();
            this.sound = sound;
        }

        @Override
        public boolean next() {
            boolean found = sound.next();
            Bytes to = found ? sound.key() : null;
            for (KeyRange range : damaged) {
                boolean before = range.end().compareTo(at) <= 0;
                boolean behind = to != null && range.start().compareTo(to) > 0;
                if (!before && !behind) {
                    throw new StorageException(StorageException.Kind.CORRUPT, "damaged");
                }
            }
            at = to;
            return found;
        }

        @Override
        public boolean seek(Bytes key) {
            return sound.seek(key);
        }

        @Override
        public Bytes key() {
            return sound.key();
        }

        @Override
        public Bytes value() {
            return sound.value();
        }

        @Override
        public void close() {
            sound.close();
        }
    }
}
