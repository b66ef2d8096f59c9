package io.brain.backend.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.KeySpan;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.wire.ArrayPool;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.backend.wire.PackedKvs;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.Test;

class NewestRangesTest {
    private static final KeySpan B_TO_D = span("b", "d");
    private static final int BYTES_MAX = 1 << 20;

    /** For two or three ranges. */
    private static final long ROOM = 256 << 10;

    private final NewestRanges ranges = new NewestRanges(BYTES_MAX, 10);

    @Test
    void whatWasReadIsKnownFromThatRevisionOn() {
        learn(B_TO_D, 10, kv("b", 3), kv("c", 4));
        assertThat(find(B_TO_D, 10)).containsExactly(kv("b", 3), kv("c", 4));
        assertThat(find(B_TO_D, 9)).isNull();
        assertThat(find(B_TO_D, 11)).as("which nobody has told").isNull();
        tell(11, put("x", 11));
        assertThat(find(B_TO_D, 11)).containsExactly(kv("b", 3), kv("c", 4));
    }

    @Test
    void aPartOfWhatIsKnownIsKnown() {
        learn(B_TO_D, 10, kv("b", 3), kv("bb", 5), kv("c", 4));
        assertThat(find(span("b", "c"), 10)).containsExactly(kv("b", 3), kv("bb", 5));
        assertThat(find(span("ba", "bc"), 10)).containsExactly(kv("bb", 5));
        assertThat(find(span("c", "d"), 10)).containsExactly(kv("c", 4));
        assertThat(find(span("cc", "d"), 10)).isEmpty();
        assertThat(find(span("a", "d"), 10)).isNull();
        assertThat(find(span("b", "e"), 10)).isNull();
        assertThat(find(new KeySpan(Bytes.utf8("b"), null, false), 10)).isNull();
    }

    @Test
    void aRangeWithoutAnEndIsKnownToTheEnd() {
        KeySpan fromB = new KeySpan(Bytes.utf8("b"), null, false);
        learn(fromB, 10, kv("b", 3), kv("z", 4));
        tell(11, put("zz", 11));
        assertThat(find(fromB, 11)).containsExactly(kv("b", 3), kv("z", 4), kv("zz", 11));
        assertThat(find(span("c", "zz"), 11)).containsExactly(kv("z", 4));
    }

    @Test
    void commitsChangeWhatIsKnown() {
        learn(B_TO_D, 10, kv("b", 3));
        tell(11, put("c", 11), put("d", 11), put("a", 11));
        assertThat(find(B_TO_D, 11)).containsExactly(kv("b", 3), kv("c", 11));
        assertThat(find(B_TO_D, 10)).as("at a read point before the commit").isNull();
        tell(12, delete("b", 12), put("bb", 12), delete("bb", 12));
        assertThat(find(B_TO_D, 12)).containsExactly(kv("c", 11));
        tell(13, delete("c", 13));
        assertThat(find(B_TO_D, 13)).isEmpty();
        tell(14, put("c", 14));
        assertThat(find(B_TO_D, 14)).containsExactly(kv("c", 14));
    }

    @Test
    void whatWasCommittedWhileARangeWasReadIsDoneAgain() {
        tell(11, put("c", 11), put("x", 11));
        tell(12, put("bb", 12));
        tell(13, delete("b", 13));
        learn(B_TO_D, 10, kv("b", 3));
        assertThat(find(B_TO_D, 13)).containsExactly(kv("bb", 12), kv("c", 11));
        assertThat(find(B_TO_D, 12)).isNull();
    }

    @Test
    void aReadThatTookTooLongTeachesNothing() {
        for (long revision = 11; revision < 5000; revision++) {
            tell(revision, put("x", revision));
        }
        learn(B_TO_D, 10, kv("b", 3));
        assertThat(find(B_TO_D, 4999)).isNull();
        learn(B_TO_D, 4500, kv("b", 3));
        assertThat(find(B_TO_D, 4999)).containsExactly(kv("b", 3));
    }

    @Test
    void aReadOfWhatWasNotToldTeachesNothing() {
        learn(B_TO_D, 11, kv("b", 11));
        tell(11, put("b", 11));
        assertThat(find(B_TO_D, 11)).isNull();
    }

    @Test
    void behindAGapNothingIsKnown() {
        learn(B_TO_D, 10, kv("b", 3));
        tell(12, put("x", 12));
        assertThat(find(B_TO_D, 12)).isNull();
        assertThat(ranges.bytes()).isZero();
        learn(B_TO_D, 11, kv("b", 3));
        assertThat(find(B_TO_D, 12)).as("revision 12 may have changed it").isNull();
        learn(B_TO_D, 12, kv("b", 3));
        ranges.events(new RevisionEvents(13, List.of(), true));
        assertThat(find(B_TO_D, 13)).isNull();
    }

    @Test
    void aRangeTakesTheRoomOfThoseThatItOverlaps() {
        learn(span("a", "c"), 10, kv("b", 3));
        learn(span("e", "g"), 10, kv("f", 4));
        learn(span("x", "y"), 10, kv("x", 5));
        learn(span("b", "f"), 10, kv("b", 3), kv("e", 6));
        assertThat(find(span("a", "c"), 10)).isNull();
        assertThat(find(span("e", "g"), 10)).isNull();
        assertThat(find(span("b", "f"), 10)).containsExactly(kv("b", 3), kv("e", 6));
        assertThat(find(span("x", "y"), 10)).containsExactly(kv("x", 5));
        learn(span("c", "d"), 10);
        assertThat(find(span("b", "f"), 10)).as("not in place of a part").isNotNull();
    }

    @Test
    void rangesThatOnlyTouchAreKnownBoth() {
        learn(span("b", "c"), 10, kv("b", 3));
        learn(span("c", "d"), 10, kv("c", 3));
        learn(span("a", "b"), 10, kv("a", 3));
        tell(11, put("b", 11), put("c", 11), delete("a", 11));
        assertThat(find(span("a", "b"), 11)).isEmpty();
        assertThat(find(span("b", "c"), 11)).containsExactly(kv("b", 11));
        assertThat(find(span("c", "d"), 11)).containsExactly(kv("c", 11));
    }

    @Test
    void theLeastRecentlyListedRangesLeaveWhenItIsFull() {
        Bytes large = Bytes.wrap(new byte[10_000]);
        for (int i = 1000; i < 2000; i++) {
            learn(span("" + i, i + "x"), 10, kv(i + "k", 3, large));
            assertThat(find(span("1000", "1000x"), 10)).hasSize(1);
            assertThat(ranges.bytes()).isBetween(1L, (long) BYTES_MAX);
        }
        assertThat(find(span("1001", "1001x"), 10)).isNull();
        assertThat(find(span("1999", "1999x"), 10)).hasSize(1);
        assertThat(ranges.bytes()).isGreaterThan(BYTES_MAX / 2);
    }

    @Test
    void aRangeThatIsOrBecomesTooLargeIsNotKept() {
        Bytes large = Bytes.wrap(new byte[BYTES_MAX / 3]);
        learn(B_TO_D, 10, kv("b", 3, large));
        assertThat(find(B_TO_D, 10)).isNull();
        learn(B_TO_D, 10, kv("b", 3));
        tell(
                11,
                new WatchEvent(Bytes.utf8("c"), 11, false, kv("c", 11, large), null),
                put("bb", 11));
        assertThat(find(B_TO_D, 11)).isNull();
        assertThat(ranges.bytes()).isZero();
    }

    @Test
    void whatIsListedOnceIsNotKept() {
        assertThat(ranges.isRepeated(B_TO_D)).isFalse();
        assertThat(ranges.isRepeated(span("b", "e"))).isFalse();
        assertThat(ranges.isRepeated(B_TO_D)).isTrue();
        for (int i = 0; i < 100; i++) {
            ranges.isRepeated(span("x" + i, "y"));
        }
        assertThat(ranges.isRepeated(B_TO_D)).as("long ago").isFalse();
    }

    /** Ranges learnt of states at earlier revisions, commits and questions, in random order. */
    @Test
    void everyAnswerIsTheModels() {
        int answers = 0;
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            NewestRanges known = new NewestRanges(ROOM, 1);
            List<NavigableMap<Bytes, Bytes>> states = new ArrayList<>();
            states.add(new TreeMap<>());
            states.add(new TreeMap<>());
            int keys = 1 + random.nextInt(400);
            for (int step = 0; step < 400; step++) {
                int newest = states.size() - 1;
                KeySpan span = randomSpan(random, keys);
                switch (random.nextInt(6)) {
                    case 0, 1 -> {
                        List<WatchEvent> events = new ArrayList<>();
                        NavigableMap<Bytes, Bytes> next = new TreeMap<>(states.get(newest));
                        for (int i = random.nextInt(5); i >= 0; i--) {
                            events.add(randomChange(random, keys, newest + 1L, next));
                        }
                        states.add(next);
                        boolean whole = random.nextInt(100) != 0;
                        known.events(
                                new RevisionEvents(newest + 1, whole ? events : List.of(), !whole));
                    }
                    case 2 -> {
                        int at = Math.max(1, newest - random.nextInt(4));
                        known.learn(span, packed(part(states.get(at), span)), at);
                    }
                    default -> {
                        int at = Math.max(1, newest - random.nextInt(2));
                        List<Bytes> found = list(known.find(span, at));
                        if (found != null) {
                            answers++;
                            LiveKeys again = known.find(span, at);
                            int stepped = 0;
                            for (int i = random.nextInt(5); i > 0 && again.next(); i--) {
                                stepped++;
                            }
                            assertThat(stepped + again.countRest(Meter.UNLIMITED))
                                    .isEqualTo(found.size());
                            assertThat(found)
                                    .as("seed %d, step %d: %s at %d", seed, step, span, at)
                                    .isEqualTo(new ArrayList<>(part(states.get(at), span)));
                        }
                    }
                }
                assertThat(known.bytes()).isBetween(0L, ROOM);
            }
        }
        assertThat(answers).isGreaterThan(5000);
    }

    /**
     * A row of states stands in for the store, each made durable before it is told and told before
     * it is published; now and then one is published before it is told, or is never told.
     */
    @Test
    void readersBesideAWriterNeverSeeWhatIsNotSo() throws InterruptedException {
        int revisions = 20_000;
        int keys = 100;
        AtomicReferenceArray<NavigableMap<Bytes, Bytes>> states =
                new AtomicReferenceArray<>(revisions + 1);
        states.set(10, new TreeMap<>());
        AtomicLong published = new AtomicLong(10);
        AtomicLong known = new AtomicLong();
        AtomicBoolean stop = new AtomicBoolean();
        List<String> wrong = new ArrayList<>();
        List<Thread> readers = new ArrayList<>();
        for (int reader = 0; reader < 3; reader++) {
            Random random = new Random(reader);
            Thread thread =
                    new Thread(
                            () -> {
                                while (!stop.get()) {
                                    KeySpan span = randomSpan(random, keys);
                                    // Some have taken their read point long ago.
                                    int behind = random.nextInt(3) == 0 ? random.nextInt(5) : 0;
                                    long revision = Math.max(10, published.get() - behind);
                                    Collection<Bytes> right =
                                            part(states.get((int) revision), span);
                                    List<Bytes> found = list(ranges.find(span, revision));
                                    if (found == null) {
                                        ranges.learn(span, packed(right), revision);
                                    } else if (found.equals(new ArrayList<>(right))) {
                                        known.incrementAndGet();
                                    } else {
                                        synchronized (wrong) {
                                            wrong.add(span + " at " + revision);
                                        }
                                    }
                                }
                            });
            thread.setUncaughtExceptionHandler(
                    (which, failure) -> {
                        synchronized (wrong) {
                            wrong.add(failure.toString());
                        }
                    });
            thread.start();
            readers.add(thread);
        }
        Random random = new Random(99);
        for (int revision = 11; revision <= revisions; revision++) {
            NavigableMap<Bytes, Bytes> next = new TreeMap<>(states.get(revision - 1));
            WatchEvent change = randomChange(random, keys, revision, next);
            states.set(revision, next);
            int way = random.nextInt(200);
            if (way < 2) {
                published.set(revision);
            }
            if (way != 0) {
                tell(revision, change);
            }
            published.set(revision);
        }
        stop.set(true);
        for (Thread reader : readers) {
            reader.join();
        }
        assertThat(wrong).isEmpty();
        assertThat(known.get()).isPositive();
    }

    private static WatchEvent randomChange(
            Random random, int keys, long revision, NavigableMap<Bytes, Bytes> state) {
        String name = "k" + (1000 + random.nextInt(keys));
        Bytes key = Bytes.utf8(name);
        if (random.nextInt(3) == 0 && state.remove(key) != null) {
            return delete(name, revision);
        }
        Bytes kv = kv(name, revision, Bytes.wrap(new byte[random.nextInt(100)]));
        state.put(key, kv);
        return new WatchEvent(key, revision, false, kv, null);
    }

    private static KeySpan randomSpan(Random random, int keys) {
        Bytes from = Bytes.utf8("k" + (1000 + random.nextInt(keys)));
        return switch (random.nextInt(4)) {
            case 0 -> new KeySpan(from, null, false);
            case 1 -> KeySpan.ALL;
            default -> {
                Bytes other = Bytes.utf8("k" + (1000 + random.nextInt(keys)) + "x");
                boolean ascending = from.compareTo(other) < 0;
                yield new KeySpan(ascending ? from : other, ascending ? other : from, false);
            }
        };
    }

    private static Collection<Bytes> part(NavigableMap<Bytes, Bytes> state, KeySpan span) {
        return span.end() == null
                ? state.tailMap(span.key(), true).values()
                : state.subMap(span.key(), true, span.end(), false).values();
    }

    private static List<Bytes> list(LiveKeys keys) {
        if (keys == null) {
            return null;
        }
        List<Bytes> kvs = new ArrayList<>();
        while (keys.next()) {
            kvs.add(keys.kv());
        }
        assertThat(keys.next()).isFalse();
        assertThat(keys.countRest(Meter.UNLIMITED)).isZero();
        return kvs;
    }

    private static PackedKvs packed(Collection<Bytes> kvs) {
        PackedKvs packed = new PackedKvs(new ArrayPool(0));
        kvs.forEach(packed::append);
        return packed;
    }

    private List<Bytes> find(KeySpan span, long revision) {
        return list(ranges.find(span, revision));
    }

    private void learn(KeySpan span, long revision, Bytes... kvs) {
        ranges.learn(span, packed(List.of(kvs)), revision);
    }

    private void tell(long revision, WatchEvent... events) {
        ranges.events(new RevisionEvents(revision, List.of(events), false));
    }

    private static KeySpan span(String from, String end) {
        return new KeySpan(Bytes.utf8(from), Bytes.utf8(end), false);
    }

    private static WatchEvent put(String key, long revision) {
        return new WatchEvent(Bytes.utf8(key), revision, false, kv(key, revision), null);
    }

    private static WatchEvent delete(String key, long revision) {
        Bytes bytes = Bytes.utf8(key);
        return new WatchEvent(
                bytes, revision, true, KeyValueCodec.encodeDeleted(bytes, revision), null);
    }

    private static Bytes kv(String key, long revision) {
        return kv(key, revision, Bytes.utf8("v" + revision));
    }

    private static Bytes kv(String key, long revision, Bytes value) {
        return KeyValueCodec.encode(Bytes.utf8(key), 1, revision, 1, value, 0);
    }
}
