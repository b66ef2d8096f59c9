package io.brain.backend.check;

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
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.MemoryStorage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A sound store has no damage; each single damage is told once, of the right key. */
class StoreCheckTest {
    private static final Bytes A = Bytes.utf8("a");
    private static final Bytes B = Bytes.utf8("b\n");
    private static final Bytes C = Bytes.utf8("c");
    private static final long LEASE = 7;

    private final MemoryStorage storage = new MemoryStorage();
    private final KeyCoder coder = new KeyCoder(Bytes.EMPTY);
    private final List<Damage> damages = new ArrayList<>();

    /** a: 2, 3; b: 4 with a lease; c: 5, deleted at 6. The log: [2, 3], [4, 5, 6]. */
    @BeforeEach
    void writeSoundStore() {
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
        batch.put(coder.attachmentKey(LEASE, B), Bytes.wrap(new byte[] {1}));
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
        return new LogEntry(List.of(events)).encode();
    }

    private void commit(WriteBatch.Builder batch) {
        CompletableFuture<CommitResult> end = storage.commit(batch.build()).toCompletableFuture();
        assertThat(end.join()).isInstanceOf(CommitResult.Committed.class);
    }

    private CheckReport check() {
        damages.clear();
        return new StoreCheck(storage, Bytes.EMPTY, damages::add).run();
    }

    /** What the check tells; the account aside, which many a damage upsets too. */
    private List<String> told() {
        CheckReport report = check();
        assertThat(report.damages()).isEqualTo(damages.size());
        return damages.stream()
                .map(Damage::toString)
                .filter(line -> !line.startsWith("the fence counts"))
                .toList();
    }

    @Test
    void aSoundStoreHasNoDamage() {
        CheckReport report = check();
        assertThat(damages).isEmpty();
        assertThat(report.toString())
                .startsWith("revision 6, 3 keys, 5 versions of ")
                .endsWith(" 5 logged changes, 1 leases, 1 attached keys; damaged: 0");
    }

    @Test
    void howFarACheckIsGrowsFromNothingToAllOfEachPart() {
        List<String> parts = new ArrayList<>();
        new StoreCheck(storage, Bytes.EMPTY, damages::add)
                .withProgress((what, part) -> parts.add(what + " " + part))
                .run();
        assertThat(parts).containsExactly("keys 0.0", "keys 1.0", "history 0.0", "history 1.0");
        parts.clear();
        Ticker ticker = new Ticker((what, part) -> parts.add(what + " " + part), "x", 4096);
        for (int i = 1; i <= 5000; i++) {
            ticker.reached(i);
        }
        assertThat(parts).containsExactly("x 0.0", "x 0.25", "x 0.5", "x 0.75", "x 1.0");
    }

    @Test
    void anEmptyStoreHasNoDamage() {
        assertThat(new StoreCheck(new MemoryStorage(), Bytes.EMPTY, damages::add).run().damages())
                .isZero();
    }

    @Test
    void anotherKeyspaceIsNotLookedAt() {
        Bytes keyspace = Bytes.utf8("other/");
        assertThat(new StoreCheck(storage, keyspace, damages::add).run().keys()).isZero();
    }

    @Test
    void aVersionThatCannotBeDecodedIsNamed() {
        commit(WriteBatch.builder().put(coder.headKey(B), Bytes.wrap(new byte[3])));
        assertThat(told())
                .containsExactly(
                        "key \"b\\x0a\": cannot be decoded: a stored version is cut short");

        writeSoundStore();
        commit(WriteBatch.builder().put(coder.historyKey(A, 2), Bytes.wrap(new byte[3])));
        assertThat(told())
                .containsExactly(
                        "key \"a\" at revision 2: cannot be decoded: a stored version is cut"
                                + " short");
    }

    @Test
    void aVersionOfAnotherKeyOrRevisionIsNamed() {
        Bytes kv = KeyValueCodec.encode(C, 2, 2, 1, Bytes.utf8("1"), 0);
        commit(WriteBatch.builder().put(coder.historyKey(A, 2), version(2, kv)));
        assertThat(told()).containsExactly("key \"a\" at revision 2: holds another key, \"c\"");

        kv = KeyValueCodec.encode(A, 2, 9, 1, Bytes.utf8("1"), 0);
        commit(WriteBatch.builder().put(coder.historyKey(A, 2), version(2, kv)));
        assertThat(told()).containsExactly("key \"a\" at revision 2: holds another revision, 9");
        commit(WriteBatch.builder().put(coder.historyKey(A, 2), version(9, kv)));
        assertThat(told()).containsExactly("key \"a\" at revision 2: holds another revision, 9");
    }

    @Test
    void aHeadWithoutItsHistoryIsNamed() {
        commit(WriteBatch.builder().delete(coder.historyKey(A, 2)));
        assertThat(told())
                .containsExactly("key \"a\" at revision 2: is in no head and in no history");

        writeSoundStore();
        commit(
                WriteBatch.builder()
                        .delete(coder.historyKey(A, 2))
                        .put(coder.compactKey(), new CompactRecord(3, -1).encode())
                        .put(coder.logKey(2, 0), log(put(A, 2, 0), put(A, 3, 2))));
        assertThat(told()).as("a compaction at 3 has removed it").isEmpty();

        writeSoundStore();
        commit(
                WriteBatch.builder()
                        .delete(coder.historyKey(C, 5))
                        .put(coder.compactKey(), new CompactRecord(5, -1).encode()));
        assertThat(told())
                .containsExactly("key \"c\" at revision 5: is in no head and in no history");
    }

    @Test
    void aHeadThatIsMissingOrOldIsNamed() {
        commit(WriteBatch.builder().delete(coder.headKey(A)));
        assertThat(told())
                .containsExactly(
                        "key \"a\" at revision 2: is in the history of a key that has no head",
                        "key \"a\" at revision 3: is in no head and in no history");

        writeSoundStore();
        Bytes old = version(2, KeyValueCodec.encode(A, 2, 2, 1, Bytes.utf8("1"), 0));
        commit(WriteBatch.builder().put(coder.headKey(A), old));
        assertThat(told())
                .containsExactly(
                        "key \"a\" at revision 2: is in the history, but the head is at 2",
                        "key \"a\" at revision 3: is in no head and in no history");
    }

    @Test
    void aTombstoneThatIsLeftIsNamed() {
        commit(
                WriteBatch.builder()
                        .delete(coder.historyKey(A, 2))
                        .delete(coder.historyKey(C, 5))
                        .put(coder.headKey(B), version(7, Bytes.EMPTY))
                        .put(coder.logKey(7, 0), log(delete(B, 7, 4)))
                        .delete(coder.attachmentKey(LEASE, B))
                        .put(coder.fenceKey(), new Fence(1, 5, 7, 0, 1, 0).encode())
                        .put(coder.compactKey(), new CompactRecord(7, 7).encode()));
        assertThat(told())
                .containsExactly(
                        "key \"c\" at revision 6: was deleted and compacted, but is still known");
    }

    @Test
    void theLogAndTheVersionsMustAgreeOnWhatWasDeleted() {
        commit(WriteBatch.builder().put(coder.logKey(2, 0), log(put(A, 2, 0), delete(A, 3, 2))));
        assertThat(told())
                .containsExactly(
                        "key \"a\" at revision 3: is not the change that the log tells of");

        writeSoundStore();
        commit(WriteBatch.builder().put(coder.headKey(A), version(3, Bytes.EMPTY)));
        assertThat(told())
                .containsExactly(
                        "key \"a\" at revision 3: is not the change that the log tells of");
    }

    @Test
    void aLogEntryWithoutAVersionIsNamed() {
        commit(WriteBatch.builder().delete(coder.historyKey(C, 5)).delete(coder.headKey(C)));
        assertThat(told())
                .containsExactly(
                        "key \"c\" at revision 5: is in no head and in no history",
                        "key \"c\" at revision 6: is in no head and in no history");
    }

    @Test
    void aStoreOfAnotherFormatIsNotLookedAt() {
        commit(WriteBatch.builder().put(coder.fenceKey(), Bytes.wrap(new byte[] {1, 2, 3})));
        assertThatThrownBy(this::check)
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("fence format 1");
    }

    @Test
    void aHoleInTheLogIsTold() {
        commit(WriteBatch.builder().delete(coder.logKey(2, 0)));
        assertThat(told()).containsExactly("the commit log begins at revision 4, not at 2");

        writeSoundStore();
        commit(WriteBatch.builder().delete(coder.logKey(4, 0)));
        assertThat(told())
                .startsWith("the commit log ends at revision 3, the store at revision 6")
                .hasSize(4);

        writeSoundStore();
        commit(WriteBatch.builder().put(coder.logKey(4, 0), log(put(B, 4, 0), delete(C, 6, 5))));
        assertThat(told())
                .containsExactly(
                        "the commit log goes from revision 4, change 0, to revision 6, change 0",
                        "key \"c\" at revision 5: is not in the commit log");
    }

    @Test
    void aLogEntryThatCannotBeDecodedIsTold() {
        commit(WriteBatch.builder().put(coder.logKey(4, 0), Bytes.wrap(new byte[] {0, 4, 0, 99})));
        assertThat(told())
                .containsExactly(
                        "in the log entry from revision 4 nothing can be read: a stored record is"
                                + " cut short");
    }

    @Test
    void aLeaseAndItsKeysMustKnowEachOther() {
        commit(WriteBatch.builder().delete(coder.leaseKey(LEASE)));
        assertThat(told())
                .containsExactly(
                        "key \"b\\x0a\": is attached to lease 7, which does not exist",
                        "key \"b\\x0a\" at revision 4: its lease does not exist: 7");

        writeSoundStore();
        commit(WriteBatch.builder().delete(coder.attachmentKey(LEASE, B)));
        assertThat(told())
                .containsExactly("key \"b\\x0a\" at revision 4: is not attached to its lease 7");

        writeSoundStore();
        commit(WriteBatch.builder().put(coder.attachmentKey(LEASE, A), Bytes.wrap(new byte[] {1})));
        assertThat(told())
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
                        "the fence counts %d bytes of data, there are %d"
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
                .isEqualTo("the fence counts 3 keys, there are 2");

        byte[] flipped = sound.array().clone();
        flipped[7] ^= 1;
        commit(WriteBatch.builder().put(coder.fenceKey(), Bytes.wrap(flipped)));
        assertThat(told()).containsExactly("the fence cannot be decoded: the fence is damaged");

        commit(WriteBatch.builder().delete(coder.fenceKey()));
        assertThat(told()).containsExactly("the fence is missing");

        commit(
                WriteBatch.builder()
                        .put(coder.fenceKey(), new Fence(1, 5, 5, fence.bytes(), 2, 0).encode()));
        assertThat(told()).contains("key \"c\" at revision 6: is behind the newest revision, 5");
    }

    @Test
    void whatCompactionShouldHaveRemovedIsNamed() {
        commit(WriteBatch.builder().put(coder.compactKey(), new CompactRecord(6, -1).encode()));
        assertThat(told()).as("compaction has not begun to remove").isEmpty();

        commit(WriteBatch.builder().put(coder.compactKey(), new CompactRecord(6, 6).encode()));
        assertThat(told())
                .containsExactly(
                        "key \"a\" at revision 2: was replaced and compacted, but is still there",
                        "key \"c\" at revision 5: was replaced and compacted, but is still there");

        commit(WriteBatch.builder().put(coder.compactKey(), new CompactRecord(7, 8).encode()));
        assertThat(told())
                .anyMatch(line -> line.startsWith("the compaction record makes no sense"));
    }

    @Test
    void recordsThatNothingKnowsAreTold() {
        Bytes unknown = coder.metaRange().start().concat(Bytes.utf8("z"));
        commit(WriteBatch.builder().put(unknown, A));
        assertThat(told()).containsExactly("a record of no known kind: " + unknown);

        commit(WriteBatch.builder().delete(unknown));
        Bytes odd = coder.history().start().concat(Bytes.utf8("%$"));
        commit(WriteBatch.builder().put(odd, A));
        assertThat(told()).containsExactly("a version has a key of no known form: " + odd);
    }
}
