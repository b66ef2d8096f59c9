package io.brain.backend.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LogQueueTest {
    private final LogQueue queue = new LogQueue();
    private final OpenStream one = new OpenStream(new CountingSink(), null, null);
    private final OpenStream two = new OpenStream(new CountingSink(), null, null);
    private long serial;

    @Test
    void closeWatchersOfAllStreamsFormAGroup() {
        Watcher first = waiting(one, 100);
        Watcher near = waiting(two, 150);
        Watcher far = waiting(one, 200);
        Watcher behind = waiting(two, 99);
        assertThat(queue.poll(10, 50)).containsExactly(first, near);
        assertThat(queue.poll(10, 50)).containsExactly(behind);
        assertThat(queue.poll(10, 50)).containsExactly(far);
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void streamsTakeTurnsHoweverManyWatchersTheyHave() {
        for (int i = 0; i < 6; i++) {
            waiting(one, 1000L * (i + 1));
        }
        Watcher other = waiting(two, 5);
        assertThat(queue.poll(1, 0)).extracting(watcher -> watcher.next).containsExactly(1000L);
        assertThat(queue.poll(1, 0)).containsExactly(other);
        assertThat(queue.poll(1, 0)).extracting(watcher -> watcher.next).containsExactly(2000L);
    }

    @Test
    void aGroupIsLimited() {
        for (int i = 0; i < 7; i++) {
            waiting(one, 10);
        }
        assertThat(queue.poll(5, 0)).hasSize(5);
        assertThat(queue.poll(5, 0)).hasSize(2);
    }

    @Test
    void aRemovedWatcherIsNotReturned() {
        Watcher leaving = waiting(one, 1);
        Watcher staying = waiting(one, 1);
        queue.remove(leaving);
        assertThat(queue.poll(5, 0)).isEqualTo(List.of(staying));
        queue.add(leaving);
        queue.clear();
        assertThat(queue.isEmpty()).isTrue();
    }

    private Watcher waiting(OpenStream stream, long next) {
        Watcher watcher = new Watcher(stream, serial, Fixture.watch(Fixture.key("a"), 2), serial++);
        watcher.next = next;
        queue.add(watcher);
        return watcher;
    }
}
