package io.brain.conformance.cluster.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.Form;
import io.brain.conformance.cluster.Keys;
import io.brain.conformance.cluster.WatchFeed;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Watchers with prev_kv of more history, or of a larger revision, than the heap could hold. */
class DeafWatchersTest extends HostileFixture {

    private static final int DEAF_CLIENTS = 100;
    private static final int HISTORY_BYTES = 64 << 20;
    private static final int EVENT_BYTES = 64 << 10;
    private static final int LARGE_BYTES = 1 << 20;
    private static final int LARGE_KEYS = 400;
    private static final int LEASED_KEYS = 40;
    private static final int DEAF_ROUNDS = Form.size(200, 1_000);
    private static final Duration RESPONSE_MAX = Duration.ofSeconds(60);

    @Test
    void watchersOfThePastThatNeverReadHoldNobodyUp() throws Exception {
        List<DeafConnection> deaf = new ArrayList<>();
        try (EtcdClient client = connect()) {
            for (int i = 0; i < HISTORY_BYTES / EVENT_BYTES; i++) {
                var unused = client.put(Keys.of("past/" + i % 64), value(i, EVENT_BYTES));
            }
            long quiet = slowestOfAHundred(client, DEAF_ROUNDS);
            for (int i = 0; i < DEAF_CLIENTS; i++) {
                deaf.add(
                        new DeafConnection(
                                home().clientPort(),
                                "/etcdserverpb.Watch/Watch",
                                WatchRequest.newBuilder()
                                        .setCreateRequest(everything().setStartRevision(2))
                                        .build()
                                        .toByteArray(),
                                false));
            }
            long loaded = slowestOfAHundred(client, DEAF_ROUNDS);
            System.out.printf(
                    "summary: hostile, p99 of puts: %d us quiet, %d us beside %d deaf watchers%n",
                    quiet, loaded, DEAF_CLIENTS);
            try (WatchFeed late = new WatchFeed(client.channel())) {
                late.create(everything().setStartRevision(2).build());
                expectEveryEvent(late, client.revision());
            }
        } finally {
            for (DeafConnection connection : deaf) {
                connection.close();
            }
        }
    }

    @Test
    void aDeleteOfMoreThanAWatcherCouldBeSentIsRefused() throws Exception {
        try (EtcdClient client = connect();
                WatchFeed feed = new WatchFeed(client.channel())) {
            for (int i = 0; i < LARGE_KEYS; i++) {
                var unused = client.put(large(i), value(i, LARGE_BYTES));
            }
            feed.create(watch("large/").build());
            ByteString end = Keys.prefixEnd(Keys.of("large/"));
            assertThatThrownBy(() -> client.delete(Keys.of("large/"), end))
                    .isInstanceOf(StatusRuntimeException.class)
                    .hasMessageContaining("etcdserver: request is too large");
            int part = 8;
            for (int i = 0; i < LARGE_KEYS; i += part) {
                assertThat(client.delete(large(i), large(i + part)).getDeleted()).isEqualTo(part);
            }
            assertThat(revisionsOfDeletes(feed, LARGE_KEYS)).hasSize(LARGE_KEYS / part);
        }
    }

    @Test
    void aLeaseOfMoreThanAWatcherCouldBeSentExpiresInSeveralRevisions() throws Exception {
        try (EtcdClient client = connect();
                WatchFeed feed = new WatchFeed(client.channel())) {
            long lease = client.grant(Duration.ofSeconds(20));
            for (int i = 0; i < LEASED_KEYS; i++) {
                var unused =
                        client.kv()
                                .put(
                                        PutRequest.newBuilder()
                                                .setKey(Keys.of("leased/" + i))
                                                .setValue(value(i, LARGE_BYTES))
                                                .setLease(lease)
                                                .build());
            }
            feed.create(watch("leased/").build());
            assertThat(revisionsOfDeletes(feed, LEASED_KEYS)).hasSizeBetween(2, LEASED_KEYS);
        }
    }

    private static WatchCreateRequest.Builder everything() {
        return WatchCreateRequest.newBuilder()
                .setKey(Keys.FROM_KEY)
                .setRangeEnd(Keys.FROM_KEY)
                .setPrevKv(true);
    }

    private static WatchCreateRequest.Builder watch(String prefix) {
        ByteString key = Keys.of(prefix);
        return WatchCreateRequest.newBuilder()
                .setKey(key)
                .setRangeEnd(Keys.prefixEnd(key))
                .setPrevKv(true);
    }

    private static ByteString large(int number) {
        return Keys.of(String.format("large/%05d", number));
    }

    /** Microseconds that all but one in a hundred puts stay below. */
    private static long slowestOfAHundred(EtcdClient client, int puts) throws InterruptedException {
        List<Long> micros = new ArrayList<>();
        for (int i = 0; i < puts; i++) {
            long started = System.nanoTime();
            var unused = client.put(Keys.of("timed"), Keys.of("" + i));
            micros.add((System.nanoTime() - started) / 1000);
            Thread.sleep(20);
        }
        Collections.sort(micros);
        return micros.get(puts * 99 / 100 - 1);
    }

    private static void expectEveryEvent(WatchFeed feed, long last) throws InterruptedException {
        long seen = 1;
        while (seen < last) {
            for (Event event : next(feed).getEventsList()) {
                assertThat(event.getKv().getModRevision()).isEqualTo(seen + 1);
                seen++;
            }
        }
    }

    /** Reads so many deletes, each with what it replaced; answers their revisions. */
    private static Set<Long> revisionsOfDeletes(WatchFeed feed, int deletes)
            throws InterruptedException {
        Set<Long> revisions = new TreeSet<>();
        int seen = 0;
        while (seen < deletes) {
            for (Event event : next(feed).getEventsList()) {
                assertThat(event.getType()).isEqualTo(Event.EventType.DELETE);
                assertThat(event.getPrevKv().getValue().size()).isEqualTo(LARGE_BYTES);
                revisions.add(event.getKv().getModRevision());
                seen++;
            }
        }
        return revisions;
    }

    private static WatchResponse next(WatchFeed feed) throws InterruptedException {
        return feed.next(RESPONSE_MAX).orElseThrow(() -> new AssertionError("" + feed.end()));
    }
}
