package io.brain.backend.watch;

import static io.brain.backend.watch.Fixture.key;
import static io.brain.backend.watch.Fixture.ringOf;
import static io.brain.backend.watch.Fixture.watch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.store.KeyCoder;
import io.brain.storage.Bytes;
import io.brain.storage.WriteBatch;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What happens to watchers when the engine, the log or a thread fails. */
class WatchFaultTest {
    @Test
    void anUnavailableEngineDelaysAReplay() {
        AtomicBoolean away = new AtomicBoolean(true);
        Fixture fixture = new Fixture(ringOf(1), memory -> new ReadSpy(memory, away::get));
        fixture.history.put("a", "1");
        RecordingSink sink = new RecordingSink();
        WatchStream stream = fixture.open(sink);
        stream.create(watch(key("a"), 2));
        fixture.simulated.run();
        fixture.simulated.advance(Duration.ofSeconds(5));
        assertThat(sink.take()).containsExactly("created 0 @2");
        away.set(false);
        fixture.simulated.advance(Duration.ofSeconds(1));
        assertThat(sink.take()).containsExactly("events 0 @2: PUT a=1#2");
    }

    @Test
    void aDamagedLogEndsOnlyTheStreamsThatReadIt() {
        Fixture fixture = new Fixture(ringOf(3000));
        for (int i = 0; i < 50; i++) {
            fixture.history.put("a", "v" + i);
        }
        WriteBatch damage =
                WriteBatch.builder().delete(new KeyCoder(Bytes.EMPTY).logKey(20, 0)).build();
        fixture.memory.commit(damage).toCompletableFuture().join();
        fixture.history.put("b", "after the damage");
        RecordingSink needy = new RecordingSink();
        RecordingSink healthy = new RecordingSink();
        fixture.open(healthy).create(watch(key("a"), 0));
        WatchStream needyStream = fixture.open(needy);
        needyStream.create(watch(key("a"), 10));
        fixture.simulated.run();
        assertThat(needy.take()).containsExactly("created 0 @52", "failed CORRUPT");
        fixture.history.put("a", "new");
        fixture.simulated.run();
        assertThat(healthy.take()).containsExactly("created 0 @52", "events 0 @53: PUT a=new#53");
        assertThat(needy.take()).isEmpty();
        assertThat(fixture.hub.stats().streams()).isEqualTo(1);
        assertThat(fixture.hub.stats().unsynced()).isZero();
    }

    @Test
    void aDamagedVersionEndsOnlyTheStreamsThatReadIt() {
        Fixture fixture = Fixture.withoutRing();
        String large = "x".repeat(2_000); // read from its head
        fixture.history.put("damaged", large);
        WriteBatch damage =
                WriteBatch.builder()
                        .delete(new KeyCoder(Bytes.EMPTY).headKey(Bytes.utf8("damaged")))
                        .build();
        fixture.memory.commit(damage).toCompletableFuture().join();
        fixture.history.put("whole", large);
        RecordingSink needy = new RecordingSink();
        RecordingSink other = new RecordingSink();
        fixture.hub.open(needy).create(watch(key("damaged"), 2));
        fixture.hub.open(other).create(watch(key("whole"), 2));
        fixture.simulated.run();
        assertThat(needy.take()).containsExactly("created 0 @3", "failed CORRUPT");
        assertThat(other.take())
                .containsExactly("created 0 @3", "events 0 @3: PUT whole=" + large + "#3");
    }

    @Test
    void anErrorOfTheHubEndsAllStreams() {
        Fixture fixture = Fixture.roomy();
        RecordingSink sink = new RecordingSink();
        fixture.open(sink).create(watch(key("a"), 0));
        fixture.simulated.run();
        sink.take();
        fixture.hub.post(
                () -> {
                    throw new IllegalStateException("a defect");
                });
        fixture.history.put("a", "1");
        fixture.simulated.run();
        assertThat(sink.take()).containsExactly("failed WATCH_INTERRUPTED");
        assertThat(fixture.hub.stats().watchers()).isZero();
        // The hub itself goes on.
        RecordingSink next = new RecordingSink();
        fixture.open(next).create(watch(key("a"), 2));
        fixture.simulated.run();
        fixture.history.put("a", "2");
        fixture.simulated.run();
        assertThat(next.take())
                .containsExactly(
                        "created 0 @2", "events 0 @2: PUT a=1#2", "events 0 @3: PUT a=2#3");
    }

    @Test
    void aQueueWhoseThreadHasEndedKeepsNothing() {
        AtomicInteger asked = new AtomicInteger();
        CommandQueue queue =
                new CommandQueue(
                        task -> {
                            asked.incrementAndGet();
                            throw new RejectedExecutionException();
                        },
                        () -> {
                            throw new AssertionError("no thread");
                        });
        queue.post(() -> {});
        queue.post(() -> {});
        assertThat(asked).hasValue(2);
        assertThat(queue.run(10)).isTrue();
    }

    @Test
    void limitsMustBePositive() {
        assertThatThrownBy(() -> new WatchSettings(0, 1, 1, 1, 1, Duration.ofMinutes(1), true, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new WatchSettings(1, 0, 1, 1, 1, Duration.ofMinutes(1), true, 0))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
