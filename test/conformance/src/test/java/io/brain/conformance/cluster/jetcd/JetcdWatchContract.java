package io.brain.conformance.cluster.jetcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.etcd.jetcd.Watch;
import io.etcd.jetcd.common.exception.CompactedException;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchEvent;
import io.etcd.jetcd.watch.WatchResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

abstract class JetcdWatchContract extends JetcdFixture {

    @Test
    void changesArriveInOrder() throws Exception {
        Events events = new Events();
        try (Watch.Watcher watcher = watch("order/", prefix().build(), events)) {
            events.awaitCreated();
            long first = put("order/a", "1");
            put("order/b", "2");
            delete("order/a");
            List<WatchEvent> seen = events.take(3);
            assertThat(seen.stream().map(WatchEvent::getEventType))
                    .containsExactly(
                            WatchEvent.EventType.PUT,
                            WatchEvent.EventType.PUT,
                            WatchEvent.EventType.DELETE);
            assertThat(seen.stream().map(e -> e.getKeyValue().getModRevision()))
                    .containsExactly(first, first + 1, first + 2);
            assertThat(watcher.isClosed()).isFalse();
        }
    }

    @Test
    void historyIsReplayedFromARevision() throws Exception {
        long first = put("replay/a", "0");
        for (int i = 1; i < 50; i++) {
            put("replay/a", Integer.toString(i));
        }
        Events events = new Events();
        try (Watch.Watcher watcher =
                watch("replay/", prefix().withRevision(first + 10).build(), events)) {
            put("replay/a", "50");
            List<WatchEvent> seen = events.take(41);
            assertThat(text(seen.get(0).getKeyValue().getValue())).isEqualTo("10");
            assertThat(text(seen.get(40).getKeyValue().getValue())).isEqualTo("50");
            assertThat(watcher.isClosed()).isFalse();
        }
    }

    @Test
    void previousValueComesOnRequest() throws Exception {
        put("prev/a", "old");
        Events events = new Events();
        try (Watch.Watcher watcher = watch("prev/", prefix().withPrevKV(true).build(), events)) {
            events.awaitCreated();
            put("prev/a", "new");
            delete("prev/a");
            List<WatchEvent> seen = events.take(2);
            assertThat(text(seen.get(0).getPrevKV().getValue())).isEqualTo("old");
            assertThat(text(seen.get(1).getPrevKV().getValue())).isEqualTo("new");
            assertThat(watcher.isClosed()).isFalse();
        }
    }

    @Test
    void filterLeavesPutsOut() throws Exception {
        Events events = new Events();
        try (Watch.Watcher watcher = watch("filter/", prefix().withNoPut(true).build(), events)) {
            events.awaitCreated();
            put("filter/a", "1");
            delete("filter/a");
            assertThat(events.take(1).get(0).getEventType()).isEqualTo(WatchEvent.EventType.DELETE);
            assertThat(watcher.isClosed()).isFalse();
        }
    }

    @Test
    void everyWatcherOfAClientSeesItsOwnKeys() throws Exception {
        List<Events> all = new ArrayList<>();
        List<Watch.Watcher> watchers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Events events = new Events();
            watchers.add(watch("many/" + i + "/", prefix().build(), events));
            all.add(events);
        }
        for (Events events : all) {
            events.awaitCreated();
        }
        for (int i = 0; i < 20; i++) {
            put("many/" + i + "/a", "1");
        }
        for (int i = 0; i < 20; i++) {
            assertThat(text(all.get(i).take(1).get(0).getKeyValue().getKey()))
                    .isEqualTo("many/" + i + "/a");
        }
        watchers.forEach(Watch.Watcher::close);
    }

    @Test
    void compactedRevisionEndsTheWatch() throws Exception {
        long old = put("gone/a", "1");
        long newest = put("gone/a", "2");
        answer(client().getKVClient().compact(newest));
        Events events = new Events();
        try (Watch.Watcher watcher = watch("gone/", prefix().withRevision(old).build(), events)) {
            assertThat(events.failure())
                    .isInstanceOf(CompactedException.class)
                    .extracting(e -> ((CompactedException) e).getCompactedRevision())
                    .isEqualTo(newest);
            assertThat(watcher).isNotNull();
        }
    }

    @Test
    void progressIsAnsweredOnRequest() throws Exception {
        long revision = put("progress/a", "1");
        Events events = new Events();
        try (Watch.Watcher watcher = watch("progress/", prefix().build(), events)) {
            events.awaitCreated();
            watcher.requestProgress();
            assertThat(events.progress()).isGreaterThanOrEqualTo(revision);
        }
    }

    private Watch.Watcher watch(String prefix, WatchOption option, Events events) {
        return client().getWatchClient().watch(bytes(prefix), option, events);
    }

    private static WatchOption.Builder prefix() {
        return WatchOption.builder().isPrefix(true).withCreateNotify(true);
    }

    /** What a watcher was told, for the test's thread to take. */
    private static final class Events implements Watch.Listener {
        private static final long WAIT_SECONDS_MAX = 60;

        private final BlockingQueue<WatchResponse> responses = new LinkedBlockingQueue<>();
        private final BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();

        @Override
        public void onNext(WatchResponse response) {
            responses.add(response);
        }

        @Override
        public void onError(Throwable failure) {
            failures.add(failure);
        }

        @Override
        public void onCompleted() {}

        void awaitCreated() throws InterruptedException {
            assertThat(next().isCreatedNotify()).isTrue();
        }

        List<WatchEvent> take(int count) throws InterruptedException {
            List<WatchEvent> events = new ArrayList<>();
            while (events.size() < count) {
                events.addAll(next().getEvents());
            }
            assertThat(events).hasSize(count);
            return events;
        }

        long progress() throws InterruptedException {
            WatchResponse response = next();
            assertThat(response.isProgressNotify()).isTrue();
            return response.getHeader().getRevision();
        }

        Throwable failure() throws InterruptedException {
            return failures.poll(WAIT_SECONDS_MAX, TimeUnit.SECONDS);
        }

        private WatchResponse next() throws InterruptedException {
            WatchResponse response = responses.poll(WAIT_SECONDS_MAX, TimeUnit.SECONDS);
            assertThat(response).as("no response; failures: %s", failures).isNotNull();
            return response;
        }
    }
}
