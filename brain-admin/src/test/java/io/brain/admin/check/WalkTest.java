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

/** A walk meets everything that can be read, and tells exactly where it cannot. */
class WalkTest {
    private final MemoryStorage memory = new MemoryStorage();
    private final List<KeyRange> damaged = new ArrayList<>();
    private final List<String> met = new ArrayList<>();

    private static Bytes key(int number) {
        return Bytes.utf8("/registry/pods/default/pod-%05d".formatted(number));
    }

    private void damage(int from, int to) {
        damaged.add(new KeyRange(key(from), key(to)));
    }

    private void walk(KeyRange range) {
        WriteBatch.Builder batch = WriteBatch.builder();
        for (int number = 0; number < 100; number++) {
            batch.put(key(number), Bytes.utf8("v"));
        }
        memory.commit(batch.build()).toCompletableFuture().join();
        try (Snapshot snapshot = new Damaged().snapshot()) {
            new Walk(snapshot, range)
                    .run(
                            new Walk.Visitor() {
                                @Override
                                public void pair(Bytes key, Bytes value) {
                                    met.add(number(key));
                                }

                                @Override
                                public void gap(Bytes before, Bytes after, StorageException why) {
                                    met.add(number(before) + "?" + number(after));
                                }
                            });
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
    void whatIsSoundIsMetOnce() {
        walk(KeyRange.ALL);
        assertThat(met).isEqualTo(expected(0, 100));
    }

    @Test
    void aDamagedStretchIsLeftOutExactly() {
        damage(10, 17);
        walk(KeyRange.ALL);
        List<String> all = expected(0, 10, "9?17");
        all.addAll(expected(17, 100));
        assertThat(met).isEqualTo(all);
    }

    @Test
    void stretchesThatLieFarFromEachOtherAreToldApart() {
        damage(10, 12);
        damage(60, 61);
        walk(KeyRange.ALL);
        List<String> all = expected(0, 10, "9?12");
        all.addAll(expected(12, 60, "59?61"));
        all.addAll(expected(61, 100));
        assertThat(met).isEqualTo(all);
    }

    @Test
    void damageAtBothEndsOfTheRangeIsTold() {
        damage(0, 3);
        damage(97, 100);
        walk(new KeyRange(key(0), key(100)));
        List<String> all = new ArrayList<>(List.of("?3"));
        all.addAll(expected(3, 97, "96?"));
        assertThat(met).isEqualTo(all);
    }

    /** A store where coming to a key in a damaged range fails, from wherever. */
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
