package io.brain.admin.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.store.CompactRecord;
import io.brain.backend.store.Fence;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LeaseRecord;
import io.brain.backend.store.LogEntry;
import io.brain.backend.store.LogEvent;
import io.brain.backend.store.VersionRecord;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.MemoryStorage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An intact store has no findings; each damage is reported once, with its key. */
class StoreCheckTest {
    private static final Bytes A = Bytes.utf8("a");
    private static final Bytes B = Bytes.utf8("b\n");
    private static final Bytes C = Bytes.utf8("c");
    private static final long LEASE = 7;

    private final MemoryStorage storage = new MemoryStorage();
    private final KeyCoder coder = new KeyCoder(Bytes.EMPTY);
    private final List<String> damages = new ArrayList<>();

    /** a: 2, 3; b: 4 with a lease; c: 5, deleted at 6. The log: [2, 3], [4, 5, 6]. */
    @BeforeEach
    void writeIntactStore() {
        WriteBatch.Builder batch = WriteBatch.builder();
        long bytes = 0;
        bytes += replaced(batch, A, 2, KeyValueCodec.encode(A, 2, 2, 1, Bytes.utf8("1"), 0));
        bytes += head(batch, A, 3, KeyValueCodec.encode(A, 2, 3, 2, Bytes.utf8("2"), 0));
        bytes += head(batch, B, 4, KeyValueCodec.encode(B, 4, 4, 1, Bytes.EMPTY, LEASE));
        bytes += replaced(batch, C, 5, KeyValueCodec.encode(C, 5, 5, 1, Bytes.EMPTY, 0));
        bytes += head(batch, C, 6, Bytes.EMPTY);
        batch.put(coder.logKey(2, 0), log(put(A, 2, 0), put(A, 3, 2)));
        batch.put(coder.logKey(4, 0), log(put(B, 4, 0), put(C, 5, 0), delete(C, 6, 5)));
        batch.put(coder.fenceKey(), new Fence(1, 5, 6, bytes, 2, 0).encode());
        batch.put(
                coder.identityKey(),
                Bytes.wrap(new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 1, 1, 1, 1, 1, 1}));
        batch.put(coder.leaderKey(), Bytes.wrap(new byte[16]));
        batch.put(coder.leaseKey(LEASE), new LeaseRecord(60, 0).encode());
        batch.put(coder.attachments().key(LEASE, B), Bytes.wrap(new byte[] {1}));
        commit(batch);
    }

    private long replaced(WriteBatch.Builder batch, Bytes key, long revision, Bytes kv) {
        return put(batch, coder.historyKey(key, revision), version(revision, kv));
    }

    private long head(WriteBatch.Builder batch, Bytes key, long revision, Bytes kv) {
        return put(batch, coder.headKey(key), version(revision, kv));
    }

    private static long put(WriteBatch.Builder batch, Bytes key, Bytes version) {
        batch.put(key, version);
        return key.length() + (long) version.length();
    }

    private static Bytes version(long revision, Bytes kv) {
        return new VersionRecord(revision, 0, kv).encode();
    }

    private static LogEvent put(Bytes key, long revision, long replaced) {
        return new LogEvent(key, revision, 0, false, replaced, replaced == 0 ? 0 : 9, null);
    }

    private static LogEvent delete(Bytes key, long revision, long replaced) {
        return new LogEvent(key, revision, 0, true, replaced, 9, null);
    }

    private static Bytes log(LogEvent... events) {
        return new LogEntry(0, List.of(events)).encode();
    }

    private void commit(WriteBatch.Builder batch) {
        CompletableFuture<CommitResult> end = storage.commit(batch.build()).toCompletableFuture();
        assertThat(end.join()).isInstanceOf(CommitResult.Committed.class);
    }

    private CheckReport check() {
        damages.clear();
        return check(storage, "");
    }

    private CheckReport check(KvStorage checked, String keyspace) {
        return new StoreCheck(checked, keyspace, damages::add, (step, progress) -> {}).run();
    }

    /** The findings without those on the totals, which many kinds of damage change as well. */
    private List<String> findings() {
        CheckReport report = check();
        assertThat(report.damages()).isEqualTo(damages.size());
        return damages.stream().filter(line -> !line.startsWith("the fence counts")).toList();
    }

    @Test
    void anIntactStoreHasNoDamage() {
        CheckReport report = check();
        assertThat(damages).isEmpty();
        assertThat(report.toString())
                .startsWith("revision 6, 3 keys, 5 versions of ")
                .endsWith(" 5 logged changes, 1 leases, 1 attached keys; damaged: 0");
    }

    @Test
    void aCopyOfAHeadForAWideDeleteIsNoDamageAndDoesNotCount() {
        Bytes head = version(3, KeyValueCodec.encode(A, 2, 3, 2, Bytes.utf8("2"), 0));
        commit(WriteBatch.builder().put(coder.historyKey(A, 3), head));
        anIntactStoreHasNoDamage();
        Bytes other = version(3, KeyValueCodec.encode(A, 2, 3, 2, Bytes.utf8("3"), 0));
        commit(WriteBatch.builder().put(coder.historyKey(A, 3), other));
        assertThat(findings()).anyMatch(line -> line.contains("but the head has revision 3"));
    }

    @Test
    void aCopyOfAHeadAtAnotherRevisionIsDamage() {
        Bytes head = version(3, KeyValueCodec.encode(A, 2, 3, 2, Bytes.utf8("2"), 0));
        commit(WriteBatch.builder().put(coder.historyKey(A, 2), head));
        assertThat(findings()).anyMatch(line -> line.contains("contains another revision, 3"));
    }

    @Test
    void progressGrowsFromZeroToOneInEachStep() {
        Map<String, List<Double>> steps = new LinkedHashMap<>();
        new StoreCheck(
                        storage,
                        "",
                        damages::add,
                        (step, progress) ->
                                steps.computeIfAbsent(step, s -> new ArrayList<>()).add(progress))
                .run();
        assertThat(steps).containsOnlyKeys("keys", "log");
        assertThat(steps.values())
                .allSatisfy(
                        progress ->
                                assertThat(progress)
                                        .isSorted()
                                        .startsWith(0.0)
                                        .endsWith(1.0)
                                        .hasSizeGreaterThan(3));
    }

    @Test
    void anEmptyStoreHasNoDamage() {
        assertThat(check(new MemoryStorage(), "").damages()).isZero();
    }

    @Test
    void anotherKeyspaceIsNotRead() {
        assertThat(check(storage, "other").keys()).isZero();
    }

    @Test
    void aVersionThatCannotBeDecodedIsNamed() {
        commit(WriteBatch.builder().put(coder.headKey(B), Bytes.wrap(new byte[3])));
        assertThat(findings())
                .containsExactly(
                        "key \"b\\x0a\": cannot be decoded: a stored version is cut short");

        writeIntactStore();
        commit(WriteBatch.builder().put(coder.historyKey(A, 2), Bytes.wrap(new byte[3])));
        assertThat(findings())
                .containsExactly(
                        "key \"a\" at revision 2: cannot be decoded: a stored version is cut"
                                + " short");
    }

    @Test
    void aVersionOfAnotherKeyOrRevisionIsNamed() {
        Bytes kv = KeyValueCodec.encode(C, 2, 2, 1, Bytes.utf8("1"), 0);
        commit(WriteBatch.builder().put(coder.historyKey(A, 2), version(2, kv)));
        assertThat(findings())
                .containsExactly("key \"a\" at revision 2: contains another key, \"c\"");

        kv = KeyValueCodec.encode(A, 2, 9, 1, Bytes.utf8("1"), 0);
        commit(WriteBatch.builder().put(coder.historyKey(A, 2), version(2, kv)));
        assertThat(findings())
                .containsExactly("key \"a\" at revision 2: contains another revision, 9");
        commit(WriteBatch.builder().put(coder.historyKey(A, 2), version(9, kv)));
        assertThat(findings())
                .containsExactly("key \"a\" at revision 2: contains another revision, 9");
    }

    @Test
    void aHeadWithoutItsHistoryIsNamed() {
        commit(WriteBatch.builder().delete(coder.historyKey(A, 2)));
        assertThat(findings())
                .containsExactly(
                        "key \"a\" at revision 2: is in the commit log, but neither a head nor in"
                                + " the history");

        writeIntactStore();
        commit(
                WriteBatch.builder()
                        .delete(coder.historyKey(A, 2))
                        .put(coder.compactKey(), new CompactRecord(3, -1).encode())
                        .put(coder.logKey(2, 0), log(put(A, 2, 0), put(A, 3, 2))));
        assertThat(findings()).as("a compaction at 3 has removed it").isEmpty();

        writeIntactStore();
        commit(
                WriteBatch.builder()
                        .delete(coder.historyKey(C, 5))
                        .put(coder.compactKey(), new CompactRecord(5, -1).encode()));
        assertThat(findings())
                .containsExactly(
                        "key \"c\" at revision 5: is in the commit log, but neither a head nor in"
                                + " the history");
    }

    @Test
    void aMissingOrOldHeadIsNamed() {
        commit(WriteBatch.builder().delete(coder.headKey(A)));
        assertThat(findings())
                .containsExactly(
                        "key \"a\" at revision 2: is in the history of a key without a head",
                        "key \"a\" at revision 3: is in the commit log, but neither a head nor in"
                                + " the history");

        writeIntactStore();
        Bytes old = version(2, KeyValueCodec.encode(A, 2, 2, 1, Bytes.utf8("1"), 0));
        commit(WriteBatch.builder().put(coder.headKey(A), old));
        assertThat(findings())
                .containsExactly(
                        "key \"a\" at revision 3: is in the commit log, but neither a head nor in"
                                + " the history");
    }

    @Test
    void aTombstoneThatCompactionLeftIsNamed() {
        commit(
                WriteBatch.builder()
                        .delete(coder.historyKey(A, 2))
                        .delete(coder.historyKey(C, 5))
                        .put(coder.headKey(B), version(7, Bytes.EMPTY))
                        .put(coder.logKey(7, 0), log(delete(B, 7, 4)))
                        .delete(coder.attachments().key(LEASE, B))
                        .put(coder.fenceKey(), new Fence(1, 5, 7, 0, 1, 0).encode())
                        .put(coder.compactKey(), new CompactRecord(7, 7).encode()));
        assertThat(findings())
                .containsExactly(
                        "key \"c\" at revision 6: is a tombstone that compaction did not remove");
    }

    @Test
    void logAndVersionsMustAgreeOnDeletions() {
        commit(WriteBatch.builder().put(coder.logKey(2, 0), log(put(A, 2, 0), delete(A, 3, 2))));
        assertThat(findings())
                .containsExactly(
                        "key \"a\" at revision 3: does not match its event in the commit log");

        writeIntactStore();
        commit(WriteBatch.builder().put(coder.headKey(A), version(3, Bytes.EMPTY)));
        assertThat(findings())
                .containsExactly(
                        "key \"a\" at revision 3: does not match its event in the commit log");
    }

    @Test
    void aLogEntryWithoutAVersionIsNamed() {
        commit(WriteBatch.builder().delete(coder.historyKey(C, 5)).delete(coder.headKey(C)));
        assertThat(findings())
                .containsExactly(
                        "key \"c\" at revision 5: is in the commit log, but neither a head nor in"
                                + " the history",
                        "key \"c\" at revision 6: is in the commit log, but neither a head nor in"
                                + " the history");
    }

    @Test
    void aStoreOfAnotherFormatIsNotRead() {
        commit(WriteBatch.builder().put(coder.fenceKey(), Bytes.wrap(new byte[] {1, 2, 3})));
        assertThatThrownBy(this::check)
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("fence format 1");
    }

    @Test
    void aGapInTheLogIsReported() {
        commit(WriteBatch.builder().delete(coder.logKey(2, 0)));
        assertThat(findings()).containsExactly("the commit log begins at revision 4, not at 2");

        writeIntactStore();
        commit(WriteBatch.builder().delete(coder.logKey(4, 0)));
        assertThat(findings())
                .startsWith("the commit log ends at revision 3, the store at revision 6")
                .hasSize(4);

        writeIntactStore();
        commit(WriteBatch.builder().put(coder.logKey(4, 0), log(put(B, 4, 0), delete(C, 6, 5))));
        assertThat(findings())
                .containsExactly(
                        "the commit log skips from revision 4, change 0, to revision 6, change 0",
                        "key \"c\" at revision 5: is not in the commit log");
    }

    @Test
    void theLogMayBeginInTheMiddleOfARevisionThatCompactionTrims() {
        LogEvent later = new LogEvent(Bytes.utf8("x"), 2, 7, false, 0, 0, null);
        WriteBatch.Builder trimmed =
                WriteBatch.builder()
                        .delete(coder.logKey(2, 0))
                        .delete(coder.historyKey(A, 2))
                        .put(coder.logKey(2, 1), log(later))
                        .put(coder.logKey(3, 0), log(put(A, 3, 2)));
        commit(trimmed.put(coder.compactKey(), new CompactRecord(3, 3).encode()));
        assertThat(findings()).isEmpty();

        commit(WriteBatch.builder().put(coder.compactKey(), new CompactRecord(3, 2).encode()));
        assertThat(findings()).hasSize(1);
    }

    @Test
    void aLogEntryThatCannotBeDecodedIsReported() {
        commit(
                WriteBatch.builder()
                        .put(coder.logKey(4, 0), Bytes.wrap(new byte[] {0, 0, 4, 0, 99})));
        assertThat(findings())
                .containsExactly(
                        "the log entry from revision 4 cannot be decoded: a stored record is"
                                + " cut short");
    }

    @Test
    void aLeaseAndItsKeysMustReferToEachOther() {
        commit(WriteBatch.builder().delete(coder.leaseKey(LEASE)));
        assertThat(findings())
                .containsExactly(
                        "key \"b\\x0a\": is attached to lease 7, which does not exist",
                        "key \"b\\x0a\" at revision 4: its lease 7 does not exist");

        writeIntactStore();
        commit(WriteBatch.builder().delete(coder.attachments().key(LEASE, B)));
        assertThat(findings())
                .containsExactly("key \"b\\x0a\" at revision 4: is not attached to its lease 7");

        writeIntactStore();
        commit(
                WriteBatch.builder()
                        .put(coder.attachments().key(LEASE, A), Bytes.wrap(new byte[] {1})));
        assertThat(findings())
                .containsExactly("key \"a\": is attached to lease 7, but does not name it");
    }

    @Test
    void theFenceIsChecked() {
        Bytes sound;
        try (Snapshot snapshot = storage.snapshot()) {
            sound = snapshot.get(coder.fenceKey());
        }
        Fence fence = Fence.decode(sound);
        commit(
                WriteBatch.builder()
                        .put(
                                coder.fenceKey(),
                                new Fence(1, 5, 6, fence.bytes() + 1, 2, 0).encode()));
        check();
        assertThat(damages)
                .singleElement()
                .asString()
                .isEqualTo(
                        "the fence counts %d bytes of data, but %d are stored"
                                .formatted(fence.bytes() + 1, fence.bytes()));

        commit(
                WriteBatch.builder()
                        .put(coder.fenceKey(), new Fence(1, 5, 6, fence.bytes(), 2, 0).encode()));
        check();
        assertThat(damages).as("a and b exist, c was deleted").isEmpty();
        commit(
                WriteBatch.builder()
                        .put(coder.fenceKey(), new Fence(1, 5, 6, fence.bytes(), 3, 0).encode()));
        check();
        assertThat(damages)
                .singleElement()
                .asString()
                .isEqualTo("the fence counts 3 keys, but 2 are stored");

        byte[] flipped = sound.array().clone();
        flipped[7] ^= 1;
        commit(WriteBatch.builder().put(coder.fenceKey(), Bytes.wrap(flipped)));
        assertThat(findings()).containsExactly("the fence cannot be decoded: the fence is damaged");

        commit(WriteBatch.builder().delete(coder.fenceKey()));
        assertThat(findings()).containsExactly("the fence is missing");

        commit(
                WriteBatch.builder()
                        .put(coder.fenceKey(), new Fence(1, 5, 5, fence.bytes(), 2, 0).encode()));
        assertThat(findings())
                .contains("key \"c\" at revision 6: is newer than the revision of the store, 5");
    }

    @Test
    void versionsThatCompactionDidNotRemoveAreNamed() {
        commit(WriteBatch.builder().put(coder.compactKey(), new CompactRecord(6, -1).encode()));
        assertThat(findings()).as("compaction has not begun to remove").isEmpty();

        commit(WriteBatch.builder().put(coder.compactKey(), new CompactRecord(6, 6).encode()));
        assertThat(findings())
                .containsExactly(
                        "key \"a\" at revision 2: was replaced, but compaction did not remove it",
                        "key \"c\" at revision 5: was replaced, but compaction did not remove it");

        commit(WriteBatch.builder().put(coder.compactKey(), new CompactRecord(7, 8).encode()));
        assertThat(findings())
                .anyMatch(line -> line.startsWith("the compaction record is invalid"));
    }

    @Test
    void unknownRecordsAreReported() {
        Bytes unknown = coder.metaRange().start().concat(Bytes.utf8("z"));
        commit(WriteBatch.builder().put(unknown, A));
        assertThat(findings()).containsExactly("unknown record: " + unknown);

        commit(WriteBatch.builder().delete(unknown));
        Bytes odd = coder.history().start().concat(Bytes.utf8("%$"));
        commit(WriteBatch.builder().put(odd, A));
        assertThat(findings()).containsExactly("version with an invalid key: " + odd);
    }
}
