package io.brain.backend.watch;

import static io.brain.backend.watch.Fixture.key;
import static io.brain.backend.watch.Fixture.watch;
import static io.brain.backend.watch.Fixture.withPrevKv;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LogEntry;
import io.brain.backend.store.LogEvent;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Store;
import io.brain.backend.watch.CommitLogReader.Found;
import io.brain.backend.watch.CommitLogReader.Want;
import io.brain.backend.watch.History.Change;
import io.brain.storage.Bytes;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.MemoryStorage;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Logs that begin in the middle, or do not tell what was replaced. */
class ReadBelowFloorTest {
    private final MemoryStorage storage = new MemoryStorage();
    private final KeyCoder coder = new KeyCoder(Bytes.EMPTY);
    private final History history = new History(storage, coder);
    private final CommitLogReader reader =
            new CommitLogReader(new Store(storage, coder, history.revisions()), 16 << 20, 100);

    @AfterEach
    void nothingStaysOpen() {
        storage.checkNoOpenSnapshots();
    }

    @Test
    void anImportDoesNotKnowWhatItsCompactRevisionReplaced() {
        history.commit(Change.put("updated", "1"), Change.put("deleted", "1"));
        history.commit(
                Change.put("updated", "2"), Change.delete("deleted"), Change.put("created", "1"));
        // As an import of a source that was compacted at 3.
        LogEntry imported =
                new LogEntry(
                        0,
                        List.of(
                                new LogEvent(Bytes.utf8("updated"), 3, 0, false, 0, 0, null),
                                new LogEvent(Bytes.utf8("deleted"), 3, 1, true, 0, 0, null),
                                new LogEvent(Bytes.utf8("created"), 3, 2, false, 0, 0, null)));
        commit(
                WriteBatch.builder()
                        .delete(coder.logKey(2, 0))
                        .put(coder.logKey(3, 0), imported.encode()));
        history.put("last", "1");
        history.raiseFloor(4);
        history.sweep(100);
        List<Found> found =
                read(
                        new Want(withPrevKv(key("updated"), 3), 3, 4),
                        new Want(withPrevKv(key("deleted"), 3), 3, 4),
                        new Want(withPrevKv(key("created"), 3), 3, 4),
                        new Want(watch(key("updated"), 3), 3, 4),
                        new Want(watch(key("deleted"), 3), 3, 4));
        assertThat(found)
                .extracting(Found::compacted)
                .containsExactly(true, true, false, false, false);
        assertThat(shown(found.get(2))).containsExactly("PUT created=1#3");
        assertThat(shown(found.get(3))).containsExactly("PUT updated=2#3");
        assertThat(shown(found.get(4))).containsExactly("DEL deleted#3");
    }

    @Test
    void aKeyThatIsCreatedAgainHasNoReplacedKeyValue() {
        history.put("again", "1");
        history.delete("again");
        history.put("again", "2");
        history.put("again", "3");
        history.delete("again");
        history.put("again", "4");
        history.put("last", "1");
        history.raiseFloor(8);
        Want[] wants = {
            new Want(withPrevKv(key("again"), 7), 7, 8),
            new Want(withPrevKv(key("again"), 4), 4, 4),
            new Want(withPrevKv(key("again"), 5), 5, 8),
            new Want(withPrevKv(key("again"), 6), 6, 8)
        };
        List<Found> found = read(wants);
        assertThat(found).extracting(Found::compacted).containsExactly(false, false, true, true);
        assertThat(shown(found.get(0))).containsExactly("PUT again=4#7");
        assertThat(shown(found.get(1))).containsExactly("PUT again=2#4");
        history.sweep(100);
        found = read(wants);
        // The version of revision 4 is removed now.
        assertThat(found).extracting(Found::compacted).containsExactly(false, true, true, true);
        assertThat(shown(found.get(0))).containsExactly("PUT again=4#7");
    }

    @Test
    void aRevisionWithoutItsFirstPartIsCompacted() {
        history.partEventsMax(1);
        history.put("a", "1");
        history.commit(Change.put("a", "2"), Change.put("b", "1"), Change.put("c", "1"));
        history.put("a", "3");
        history.raiseFloor(4);
        // As a trim that has not come further.
        commit(WriteBatch.builder().delete(coder.logKey(2, 0)).delete(coder.logKey(3, 0)));
        List<Found> found =
                read(
                        new Want(watch(key("idle"), 2), 2, 4),
                        new Want(watch(key("idle"), 3), 3, 4),
                        new Want(watch(key("a"), 4), 4, 4));
        assertThat(found).extracting(Found::compacted).containsExactly(true, true, false);
        assertThat(shown(found.get(2))).containsExactly("PUT a=3#4");
    }

    private List<Found> read(Want... wants) {
        return reader.read(List.of(wants), newest()).found();
    }

    private ReadPoint newest() {
        return new ReadPoint(history.revision(), storage.timestamp());
    }

    private void commit(WriteBatch.Builder batch) {
        storage.commit(batch.build()).toCompletableFuture().join();
    }

    private static List<String> shown(Found found) {
        return found.events().stream().map(event -> RecordingSink.show(event, true)).toList();
    }
}
