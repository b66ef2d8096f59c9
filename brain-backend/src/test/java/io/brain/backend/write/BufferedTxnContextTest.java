package io.brain.backend.write;

import static io.brain.backend.write.KvView.keysOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.model.KeySpan;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.store.LogEvent;
import io.brain.backend.store.VersionRecord;
import io.brain.backend.txn.HeadRecord;
import io.brain.backend.txn.Proposal.Answer;
import io.brain.backend.txn.TxnContext;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import io.brain.storage.Mutation;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class BufferedTxnContextTest {
    private static final Bytes A = Bytes.utf8("a");
    private static final Bytes B = Bytes.utf8("b");

    private final WriteFixture fixture = new WriteFixture();

    @Test
    void anUpdateKeepsTheCreateRevisionAndCountsVersions() {
        submit(context -> context.put(A, value("1"), 0));
        submit(context -> context.put(B, value("1"), 0));
        submit(context -> context.put(A, value("2"), 0));
        KeyValue kv = fixture.stored().kv("a");
        assertThat(kv.createRevision()).isEqualTo(2);
        assertThat(kv.modRevision()).isEqualTo(4);
        assertThat(kv.version()).isEqualTo(2);
    }

    @Test
    void aPutAfterADeleteCreatesTheKeyAgain() {
        submit(context -> context.put(A, value("1"), 0));
        submit(context -> context.delete(A));
        submit(context -> context.put(A, value("2"), 0));
        KeyValue kv = fixture.stored().kv("a");
        assertThat(kv.createRevision()).isEqualTo(4);
        assertThat(kv.version()).isEqualTo(1);
        LogEvent again = fixture.stored().log.get(2);
        assertThat(again.replacedRevision()).isEqualTo(3);
        assertThat(again.replacedBytes()).isEqualTo(VersionRecord.TRAILER);
    }

    @Test
    void aContextShowsOwnChangesAndTheStateBefore() {
        submit(context -> context.put(A, value("1"), 0));
        submit(
                context -> {
                    assertThat(context.headerRevision()).isEqualTo(2);
                    context.put(A, value("2"), 0);
                    context.put(B, value("1"), 0);
                    assertThat(context.headerRevision()).isEqualTo(3);
                    assertThat(context.get(A).kv().version()).isEqualTo(2);
                    assertThat(context.getBefore(A).kv().version()).isEqualTo(1);
                    assertThat(keysOf(context.scan(KeySpan.ALL))).containsExactly(A, B);
                    assertThat(keysOf(context.scan(KeySpan.of(B)))).containsExactly(B);
                    assertThat(keysOf(context.scanBefore(KeySpan.ALL))).containsExactly(A);
                    assertThat(keysOf(context.scanBefore(KeySpan.of(B)))).isEmpty();
                    context.delete(A);
                    assertThat(keysOf(context.scan(KeySpan.ALL))).containsExactly(B);
                    assertThat(context.get(A).exists()).isFalse();
                });
    }

    @Test
    void aKeyChangedTwiceInARevisionIsStoredOnceAndLoggedTwice() {
        submit(context -> context.put(A, value("0"), 0));
        submit(
                context -> {
                    context.put(A, value("1"), 0);
                    context.put(A, value("2"), 0);
                });
        StoredState stored = fixture.stored();
        assertThat(stored.keys.get(A).versions).containsOnlyKeys(2L, 3L);
        assertThat(stored.keys.get(A).versions.get(3L).sub()).isEqualTo(1);
        LogEvent first = stored.log.get(1);
        LogEvent second = stored.log.get(2);
        KeyValue overwritten = KeyValue.decode(VersionRecord.decode(first.inline()).kv());
        assertThat(overwritten.value()).isEqualTo(value("1"));
        assertThat(overwritten.version()).isEqualTo(2);
        assertThat(second.inline()).isNull();
        assertThat(first.replacedRevision()).isEqualTo(2);
        assertThat(second.replacedRevision()).isEqualTo(2);
        assertThat(first.replacedBytes())
                .isEqualTo(stored.keys.get(A).versions.get(2L).encodedLength());
        assertThat(second.replacedBytes()).isZero();
        assertThat(stored.bytes).isEqualTo(stored.fence.bytes());
        List<WatchEvent> events = fixture.events.get(1).events();
        assertThat(events)
                .extracting(event -> KeyValue.decode(event.prevKv()).value().toString())
                .containsExactly("0", "0");
    }

    @Test
    void anEventHasThePreviousKeyValueUnlessItCreatedTheKey() {
        submit(context -> context.put(A, value("1"), 0));
        submit(context -> context.put(A, value("2"), 0));
        submit(context -> context.delete(A));
        List<WatchEvent> events = fixture.watchEvents();
        assertThat(events.get(0).prevKv()).isNull();
        assertThat(KeyValue.decode(events.get(1).prevKv()).value()).isEqualTo(value("1"));
        assertThat(KeyValue.decode(events.get(2).prevKv()).value()).isEqualTo(value("2"));
        KeyValue deleted = KeyValue.decode(events.get(2).kv());
        assertThat(deleted.key()).isEqualTo(A);
        assertThat(deleted.modRevision()).isEqualTo(4);
        assertThat(deleted.version()).isZero();
    }

    @Test
    void aKeyIsAttachedToTheLeaseOfItsLastPut() {
        submit(context -> context.put(A, value("1"), 1));
        submit(context -> context.put(B, value("1"), 1));
        submit(
                context -> {
                    context.put(A, value("2"), 2);
                    assertThat(context.deleteAttached(1)).isTrue();
                    assertThat(context.get(A).exists()).isTrue();
                    assertThat(context.get(B).exists()).isFalse();
                });
        assertThat(fixture.stored().attachments)
                .containsExactly(fixture.coder.attachments().key(2, A));
        submit(context -> context.put(A, value("3"), 0));
        assertThat(fixture.stored().attachments).isEmpty();
    }

    @Test
    void anAttachmentRecordWithoutTheLeaseInTheKeyIsIgnored() {
        submit(context -> context.put(A, value("1"), 0));
        submit(context -> context.putRecord(fixture.coder.attachments().key(3, A), value("x")));
        submit(context -> assertThat(context.deleteAttached(3)).isTrue());
        submit(context -> assertThat(context.get(A).exists()).isTrue());
    }

    @Test
    void metadataRecordsTakeNoRevisionAndAreVisibleAtOnce() {
        Bytes key = fixture.coder.leaseKey(5);
        submit(
                context -> {
                    context.putRecord(key, value("1"));
                    assertThat(context.record(key)).isEqualTo(value("1"));
                    assertThat(context.headerRevision()).isEqualTo(1);
                });
        assertThat(fixture.stored().small).containsEntry(key, value("1"));
        submit(
                context -> {
                    context.deleteRecord(key);
                    assertThat(context.record(key)).isNull();
                });
        submit(context -> assertThat(context.record(key)).isNull());
        assertThat(fixture.stored().small).isEmpty();
        assertThat(fixture.stored().fence.revision()).isEqualTo(1);
        assertThat(fixture.stored().log).isEmpty();
        assertThatThrownBy(() -> submit(context -> context.putRecord(key, Bytes.EMPTY)))
                .hasRootCauseInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aDroppedTombstoneLeavesNoHead() {
        submit(context -> context.put(A, value("1"), 0));
        submit(context -> context.delete(A));
        long bytes = fixture.sequencer.fence().bytes();
        submit(context -> context.dropTombstone(A));
        StoredState stored = fixture.stored();
        assertThat(stored.keys.get(A).head).isNull();
        assertThat(stored.bytes).isEqualTo(stored.fence.bytes());
        assertThat(bytes - stored.bytes)
                .isEqualTo(fixture.coder.headKeyLength(A) + VersionRecord.TRAILER);
        submit(context -> assertThat(context.get(A)).isEqualTo(HeadRecord.ABSENT));
        submit(context -> context.put(A, value("2"), 0));
        assertThat(fixture.stored().log.get(2).replacedRevision()).isZero();
        assertThat(fixture.stored().bytes).isEqualTo(fixture.stored().fence.bytes());
    }

    @Test
    void onlyATombstoneCanBeDropped() {
        submit(context -> context.put(A, value("1"), 0));
        assertThatThrownBy(() -> submit(context -> context.dropTombstone(A)))
                .hasRootCauseInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> submit(context -> context.dropTombstone(B)))
                .hasRootCauseInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> submit(context -> context.delete(B)))
                .hasRootCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void addedBytesAreCountedInTheFence() {
        submit(context -> context.addBytes(100));
        submit(context -> context.addBytes(-30));
        assertThat(fixture.stored().fence.bytes()).isEqualTo(70);
        assertThat(fixture.sent).hasSize(2);
    }

    @Test
    void theEventsOfALargeRevisionAreInTheLogOnly() {
        WriteFixture small =
                new WriteFixture(
                        new WriteSettings(
                                999, 1 << 20, 1 << 20, 100, 1 << 20, 1 << 10, 2000, 64 << 20));
        var light = small.put("a", "x".repeat(1000));
        var heavy = small.put("a", "x".repeat(1000));
        small.run();
        assertThat(light).isCompleted();
        assertThat(heavy).isCompleted();
        assertThat(small.events).extracting(RevisionEvents::inLogOnly).containsExactly(false, true);
        assertThat(small.events.get(1).events()).isEmpty();
        assertThat(small.stored().log).hasSize(2);
    }

    @Test
    void theFenceIsThePrimaryOfEveryBatch() {
        submit(context -> context.put(A, value("1"), 1));
        submit(context -> context.addBytes(1));
        assertThat(fixture.sent)
                .allSatisfy(
                        batch -> {
                            assertThat(batch.primary()).isInstanceOf(Mutation.CompareAndSet.class);
                            assertThat(batch.primary().key()).isEqualTo(fixture.coder.fenceKey());
                        });
    }

    private void submit(Consumer<TxnContext> work) {
        var done =
                fixture.submit(
                        context -> {
                            work.accept(context);
                            return Answer.of(null);
                        });
        fixture.run();
        done.join();
    }

    private static Bytes value(String text) {
        return Bytes.utf8(text);
    }
}
