package io.brain.backend.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.txn.Answer;
import io.brain.storage.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

@SuppressWarnings("FutureReturnValueIgnored") // what fails shows in the store
class WideSpanTest {
    private static final int CHANGES_MAX = 9;
    private static final KeySpan KEYS = KeySpan.of(Bytes.utf8("key"), Bytes.utf8("kez"));

    private WriteFixture fixture = fixture(1 << 20);

    @Test
    void otherWritesGoOnWhileAWideSpanIsRead() {
        fill(5);
        var deleted = deleteAll();
        fixture.think();
        var other = fixture.put("other", "1");
        runAllButReaders();
        assertThat(deleted).isNotDone();
        assertThat(other).isCompletedWithValue(7L);
        fixture.run();
        assertThat(deleted).isCompletedWithValue(5);
        assertThat(fixture.stored().fence.revision()).isEqualTo(8);
        assertThat(live()).containsExactly(Bytes.utf8("other"));
    }

    @Test
    void whatChangesMeanwhileIsSeenAsItIsThen() {
        fill(5);
        fixture.put("key0", "pending");
        fixture.delete("key1");
        var deleted = deleteAll();
        fixture.think();
        fixture.put("key2", "changed");
        fixture.put("key9", "new");
        fixture.delete("key3");
        runAllButReaders();
        assertThat(deleted).isNotDone();
        fixture.run();
        // Without key1 and key3, but with key9.
        assertThat(deleted).isCompletedWithValue(4);
        assertThat(live()).isEmpty();
        List<WatchEvent> last = fixture.events.get(fixture.events.size() - 1).events();
        assertThat(last)
                .extracting(event -> event.key().toString())
                .containsExactly("key0", "key2", "key4", "key9");
        assertThat(last.get(1).prevKv().toString()).contains("changed");
        assertThat(fixture.stored().bytes).isEqualTo(fixture.stored().fence.bytes());
    }

    @Test
    void replacedBytesThatAreNotKeptMakeTheRevisionOneOfTheLogOnly() {
        fixture = fixture(250);
        fill(5);
        var deleted = deleteAll();
        fixture.run();
        assertThat(deleted).isCompletedWithValue(5);
        assertThat(fixture.events.get(5).inLogOnly()).isTrue();
        assertThat(fixture.stored().bytes).isEqualTo(fixture.stored().fence.bytes());
    }

    @Test
    void requestsWithWideSpansTakeTurns() {
        fill(5);
        var first = deleteAll();
        var second = deleteAll();
        var keys = fixture.keys(KEYS);
        fixture.run();
        assertThat(first).isCompletedWithValue(5);
        assertThat(second).isCompletedWithValue(0);
        assertThat(keys.join()).isEmpty();
    }

    @Test
    void aSpanIsReadInPlaceIfTooMuchOfItChangesWhileAnotherIsRead() {
        KeySpan others = KeySpan.of(Bytes.utf8("a"), Bytes.utf8("b"));
        List.of("a0", "a1", "a2").forEach(key -> fixture.put(key, "v"));
        fill(3);
        var both =
                fixture.submit(
                        turn -> {
                            List<Bytes> keys = new ArrayList<>(turn.keys(others));
                            keys.addAll(turn.keys(KEYS));
                            return Answer.of(keys);
                        });
        fixture.think();
        fixture.world.readers().runAll(); // the first span
        fixture.think();
        fixture.delete("a0");
        for (int i = 0; i <= CHANGES_MAX; i++) {
            fixture.put("a1" + i, "v");
            fixture.delete("a1" + i);
        }
        runAllButReaders();
        assertThat(both).isNotDone();
        fixture.run();
        assertThat(both.join())
                .extracting(Bytes::toString)
                .containsExactly("a1", "a2", "key0", "key1", "key2");
    }

    @Test
    void tooManyKeysAreRefusedAndNothingIsChanged() {
        fill(CHANGES_MAX + 1);
        var deleted = deleteAll();
        fixture.run();
        assertThat(deleted)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(
                        BackendException.class,
                        refused ->
                                assertThat(refused.kind()).isEqualTo(ErrorKind.REQUEST_TOO_LARGE));
        assertThat(live()).hasSize(CHANGES_MAX + 1);
    }

    @Test
    void aSpanIsReadInPlaceIfNoReaderTakesIt() {
        fill(5);
        fixture.world.readers().limit(0);
        var deleted = deleteAll();
        fixture.run();
        assertThat(deleted).isCompletedWithValue(5);
    }

    @Test
    void theSecondSpanOfARequestIsReadInPlaceIfNoReaderTakesIt() {
        KeySpan others = KeySpan.of(Bytes.utf8("a"), Bytes.utf8("b"));
        List.of("a0", "a1", "a2").forEach(key -> fixture.put(key, "v"));
        fill(3);
        var both =
                fixture.submit(
                        turn -> {
                            List<Bytes> keys = new ArrayList<>(turn.keys(others));
                            keys.addAll(turn.keys(KEYS));
                            return Answer.of(keys);
                        });
        fixture.think();
        fixture.world.readers().runAll(); // the first span
        fixture.world.readers().limit(0);
        fixture.run();
        assertThat(both.getNow(List.of())).hasSize(6);
    }

    @Test
    void aRequestThatWaitsForItsSpanEndsWithTheSequencer() {
        fill(5);
        var deleted = deleteAll();
        fixture.think();
        fixture.sequencer.close(ErrorKind.STOPPED);
        fixture.think();
        assertThat(deleted).isCompletedExceptionally();
        fixture.run();
        assertThat(live()).hasSize(5);
    }

    private static WriteFixture fixture(long eventBytesMax) {
        return new WriteFixture(
                new WriteSettings(
                                999, 1 << 20, 1 << 20, CHANGES_MAX, 1 << 20, 1 << 10, eventBytesMax)
                        .withSpanKeysInPlace(2));
    }

    private void fill(int count) {
        for (int i = 0; i < count; i++) {
            fixture.put("key" + i, "v" + i);
        }
        fixture.run();
    }

    private CompletableFuture<Integer> deleteAll() {
        return fixture.submit(
                turn -> {
                    List<Bytes> keys = turn.keys(KEYS);
                    keys.forEach(turn::delete);
                    return Answer.of(keys.size());
                });
    }

    private void runAllButReaders() {
        for (int i = 0; i < 10; i++) {
            fixture.think();
            fixture.world.engine().runAll();
        }
    }

    private List<Bytes> live() {
        var stored = fixture.stored();
        return stored.keys.keySet().stream()
                .filter(key -> stored.kv(key.toString()) != null)
                .toList();
    }
}
