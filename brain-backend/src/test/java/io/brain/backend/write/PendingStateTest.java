package io.brain.backend.write;

import static io.brain.backend.write.KvView.keysOf;
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
    private final PendingState pending =
            new PendingState(new Store(counting, coder, revisions), 1 << 20);

    @AfterEach
    void nothingLeaks() {
        pending.closeSnapshot();
        memory.checkNoOpenSnapshots();
    }

    @Test
    void aHeadIsReadOnceAndCached() {
        store(A, 5, false);
        assertThat(pending.get(A).kv().modRevision()).isEqualTo(5);
        assertThat(counting.reads).isEqualTo(1);
        pending.get(A);
        assertThat(counting.reads).isEqualTo(1);
        assertThat(pending.get(B)).isEqualTo(HeadRecord.ABSENT);
        pending.get(B);
        assertThat(counting.reads).isEqualTo(2);
    }

    @Test
    void aTombstoneHasItsRevision() {
        store(A, 5, true);
        assertThat(pending.get(A).isTombstone()).isTrue();
        assertThat(pending.get(A).revision()).isEqualTo(5);
    }

    @Test
    void aTruncatedHeadIsCorrupt() {
        commit(coder.headKey(A), Bytes.wrap(new byte[VersionRecord.TRAILER - 1]));
        assertThatThrownBy(() -> pending.get(A))
                .isInstanceOfSatisfying(
                        StorageException.class,
                        damage ->
                                assertThat(damage.kind()).isEqualTo(StorageException.Kind.CORRUPT));
    }

    @Test
    void anUncommittedChangeHidesTheEngineUntilItIsPublished() {
        store(A, 5, false);
        pending.get(A);
        CommitBatch batch = new CommitBatch(1);
        put(batch, A, live(A, 6));
        assertThat(pending.get(A).revision()).isEqualTo(6);
        store(A, 6, false);
        counting.reads = 0;
        pending.published(batch);
        assertThat(pending.get(A).revision()).isEqualTo(6);
        assertThat(counting.reads).isZero();
    }

    @Test
    void aChangeOfALaterBatchStaysWhenAnEarlierOneIsPublished() {
        CommitBatch first = new CommitBatch(1);
        CommitBatch second = new CommitBatch(2);
        put(first, A, live(A, 6));
        put(second, A, live(A, 7));
        pending.published(first);
        assertThat(pending.get(A).revision()).isEqualTo(7);
        pending.published(second);
        assertThat(pending.get(A).revision()).isEqualTo(7);
    }

    @Test
    void aPublishedBatchOpensAnotherSnapshot() {
        assertThat(pending.get(A).exists()).isFalse();
        store(B, 6, false);
        pending.published(new CommitBatch(1));
        assertThat(pending.get(B).revision()).isEqualTo(6);
    }

    @Test
    void clearForgetsUncommittedChanges() {
        store(A, 5, false);
        pending.get(A);
        put(new CommitBatch(1), A, live(A, 6));
        pending.putRecord(coder.alarmKey(), B, 1);
        pending.clear();
        assertThat(pending.get(A).revision()).isEqualTo(5);
        assertThat(pending.record(coder.alarmKey())).isNull();
    }

    @Test
    void keysAreFetchedInOneRound() {
        store(A, 5, false);
        store(B, 6, true);
        pending.fetch(List.of(A, B, C));
        assertThat(counting.rounds).isEqualTo(1);
        counting.reads = 0;
        assertThat(pending.get(A).revision()).isEqualTo(5);
        assertThat(pending.get(B).isTombstone()).isTrue();
        assertThat(pending.get(C)).isEqualTo(HeadRecord.ABSENT);
        assertThat(counting.reads).isZero();
        pending.fetch(List.of(A, B));
        assertThat(counting.rounds).isEqualTo(1);
    }

    @Test
    void aScanMergesStoredUncommittedAndOwnKeys() {
        store(key(1), 5, false);
        store(key(2), 6, true);
        store(key(4), 7, false);
        store(key(6), 8, false);
        CommitBatch batch = new CommitBatch(1);
        put(batch, key(2), live(key(2), 9));
        put(batch, key(4), new HeadRecord(9, 0, null));
        put(batch, key(7), live(key(7), 9));
        put(batch, key(8), live(key(8), 9));
        TreeMap<Bytes, HeadRecord> own = new TreeMap<>();
        own.put(key(0), live(key(0), 10));
        own.put(key(6), new HeadRecord(10, 0, null));
        own.put(key(7), new HeadRecord(10, 0, null));
        own.put(key(9), live(key(9), 10));
        assertThat(keysOf(pending.scan(KeySpan.ALL, new TreeMap<>(own), 100)))
                .containsExactly(key(0), key(1), key(2), key(8), key(9));
        TreeMap<Bytes, HeadRecord> within = new TreeMap<>(own.subMap(key(1), key(8)));
        assertThat(keysOf(pending.scan(KeySpan.of(key(1), key(8)), within, 100)))
                .containsExactly(key(1), key(2));
        assertThat(keysOf(pending.scan(KeySpan.of(key(8), key(1)), new TreeMap<>(), 100)))
                .isEmpty();
    }

    @Test
    void aScanSkipsTheHistory() {
        for (int revision = 2; revision < 1000; revision++) {
            commit(coder.historyKey(A, revision), record(A, revision));
        }
        store(A, 1000, false);
        store(B, 1001, false);
        assertThat(keysOf(pending.scan(KeySpan.ALL, new TreeMap<>(), 10))).containsExactly(A, B);
        assertThat(counting.steps).isLessThan(20);
    }

    @Test
    void aScanFailsAfterItsMaximum() {
        for (int i = 0; i < 5; i++) {
            store(key(i), 5 + i, false);
        }
        assertThat(keysOf(pending.scan(KeySpan.ALL, new TreeMap<>(), 5))).hasSize(5);
        assertThatThrownBy(() -> keysOf(pending.scan(KeySpan.ALL, new TreeMap<>(), 4)))
                .hasMessage("REQUEST_TOO_LARGE");
    }

    private static Bytes key(int i) {
        return Bytes.utf8("key" + i);
    }

    private void put(CommitBatch batch, Bytes key, HeadRecord head) {
        pending.put(key, head, batch.number());
        batch.head(key, head);
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
