package io.brain.backend.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.model.KeySpan;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Revisions;
import io.brain.backend.store.Store;
import io.brain.backend.store.VersionRecord;
import io.brain.backend.txn.HeadRecord;
import io.brain.backend.wire.KeyValue;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Cursor;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.MemoryStorage;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PendingStateTest {
    private static final Bytes A = Bytes.utf8("a");
    private static final Bytes B = Bytes.utf8("b");
    private static final Bytes C = Bytes.utf8("c");

    private final KeyCoder coder = new KeyCoder(Bytes.EMPTY);
    private final MemoryStorage memory = new MemoryStorage();
    private final CountingStorage counting = new CountingStorage(memory);
    private final Revisions revisions = new Revisions(new ReadPoint(1, memory.timestamp()), -1);
    private final PendingState tip =
            new PendingState(new Store(counting, coder, revisions), 1 << 20);

    @AfterEach
    void nothingLeaks() {
        tip.releaseSnapshot();
        memory.checkNoOpenSnapshots();
    }

    @Test
    void anUnknownKeyIsReadOnceAndRemembered() {
        store(A, 5, false);
        assertThat(tip.get(A).kv().modRevision()).isEqualTo(5);
        assertThat(counting.reads).isEqualTo(1);
        tip.get(A);
        assertThat(counting.reads).isEqualTo(1);
        assertThat(tip.get(B)).isEqualTo(HeadRecord.ABSENT);
        tip.get(B);
        assertThat(counting.reads).isEqualTo(2);
    }

    @Test
    void aTombstoneIsKnownByItsRevision() {
        store(A, 5, true);
        assertThat(tip.get(A).isTombstone()).isTrue();
        assertThat(tip.get(A).revision()).isEqualTo(5);
    }

    @Test
    void aHeadThatIsCutShortIsDamage() {
        commit(coder.headKey(A), Bytes.wrap(new byte[VersionRecord.TRAILER - 1]));
        assertThatThrownBy(() -> tip.get(A))
                .isInstanceOfSatisfying(
                        StorageException.class,
                        damage ->
                                assertThat(damage.kind()).isEqualTo(StorageException.Kind.CORRUPT));
    }

    @Test
    void whatIsPendingWinsOverTheEngineUntilItIsPublished() {
        store(A, 5, false);
        tip.get(A);
        CommitBatch batch = new CommitBatch(1);
        pin(batch, A, live(A, 6));
        assertThat(tip.get(A).revision()).isEqualTo(6);
        store(A, 6, false);
        counting.reads = 0;
        tip.release(batch);
        assertThat(tip.get(A).revision()).isEqualTo(6);
        assertThat(counting.reads).isZero();
    }

    @Test
    void aLaterBatchKeepsItsChangeWhenAnEarlierOneIsPublished() {
        CommitBatch first = new CommitBatch(1);
        CommitBatch second = new CommitBatch(2);
        pin(first, A, live(A, 6));
        pin(second, A, live(A, 7));
        tip.release(first);
        assertThat(tip.get(A).revision()).isEqualTo(7);
        tip.release(second);
        assertThat(tip.get(A).revision()).isEqualTo(7);
    }

    @Test
    void theEngineIsReadAnewOnceABatchIsPublished() {
        assertThat(tip.get(A).exists()).isFalse();
        store(B, 6, false);
        tip.release(new CommitBatch(1));
        assertThat(tip.get(B).revision()).isEqualTo(6);
    }

    @Test
    void clearingForgetsWhatNeverLanded() {
        store(A, 5, false);
        tip.get(A);
        pin(new CommitBatch(1), A, live(A, 6));
        tip.pinSmall(coder.alarmKey(), B, 1);
        tip.clear();
        assertThat(tip.get(A).revision()).isEqualTo(5);
        assertThat(tip.small(coder.alarmKey())).isNull();
    }

    @Test
    void namedKeysAreReadTogetherInOneRound() {
        store(A, 5, false);
        store(B, 6, true);
        tip.name(A);
        tip.name(B);
        tip.name(C);
        tip.fetchNamed();
        assertThat(counting.rounds).isEqualTo(1);
        counting.reads = 0;
        assertThat(tip.get(A).revision()).isEqualTo(5);
        assertThat(tip.get(B).isTombstone()).isTrue();
        assertThat(tip.get(C)).isEqualTo(HeadRecord.ABSENT);
        assertThat(counting.reads).isZero();
        tip.name(A);
        tip.name(B);
        tip.fetchNamed();
        assertThat(counting.rounds).isEqualTo(1);
    }

    @Test
    void aWalkMergesStoredPendingAndOwnKeys() {
        store(key(1), 5, false);
        store(key(2), 6, true);
        store(key(4), 7, false);
        store(key(6), 8, false);
        CommitBatch batch = new CommitBatch(1);
        pin(batch, key(2), live(key(2), 9));
        pin(batch, key(4), new HeadRecord(9, 0, null));
        pin(batch, key(7), live(key(7), 9));
        pin(batch, key(8), live(key(8), 9));
        TreeMap<Bytes, HeadRecord> own = new TreeMap<>();
        own.put(key(0), live(key(0), 10));
        own.put(key(6), new HeadRecord(10, 0, null));
        own.put(key(7), new HeadRecord(10, 0, null));
        own.put(key(9), live(key(9), 10));
        assertThat(tip.keys(KeySpan.ALL, own, 100, 100))
                .containsExactly(key(0), key(1), key(2), key(8), key(9));
        assertThat(tip.keys(KeySpan.of(key(1), key(8)), own, 100, 100))
                .containsExactly(key(1), key(2));
        assertThat(tip.keys(KeySpan.of(key(8), key(1)), own, 100, 100)).isEmpty();
    }

    @Test
    void aWalkDoesNotMeetTheVersionsOfAKey() {
        for (int revision = 2; revision < 1000; revision++) {
            commit(coder.historyKey(A, revision), record(A, revision));
        }
        store(A, 1000, false);
        store(B, 1001, false);
        assertThat(tip.keys(KeySpan.ALL, Collections.emptySortedMap(), 10, 100))
                .containsExactly(A, B);
        assertThat(counting.steps).isLessThan(20);
    }

    @Test
    void aWalkStopsAtItsLimit() {
        for (int i = 0; i < 5; i++) {
            store(key(i), 5 + i, false);
        }
        assertThat(tip.keys(KeySpan.ALL, Collections.emptySortedMap(), 5, 100)).hasSize(5);
        assertThatThrownBy(() -> tip.keys(KeySpan.ALL, Collections.emptySortedMap(), 4, 100))
                .hasMessage("REQUEST_TOO_LARGE");
    }

    private static Bytes key(int i) {
        return Bytes.utf8("key" + i);
    }

    private void pin(CommitBatch batch, Bytes key, HeadRecord record) {
        tip.pin(key, record, batch.number());
        batch.head(key, record.encode());
    }

    private static HeadRecord live(Bytes key, long revision) {
        return new HeadRecord(revision, 0, KeyValue.decode(kv(key, revision)));
    }

    private void store(Bytes key, long revision, boolean tombstone) {
        commit(
                coder.headKey(key),
                tombstone
                        ? new VersionRecord(revision, 0, Bytes.EMPTY).encode()
                        : record(key, revision));
        revisions.publish(new ReadPoint(revision, memory.timestamp()));
    }

    private static Bytes record(Bytes key, long revision) {
        return new VersionRecord(revision, 0, kv(key, revision)).encode();
    }

    private static Bytes kv(Bytes key, long revision) {
        return KeyValueCodec.encode(key, revision, revision, 1, Bytes.utf8("v"), 0);
    }

    private void commit(Bytes key, Bytes value) {
        var end = memory.commit(WriteBatch.builder().put(key, value).build());
        assertThat(end.toCompletableFuture().join()).isInstanceOf(CommitResult.Committed.class);
        revisions.publish(new ReadPoint(revisions.committed().revision(), memory.timestamp()));
    }

    /** Counts point reads, rounds of several, and steps of cursors. */
    private static final class CountingStorage extends ForwardingKvStorage {
        private int reads;
        private int rounds;
        private int steps;

        CountingStorage(KvStorage delegate) {
            super(delegate);
        }

        @Override
        public Snapshot snapshotAt(long timestamp) {
            Snapshot snapshot = super.snapshotAt(timestamp);
            return new Snapshot() {
                @Override
                public Bytes get(Bytes key) {
                    reads++;
                    return snapshot.get(key);
                }

                @Override
                public List<Bytes> get(List<Bytes> keys) {
                    rounds++;
                    return snapshot.get(keys);
                }

                @Override
                public Cursor cursor(KeyRange range, Cursor.Direction direction) {
                    return counted(snapshot.cursor(range, direction));
                }

                @Override
                public void close() {
                    snapshot.close();
                }
            };
        }

        private Cursor counted(Cursor cursor) {
            return new Cursor() {
                @Override
                public boolean next() {
                    steps++;
                    return cursor.next();
                }

                @Override
                public boolean seek(Bytes key) {
                    steps++;
                    return cursor.seek(key);
                }

                @Override
                public Bytes key() {
                    return cursor.key();
                }

                @Override
                public Bytes value() {
                    return cursor.value();
                }

                @Override
                public void close() {
                    cursor.close();
                }
            };
        }
    }
}
