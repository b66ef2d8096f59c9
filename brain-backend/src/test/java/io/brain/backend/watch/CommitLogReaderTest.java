package io.brain.backend.watch;

import static io.brain.backend.watch.Fixture.filtered;
import static io.brain.backend.watch.Fixture.key;
import static io.brain.backend.watch.Fixture.span;
import static io.brain.backend.watch.Fixture.watch;
import static io.brain.backend.watch.Fixture.withPrevKv;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.model.KeySpan;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LogEntry;
import io.brain.backend.store.LogEvent;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Store;
import io.brain.backend.watch.CommitLogReader.Found;
import io.brain.backend.watch.CommitLogReader.Want;
import io.brain.backend.watch.History.Change;
import io.brain.storage.Bytes;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.MemoryStorage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CommitLogReaderTest {
    private final MemoryStorage storage = new MemoryStorage();
    private final KeyCoder coder = new KeyCoder(Bytes.utf8("cluster/"));
    private final History history = new History(storage, coder);
    private final ReadSpy spy = new ReadSpy(storage);
    private final Store store = new Store(spy, coder, history.revisions());
    private final CommitLogReader reader = new CommitLogReader(store, 16 << 20, 0);

    @AfterEach
    void nothingStaysOpen() {
        storage.checkNoOpenSnapshots();
    }

    @Test
    void readsFromTheMiddleOfALogEntry() {
        history.commitBatch(
                List.of(
                        List.of(Change.put("a", "1")),
                        List.of(Change.put("b", "1")),
                        List.of(Change.put("a", "2"))));
        history.put("a", "3");
        assertThat(read(watch(KeySpan.ALL, 0), 3, 5))
                .containsExactly("PUT b=1#3", "PUT a=2#4", "PUT a=3#5");
        assertThat(read(watch(KeySpan.ALL, 0), 4, 4)).containsExactly("PUT a=2#4");
        assertThat(read(watch(KeySpan.ALL, 0), 1, 2)).containsExactly("PUT a=1#2");
    }

    @Test
    void readsARevisionInSeveralLogEntries() {
        history.put("z", "0");
        history.commit(
                Change.put("e", "1"),
                Change.put("d", "1"),
                Change.put("c", "1"),
                Change.put("b", "1"),
                Change.put("a", "1"));
        history.put("a", "2");
        assertThat(read(watch(KeySpan.ALL, 0), 3, 3))
                .containsExactly("PUT e=1#3", "PUT d=1#3", "PUT c=1#3", "PUT b=1#3", "PUT a=1#3");
        assertThat(read(watch(KeySpan.ALL, 0), 4, 4)).containsExactly("PUT a=2#4");
    }

    @Test
    void replacedKeyValuesAreThoseBeforeTheRevision() {
        history.put("a", "1");
        history.commit(Change.put("a", "2"), Change.delete("a"), Change.put("a", "3"));
        history.delete("a");
        history.commit(Change.put("a", "4"), Change.delete("a"));
        history.put("a", "5");
        assertThat(read(withPrevKv(key("a"), 0), 2, history.revision()))
                .containsExactly(
                        "PUT a=1#2",
                        "PUT a=2#3 was 1",
                        "DEL a#3 was 1",
                        "PUT a=3#3",
                        "DEL a#4 was 3",
                        "PUT a=4#5",
                        "DEL a#5",
                        "PUT a=5#6");
    }

    @Test
    void noReplacedKeyValueAtTheFloorAndNothingBelow() {
        for (int i = 1; i <= 6; i++) {
            history.put("a", "v" + i);
        }
        history.raiseFloor(4);
        history.sweep();
        assertThat(read(withPrevKv(key("a"), 0), 4, 6))
                .containsExactly("PUT a=v3#4", "PUT a=v4#5 was v3", "PUT a=v5#6 was v4");
        CommitLogReader.Result result =
                reader.read(List.of(want(watch(key("a"), 0), 3, 6)), newest());
        assertThat(result.floor()).isEqualTo(4);
        assertThat(result.found().get(0).events()).isEmpty();
    }

    @Test
    void aDeleteAtTheFloorIsRead() {
        history.put("a", "1");
        history.delete("a");
        history.put("b", "1");
        history.raiseFloor(3);
        history.sweep();
        assertThat(read(withPrevKv(KeySpan.ALL, 0), 3, 4)).containsExactly("DEL a#3", "PUT b=1#4");
    }

    @Test
    void aReadEndsAfterAThousandMatchingRevisions() {
        for (int i = 0; i < 1200; i++) {
            history.put("other", "x");
            history.commit(Change.put("a", "v" + i), Change.put("ab", "w" + i));
        }
        Found found = find(watch(span("a", "b"), 0), 2, history.revision());
        assertThat(found.events()).hasSize(2000);
        assertThat(found.events().get(1999).revision()).isEqualTo(2001);
        assertThat(found.next()).isEqualTo(2003);
        found = find(watch(span("a", "b"), 0), found.next(), history.revision());
        assertThat(found.events()).hasSize(400);
        assertThat(found.next()).isEqualTo(history.revision() + 1);
    }

    @Test
    void aReadIsLimitedInBytesButReadsRevisionsCompletely() {
        for (int i = 0; i < 40; i++) {
            history.commit(Change.put("a", "x".repeat(1000)), Change.put("b", "y".repeat(1000)));
        }
        CommitLogReader modest = new CommitLogReader(store, 10_000, 0);
        List<Long> revisions = new ArrayList<>();
        long next = 2;
        int reads = 0;
        while (next <= history.revision()) {
            Want want = want(watch(KeySpan.ALL, 0), next, history.revision());
            Found found = modest.read(List.of(want), newest()).found().get(0);
            found.events().forEach(event -> revisions.add(event.revision()));
            assertThat(found.events().size() % 2).isZero();
            assertThat(found.events()).hasSizeBetween(2, 32);
            next = found.next();
            reads++;
        }
        assertThat(revisions).hasSize(80).isSorted();
        assertThat(reads).isBetween(3, 20);
    }

    @Test
    void valuesWhoseSizeTheLogTellsAreReadWithinTheLimit() {
        for (int i = 0; i < 600; i++) {
            history.put("a", "small");
        }
        for (int i = 0; i < 600; i++) {
            history.put("a", "x".repeat(10_000));
        }
        CommitLogReader modest = new CommitLogReader(store, 100_000, 0);
        assertThat(readAll(modest, withPrevKv(key("a"), 0))).hasSize(1200);
        assertThat(spy.bytesTogether).isLessThan(100_000 + 3 * 10_100);
    }

    @Test
    void fewValuesOfUnknownSizeAreReadTogether() {
        for (int i = 0; i < 600; i++) {
            history.put("small-" + i, "x");
        }
        for (int i = 0; i < 600; i++) {
            history.put("large-" + i, "x".repeat(10_000));
        }
        CommitLogReader modest = new CommitLogReader(store, 1 << 20, 0);
        assertThat(readAll(modest, watch(KeySpan.ALL, 0))).hasSize(1200);
        assertThat(spy.bytesTogether).isLessThan(32 * 10_100);
        assertThat(spy.multiGets).as("small heads are found at once").isLessThan(100);
    }

    @Test
    void whatWasReadBeforeTheEngineFailedIsDelivered() {
        for (int i = 0; i < 100; i++) {
            history.commit(Change.put("a-" + i, "x"), Change.put("b-" + i, "x"));
        }
        spy.multiGetsMax = 2;
        Found found = find(watch(KeySpan.ALL, 0), 2, history.revision());
        assertThat(found.events()).hasSize(4);
        assertThat(found.events().get(found.events().size() - 1).revision())
                .isEqualTo(found.next() - 1);
        assertThat(found.events()).hasSize(2 * (int) (found.next() - 2));
        assertThatThrownBy(() -> find(watch(KeySpan.ALL, 0), found.next(), history.revision()))
                .hasMessage("the engine is away");
    }

    @Test
    void aReadWithoutMatchingEventsIsLimited() {
        for (int i = 0; i < 200; i++) {
            history.put("some-long-key-name-" + i, "x");
        }
        CommitLogReader modest = new CommitLogReader(store, 1000, 0);
        Want want = want(watch(key("a"), 0), 2, history.revision());
        Found found = modest.read(List.of(want), newest()).found().get(0);
        assertThat(found.events()).isEmpty();
        assertThat(found.next()).isBetween(5L, 100L);
    }

    @Test
    void severalWatchersShareTheReadAndItsEvents() {
        for (int i = 0; i < 10; i++) {
            history.put("a", "v" + i);
            history.put("b", "v" + i);
        }
        List<Want> wants =
                List.of(
                        want(watch(key("a"), 0), 2, 21),
                        want(watch(KeySpan.ALL, 0), 20, 21),
                        want(filtered(key("b"), 0, true, false), 2, 21),
                        want(withPrevKv(key("b"), 0), 18, 19));
        CommitLogReader.Result result = reader.read(wants, newest());
        assertThat(result.found().get(0).events()).hasSize(10);
        assertThat(shown(result.found().get(1), false))
                .containsExactly("PUT a=v9#20", "PUT b=v9#21");
        assertThat(result.found().get(2).events()).isEmpty();
        assertThat(shown(result.found().get(3), true)).containsExactly("PUT b=v8#19 was v7");
        assertThat(result.found()).extracting(Found::next).containsExactly(22L, 22L, 22L, 20L);
        assertThat(result.found().get(0).events().get(9))
                .isSameAs(result.found().get(1).events().get(0));
        assertThat(spy.snapshots).isEqualTo(1);
    }

    @Test
    void onlyMatchingKeyValuesAreReadAndManyAtATime() {
        for (int i = 0; i < 300; i++) {
            history.put("a", "v" + i);
            history.put("b", "v" + i);
            history.put("c", "v" + i);
        }
        read(watch(key("b"), 0), 2, history.revision());
        // The head is looked for where the newest event's version is not in the history.
        assertThat(spy.keysRead).isEqualTo(301);
        assertThat(spy.multiGets).isLessThanOrEqualTo(4);
        spy.keysRead = 0;
        read(withPrevKv(key("b"), 0), 2, history.revision());
        assertThat(spy.keysRead).isEqualTo(600);
        spy.keysRead = 0;
        read(filtered(key("b"), 0, true, false), 2, history.revision());
        assertThat(spy.keysRead).isZero();
    }

    @Test
    void aReadBelowTheFloorFindsEverythingOrIsCompacted() {
        history.put("kept", "1");
        history.put("gone", "1");
        history.put("gone", "2");
        history.put("updated", "1");
        history.delete("gone");
        history.put("updated", "2");
        history.put("last", "1");
        history.put("updated", "3");
        history.raiseFloor(9);
        history.sweep(100);
        CommitLogReader below = new CommitLogReader(store, 16 << 20, 7);
        List<Want> wants =
                List.of(
                        want(watch(key("idle"), 0), 2, 8),
                        want(withPrevKv(key("kept"), 0), 2, 8),
                        want(watch(key("gone"), 0), 3, 8),
                        want(filtered(key("gone"), 0, true, false), 3, 8),
                        want(withPrevKv(key("gone"), 0), 6, 8),
                        want(watch(key("updated"), 0), 6, 8),
                        want(watch(key("updated"), 0), 5, 8),
                        want(withPrevKv(key("updated"), 0), 7, 8),
                        want(withPrevKv(KeySpan.ALL, 0), 8, 8),
                        want(withPrevKv(key("updated"), 3), 8, 9),
                        want(withPrevKv(key("updated"), 9), 9, 9),
                        want(watch(key("idle"), 0), 1, 8));
        List<Found> found = below.read(wants, newest()).found();
        assertThat(found)
                .extracting(Found::compacted)
                .containsExactly(
                        false, false, true, false, true, true, true, true, false, true, false,
                        true);
        assertThat(shown(found.get(1), true)).containsExactly("PUT kept=1#2");
        assertThat(shown(found.get(3), true)).containsExactly("DEL gone#6");
        assertThat(shown(found.get(10), true)).containsExactly("PUT updated=3#9");
        assertThat(shown(found.get(8), true)).containsExactly("PUT last=1#8");
        assertThat(found.get(2).events()).isEmpty();
    }

    @Test
    void aReadBelowTheLogIsCompacted() {
        for (int i = 0; i < 10; i++) {
            history.put("a", "v" + i);
        }
        history.raiseFloor(10);
        history.sweep(3);
        CommitLogReader below = new CommitLogReader(store, 16 << 20, 100);
        List<Want> wants =
                List.of(want(watch(key("idle"), 0), 4, 11), want(watch(key("idle"), 0), 7, 11));
        assertThat(below.read(wants, newest()).found())
                .extracting(Found::compacted)
                .containsExactly(true, false);
        history.sweep();
        assertThat(below.read(wants, newest()).found())
                .extracting(Found::compacted)
                .containsExactly(true, true);
    }

    @Test
    void aReadOverAGapBelowTheFloorIsCompacted() {
        history.put("a", "1");
        history.put("a", "2");
        history.put("a", "3");
        LogEntry gap = new LogEntry(0, List.of(LogEvent.gap(3, 0)));
        storage.commit(WriteBatch.builder().put(coder.logKey(3, 0), gap.encode()).build())
                .toCompletableFuture()
                .join();
        history.raiseFloor(4);
        CommitLogReader below = new CommitLogReader(store, 16 << 20, 100);
        List<Want> wants =
                List.of(want(watch(key("idle"), 0), 3, 4), want(watch(key("a"), 0), 4, 4));
        assertThat(below.read(wants, newest()).found())
                .extracting(Found::compacted)
                .containsExactly(true, false);
    }

    @Test
    void aMissingLogEntryIsCorrupt() {
        for (int i = 0; i < 9; i++) {
            history.put("a", "v" + i);
        }
        Bytes missing = coder.logKey(6, 0);
        storage.commit(WriteBatch.builder().delete(missing).build()).toCompletableFuture().join();
        assertThatThrownBy(() -> read(watch(key("nothing"), 0), 2, 10))
                .isInstanceOf(StorageException.class)
                .hasMessage("the commit log breaks off after revision 5");
        assertThatThrownBy(() -> read(watch(key("a"), 0), 6, 10))
                .hasMessage("the commit log breaks off after revision 5");
        assertThat(read(watch(key("a"), 0), 7, 10)).hasSize(4);
        assertThatThrownBy(() -> read(watch(key("a"), 0), 7, 11))
                .hasMessage("the commit log breaks off after revision 10");
    }

    @Test
    void aMissingPartOfARevisionIsCorrupt() {
        history.commit(
                Change.put("a", "1"),
                Change.put("b", "1"),
                Change.put("c", "1"),
                Change.put("d", "1"),
                Change.put("e", "1"),
                Change.put("f", "1"),
                Change.put("g", "1"));
        Bytes missing = coder.logKey(2, 1);
        storage.commit(WriteBatch.builder().delete(missing).build()).toCompletableFuture().join();
        assertThatThrownBy(() -> read(watch(key("a"), 0), 2, 2))
                .hasMessage("the commit log breaks off after revision 2");
    }

    @Test
    void aMissingVersionIsCorrupt() {
        history.put("a", "1");
        Bytes missing = coder.headKey(Bytes.utf8("a"));
        storage.commit(WriteBatch.builder().delete(missing).build()).toCompletableFuture().join();
        assertThatThrownBy(() -> read(watch(key("a"), 0), 2, 2))
                .isInstanceOfSatisfying(
                        StorageException.class,
                        e -> assertThat(e.kind()).isEqualTo(StorageException.Kind.CORRUPT));
    }

    /** The revisions of all events, from as many reads as it takes. */
    private List<Long> readAll(CommitLogReader from, WatchRequest request) {
        List<Long> revisions = new ArrayList<>();
        for (long next = 2; next <= history.revision(); ) {
            Want want = want(request, next, history.revision());
            Found found = from.read(List.of(want), newest()).found().get(0);
            found.events().forEach(event -> revisions.add(event.revision()));
            next = found.next();
        }
        return revisions;
    }

    private List<String> read(WatchRequest request, long from, long to) {
        return shown(find(request, from, to), request.prevKv());
    }

    private Found find(WatchRequest request, long from, long to) {
        return reader.read(List.of(want(request, from, to)), newest()).found().get(0);
    }

    private static Want want(WatchRequest request, long from, long to) {
        return new Want(request, from, to);
    }

    private ReadPoint newest() {
        // The floor may have been raised since the last commit.
        return new ReadPoint(history.revision(), storage.timestamp());
    }

    private static List<String> shown(Found found, boolean prevKv) {
        return found.events().stream().map(event -> RecordingSink.show(event, prevKv)).toList();
    }
}
