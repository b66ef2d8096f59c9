package io.brain.backend.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class EventRingTest {
    private static final long ONE = 3 * at(1, 100).weight();

    @Test
    void revisionsAreFoundUntilTheyLeaveOldestFirst() {
        EventRing ring = new EventRing(3 * ONE, 10);
        for (long revision = 11; revision <= 15; revision++) {
            ring.events(at(revision, 100));
        }
        assertThat(ring.first()).isEqualTo(13);
        assertThat(ring.last()).isEqualTo(15);
        assertThat(ring.stats().bytes()).isEqualTo(3 * ONE);
        assertThat(ring.get(12)).isNull();
        assertThat(ring.get(13).revision()).isEqualTo(13);
        assertThat(ring.get(15).revision()).isEqualTo(15);
        assertThat(ring.get(16)).isNull();
    }

    @Test
    void itIsEmptyAtTheRecoveredRevision() {
        EventRing ring = new EventRing(1 << 20, 10);
        assertThat(ring.get(10)).isNull();
        assertThat(ring.first()).isEqualTo(11);
        assertThat(ring.last()).isEqualTo(10);
    }

    @Test
    void aLargeRevisionPushesOutAsManySmallOnesAsItNeeds() {
        EventRing ring = new EventRing(4 * ONE, 0);
        for (long revision = 1; revision <= 4; revision++) {
            ring.events(at(revision, 100));
        }
        ring.events(at(5, 350));
        assertThat(ring.first()).isEqualTo(4);
        assertThat(ring.get(5).events()).hasSize(1);
        assertThat(ring.stats().bytes()).isLessThanOrEqualTo(4 * ONE);
    }

    @Test
    void whatNeverFitsIsAHoleAndTheOthersStay() {
        EventRing ring = new EventRing(3 * ONE, 0);
        ring.events(at(1, 100));
        ring.events(at(2, 100_000));
        ring.events(new RevisionEvents(3, List.of(), true));
        ring.events(at(4, 100));
        assertThat(ring.get(1).inLogOnly()).isFalse();
        assertThat(ring.get(2).inLogOnly()).isTrue();
        assertThat(ring.get(3).inLogOnly()).isTrue();
        assertThat(ring.get(4).inLogOnly()).isFalse();
        assertThat(ring.stats().bytes()).isLessThanOrEqualTo(3 * ONE);
    }

    @Test
    void itHoldsFarMoreRevisionsThanItStartedWithSlots() {
        EventRing ring = new EventRing(20_000 * ONE, 0);
        for (long revision = 1; revision <= 20_000; revision++) {
            ring.events(at(revision, 100));
        }
        assertThat(ring.first()).isEqualTo(1);
        for (long revision = 1; revision <= 20_000; revision++) {
            assertThat(ring.get(revision).revision()).isEqualTo(revision);
        }
    }

    @Test
    void aGapEmptiesIt() {
        EventRing ring = new EventRing(1 << 20, 0);
        ring.events(at(1, 100));
        ring.events(at(5, 100));
        assertThat(ring.get(1)).isNull();
        assertThat(ring.first()).isEqualTo(5);
        assertThat(ring.get(5).revision()).isEqualTo(5);
        assertThat(ring.stats().bytes()).isEqualTo(ONE);
    }

    @Test
    void readersOnOtherThreadsSeeEveryAddedRevisionOrThatItHasLeft() throws InterruptedException {
        EventRing ring = new EventRing(3000 * ONE, 0);
        AtomicLong committed = new AtomicLong();
        AtomicReference<String> wrong = new AtomicReference<>();
        long end = 200_000;
        List<Thread> readers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            readers.add(
                    new Thread(
                            () -> {
                                long revision = 1;
                                while (revision <= end && wrong.get() == null) {
                                    if (revision > committed.get()) {
                                        Thread.onSpinWait();
                                        continue;
                                    }
                                    RevisionEvents found = ring.get(revision);
                                    boolean left = found == null && ring.first() > revision;
                                    if (!left && (found == null || found.revision() != revision)) {
                                        wrong.set(revision + " -> " + found);
                                    }
                                    revision = found == null ? ring.first() : revision + 1;
                                }
                            }));
        }
        readers.forEach(Thread::start);
        for (long revision = 1; revision <= end; revision++) {
            ring.events(at(revision, 100));
            committed.set(revision);
        }
        for (Thread reader : readers) {
            reader.join(60_000);
            assertThat(reader.isAlive()).isFalse();
        }
        assertThat(wrong.get()).isNull();
    }

    private static RevisionEvents at(long revision, int valueLength) {
        Bytes key = Bytes.utf8("k");
        Bytes kv =
                KeyValueCodec.encode(
                        key, 1_000_000, 1_000_000, 1, Bytes.wrap(new byte[valueLength]), 0);
        return new RevisionEvents(
                revision, List.of(new WatchEvent(key, revision, false, kv, null)), false);
    }
}
