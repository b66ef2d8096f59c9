package io.brain.backend.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;

class NewestKeysTest {
    private static final Bytes KEY = Bytes.utf8("key");
    private static final int BYTES_MAX = 1 << 20;

    private final NewestKeys keys = new NewestKeys(BYTES_MAX, 10);

    @Test
    void whatWasReadIsKnownFromThatRevisionOn() {
        learn(KEY, kv(KEY, 7), 10);
        assertThat(keys.find(KEY, 10).kv()).isEqualTo(kv(KEY, 7));
        assertThat(keys.find(KEY, 9)).isNull();
        tell(put(Bytes.utf8("other"), 11));
        assertThat(keys.find(KEY, 11).kv()).isEqualTo(kv(KEY, 7));
    }

    @Test
    void thatAKeyDoesNotExistIsKnownToo() {
        learn(KEY, null, 10);
        assertThat(keys.find(KEY, 10)).isEqualTo(new NewestKeys.State(10, null));
    }

    @Test
    void aCommitChangesWhatIsKnown() {
        learn(KEY, kv(KEY, 7), 10);
        tell(put(KEY, 11));
        assertThat(keys.find(KEY, 11).kv()).isEqualTo(kv(KEY, 11));
        assertThat(keys.find(KEY, 10)).as("at a read point before the commit").isNull();
        tell(delete(KEY, 12));
        assertThat(keys.find(KEY, 12)).isEqualTo(new NewestKeys.State(12, null));
    }

    @Test
    void whatNobodyReadIsNotKeptForBeingWritten() {
        tell(put(KEY, 11));
        assertThat(keys.find(KEY, 11)).isNull();
        assertThat(keys.bytes()).isZero();
    }

    @Test
    void aReadThatACommitOvertookTeachesNothing() {
        long stamp = keys.stamp(KEY, 10);
        tell(put(KEY, 11));
        keys.learn(KEY, kv(KEY, 7), 10, stamp);
        assertThat(keys.find(KEY, 11)).isNull();
    }

    @Test
    void aReadBelowACommitThatWasToldTeachesNothing() {
        tell(put(KEY, 11));
        assertThat(keys.stamp(KEY, 10)).isEqualTo(NewestKeys.NONE);
    }

    @Test
    void behindAGapNothingIsKnown() {
        learn(KEY, kv(KEY, 7), 10);
        assertThat(keys.find(KEY, 12)).as("revision 11 was never told").isNull();
        tell(put(Bytes.utf8("other"), 13));
        assertThat(keys.find(KEY, 13)).isNull();
    }

    @Test
    void aRevisionWithoutItsEventsMakesEverythingUnknown() {
        learn(KEY, kv(KEY, 7), 10);
        long stamp = keys.stamp(KEY, 10);
        keys.events(new RevisionEvents(11, List.of(), true));
        assertThat(keys.find(KEY, 11)).isNull();
        keys.learn(KEY, kv(KEY, 7), 10, stamp);
        assertThat(keys.find(KEY, 11)).isNull();
        assertThat(keys.bytes()).isZero();
    }

    @Test
    void theLeastRecentlyReadKeysLeaveWhenItIsFull() {
        List<Bytes> all = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            Bytes key = Bytes.utf8("key-" + i);
            all.add(key);
            learn(key, kv(key, 7), 10);
            keys.find(all.get(0), 10);
            assertThat(keys.bytes()).isBetween(1L, (long) BYTES_MAX);
        }
        assertThat(keys.find(all.get(0), 10)).as("read again and again").isNotNull();
        assertThat(keys.find(all.get(1), 10)).isNull();
        assertThat(keys.find(all.get(19_999), 10)).isNotNull();
        assertThat(keys.bytes()).isGreaterThan(BYTES_MAX / 2);
    }

    @Test
    void aValueTooLargeIsNotKeptAndPushesNothingOut() {
        List<Bytes> all = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            all.add(Bytes.utf8("key-" + i));
            learn(all.get(i), kv(all.get(i), 7), 10);
        }
        long before = keys.bytes();
        Bytes large = Bytes.wrap(new byte[BYTES_MAX / 64]);
        learn(KEY, large, 10);
        assertThat(keys.find(KEY, 10)).isNull();
        assertThat(keys.bytes()).isEqualTo(before);
        keys.events(
                new RevisionEvents(
                        11, List.of(new WatchEvent(all.get(3), 11, false, large, null)), false));
        assertThat(keys.find(all.get(3), 11)).as("it became too large").isNull();
        assertThat(keys.find(all.get(4), 11)).isNotNull();
        assertThat(keys.bytes()).isLessThan(before);
    }

    /**
     * An engine of counters stands in for the store: each write sets a key to its revision. Now and
     * then a revision is published before it is told, or is never told.
     */
    @Test
    void readersBesideAWriterNeverSeeWhatWasReplaced() throws InterruptedException {
        int count = 8;
        AtomicLongArray engine = new AtomicLongArray(count);
        AtomicLong published = new AtomicLong(10);
        AtomicBoolean stop = new AtomicBoolean();
        List<String> wrong = new ArrayList<>();
        AtomicLong known = new AtomicLong();
        // A key's state at every revision up to now; written before the revision is published.
        AtomicLongArray history = new AtomicLongArray(count * 30_000);
        List<Thread> readers = new ArrayList<>();
        for (int reader = 0; reader < 3; reader++) {
            Random random = new Random(reader);
            Thread thread =
                    new Thread(
                            () -> {
                                while (!stop.get()) {
                                    int at = random.nextInt(count);
                                    Bytes key = Bytes.utf8("key-" + at);
                                    long revision = published.get();
                                    long right = history.get((int) revision * count + at);
                                    NewestKeys.State state = keys.find(key, revision);
                                    if (state == null) {
                                        long stamp = keys.stamp(key, revision);
                                        long seen = engine.get(at);
                                        if (seen <= revision) {
                                            keys.learn(key, kv(key, seen), revision, stamp);
                                        }
                                        continue;
                                    }
                                    known.incrementAndGet();
                                    if (!kv(key, right).equals(state.kv())) {
                                        synchronized (wrong) {
                                            wrong.add(key + " at " + revision);
                                        }
                                    }
                                }
                            });
            thread.start();
            readers.add(thread);
        }
        Random random = new Random(99);
        for (long revision = 11; revision < 30_000; revision++) {
            int at = random.nextInt(count);
            engine.set(at, revision);
            for (int i = 0; i < count; i++) {
                history.set((int) revision * count + i, engine.get(i));
            }
            int way = random.nextInt(200);
            if (way < 2) {
                published.set(revision);
            }
            if (way != 0) {
                tell(put(Bytes.utf8("key-" + at), revision));
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

    private void learn(Bytes key, Bytes kv, long revision) {
        keys.learn(key, kv, revision, keys.stamp(key, revision));
    }

    private void tell(WatchEvent event) {
        keys.events(new RevisionEvents(event.revision(), List.of(event), false));
    }

    private static WatchEvent put(Bytes key, long revision) {
        return new WatchEvent(key, revision, false, kv(key, revision), null);
    }

    private static WatchEvent delete(Bytes key, long revision) {
        return new WatchEvent(
                key, revision, true, KeyValueCodec.encodeDeleted(key, revision), null);
    }

    private static Bytes kv(Bytes key, long revision) {
        return KeyValueCodec.encode(key, 1, revision, 1, Bytes.utf8("v" + revision), 0);
    }
}
