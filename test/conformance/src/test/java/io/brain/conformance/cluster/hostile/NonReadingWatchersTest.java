package io.brain.conformance.cluster.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.Form;
import io.brain.conformance.cluster.WatchFeed;
import io.brain.conformance.linear.Keys;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Watchers with prev_kv of more history, or of a larger revision, than the heap could hold. */
class NonReadingWatchersTest extends HostileFixture {

    private static final int NON_READING_CLIENTS = 100;
    private static final int HISTORY_BYTES = 64 << 20;
    private static final int EVENT_BYTES = 64 << 10;
    private static final int LARGE_BYTES = 1 << 20;
    private static final int LARGE_KEYS = 400;
    private static final int PART_KEYS = 8;
    private static final int LEASED_KEYS = 40;
    private static final Duration MEASURE = Duration.ofSeconds(Form.size(8, 30));
    private static final Duration RESPONSE_MAX = Duration.ofSeconds(60);

    @Test
    void watchersOfThePastThatNeverReadDelayNoOtherClient() throws Exception {
        List<NonReadingConnection> nonReading = new ArrayList<>();
        try (EtcdClient client = connect()) {
            for (int i = 0; i < HISTORY_BYTES / EVENT_BYTES; i++) {
                var unused = client.put(Keys.of("past/" + i % 64), value(i, EVENT_BYTES));
            }
            puts().measureQuiet();
            for (int i = 0; i < NON_READING_CLIENTS; i++) {
                nonReading.add(
                        new NonReadingConnection(
                                home().clientPort(),
                                "/etcdserverpb.Watch/Watch",
                                WatchRequest.newBuilder()
                                        .setCreateRequest(everything().setStartRevision(2))
                                        .build()
                                        .toByteArray(),
                                false));
            }
            puts().measureBeside(MEASURE);
            puts().expectServed();
            try (WatchFeed late = new WatchFeed(client.channel())) {
                late.create(everything().setStartRevision(2).build());
                expectEveryEvent(late, client.revision());
            }
        } finally {
            for (NonReadingConnection connection : nonReading) {
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
            puts().measureQuiet();
            feed.create(watch("large/").build());
            CompletableFuture<Set<Long>> revisions =
                    CompletableFuture.supplyAsync(() -> deleteInParts(client, feed));
            puts().measureBeside(revisions::isDone);
            assertThat(revisions.get()).hasSize(LARGE_KEYS / PART_KEYS);
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

    /** First all at once, which is refused; answers the revisions that the watcher sees. */
    private static Set<Long> deleteInParts(EtcdClient client, WatchFeed feed) {
        ByteString end = Keys.prefixEnd(Keys.of("large/"));
        assertThatThrownBy(() -> client.delete(Keys.of("large/"), end))
                .isInstanceOf(StatusRuntimeException.class)
                .hasMessageContaining("etcdserver: request is too large");
        for (int i = 0; i < LARGE_KEYS; i += PART_KEYS) {
            assertThat(client.delete(large(i), large(i + PART_KEYS)).getDeleted())
                    .isEqualTo(PART_KEYS);
        }
        try {
            return revisionsOfDeletes(feed, LARGE_KEYS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private static WatchCreateRequest.Builder everything() {
        return WatchCreateRequest.newBuilder()
                .setKey(Keys.ZERO)
                .setRangeEnd(Keys.ZERO)
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
