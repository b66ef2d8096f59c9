package io.brain.backend.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.key.KeyCoder;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.revision.ReadPoint;
import io.brain.storage.Bytes;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KvStorage;
import io.brain.storage.NotInMemory;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.testkit.MemoryStorage;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** One key is read by the caller; whatever could wait is left to the readers. */
class QuickReadsTest {
    private static final RangeQuery KEY = RangeQuery.of(Queries.key("a"));

    private final MemoryStorage memory = new MemoryStorage();
    private final StoreWriter store = new StoreWriter(memory, new KeyCoder(Bytes.EMPTY));
    private KnownState known = store.known();
    private final Warm warm = new Warm(memory);
    private final Deque<Runnable> readers = new ArrayDeque<>();
    private boolean sure = true;

    @Test
    void theNewestStateOfOneKeyIsReadAtOnce() {
        store.put("a", "1");
        store.put("a", "2");
        assertThat(atOnce(KEY)).isEqualTo(store.reader().read(KEY));
        RangeQuery absent = RangeQuery.of(Queries.key("b"));
        assertThat(atOnce(absent)).isEqualTo(store.reader().read(absent));
        store.delete("a");
        assertThat(atOnce(KEY).kvs()).isEmpty();
        memory.checkNoOpenSnapshots();
    }

    @Test
    void aChangeThatIsNotPublishedIsNotSeen() {
        store.put("a", "1");
        store.write().put(Bytes.utf8("b"), Bytes.utf8("2"), 0).store();
        OpResult.Range notYet = atOnce(RangeQuery.of(Queries.key("b")));
        assertThat(notYet.kvs()).isEmpty();
        assertThat(Queries.values(atOnce(KEY))).containsExactly("1");
    }

    @Test
    void rangesOldRevisionsAndDoubtsAreLeftToReaders() {
        long first = store.put("a", "1");
        store.put("a", "2");
        assertThat(atOnce(RangeQuery.of(Queries.ALL))).isNull();
        assertThat(atOnce(Queries.at(KeySpan.of(Bytes.utf8("a")), first))).isNull();
        sure = false;
        assertThat(atOnce(KEY)).isNull();
        assertThat(atOnce(Queries.serializable(Queries.key("a")))).isNotNull();
    }

    @Test
    void anAnswerForWhichThereIsNoRoomStandsInLine() {
        store.put("a", "x".repeat(300_000));
        assertThat(atOnce(KEY)).isNull();
    }

    @Test
    void whereACompactionIsAheadNothingIsReadAtOnce() {
        store.put("a", "1");
        warm.onSnapshot = () -> store.compact(store.put("a", "2"));
        assertThat(atOnce(KEY)).isNull();
    }

    @Test
    void aKeyThatWasReadBeforeIsAnsweredWithoutTheEngine() {
        store.put("a", "1");
        warm.cold = true;
        Reads reads = reads();
        assertThat(answers(reads)).isFalse();
        warm.broken = true;
        assertThat(answers(reads)).isTrue();
        assertThat(Queries.values(atOnce(KEY))).containsExactly("1");
        store.put("a", "2");
        assertThat(Queries.values(atOnce(KEY))).containsExactly("2");
        store.delete("a");
        assertThat(atOnce(KEY).kvs()).isEmpty();
        assertThat(atOnce(KEY.withoutValues())).as("of another form").isNull();
    }

    @Test
    void whileNothingIsInMemoryItIsSeldomTried() {
        store.put("a", "1");
        warm.cold = true;
        known = new KnownState(known.counts(), new NewestKeys(0, 1));
        Reads reads = reads();
        for (int i = 0; i < 1000; i++) {
            assertThat(answers(reads)).isFalse();
        }
        assertThat(warm.tried).isBetween(60, 140);
        warm.cold = false;
        int answered = 0;
        for (int i = 0; i < 50_000; i++) {
            answered += answers(reads) ? 1 : 0;
        }
        assertThat(answered).isGreaterThan(10_000);
    }

    @Test
    void aFailureIsToldInTheOrdinaryWay() {
        store.put("a", "1");
        warm.broken = true;
        assertThat(atOnce(KEY)).isNull();
    }

    /** True if the answer is there at once; it is read in any case. */
    private boolean answers(Reads reads) {
        CompletableFuture<Reply<OpResult.Range>> reply = reads.range(KEY);
        boolean atOnce = reply.isDone();
        while (!readers.isEmpty()) {
            readers.remove().run();
        }
        reply.join().held().close();
        return atOnce;
    }

    /** The answer; null if it was left to readers. */
    private OpResult.Range atOnce(RangeQuery query) {
        CompletableFuture<Reply<OpResult.Range>> reply = reads().range(query);
        if (!reply.isDone()) {
            assertThat(readers).isNotEmpty();
            return null;
        }
        reply.join().held().close();
        return reply.join().answer();
    }

    private Reads reads() {
        RangeReader reader =
                new RangeReader(warm, new KeyCoder(Bytes.EMPTY), store.revisions(), known);
        ReadPoints points =
                new ReadPoints() {
                    @Override
                    public ReadPoint own() {
                        return store.revisions().committed();
                    }

                    @Override
                    public ReadPoint linearizableNow() {
                        return sure ? own() : null;
                    }

                    @Override
                    public CompletionStage<ReadPoint> linearizable() {
                        return CompletableFuture.completedFuture(own());
                    }
                };
        return new Reads(
                reader,
                points,
                readers::add,
                new ReadSettings(1 << 20, 100_000, 16 << 20, 1 << 20));
    }

    /** Has everything in memory, unless it is cold. */
    private static final class Warm extends ForwardingKvStorage {
        private boolean cold;
        private boolean broken;
        private int tried;
        private Runnable onSnapshot = () -> {};

        Warm(KvStorage delegate) {
            super(delegate);
        }

        @Override
        public Snapshot snapshotInMemory() {
            tried++;
            if (cold) {
                throw new NotInMemory();
            }
            if (broken) {
                throw new StorageException(StorageException.Kind.CORRUPT, "a bad block");
            }
            onSnapshot.run();
            return snapshot();
        }
    }
}
