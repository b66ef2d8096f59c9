package io.brain.conformance.cluster.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.WatchFeed;
import io.brain.conformance.linear.Keys;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ManyWatchersTest extends HostileFixture {

    private static final int WATCHERS = 10_000;
    private static final int STREAMS = 1_000;
    private static final int CONNECTIONS = 10;
    private static final Duration RESPONSE_MAX = Duration.ofSeconds(60);
    private static final ByteString HOT = Keys.of("hot");

    @Test
    void tenThousandWatchersOnOneStreamAllSeeAChange() throws Exception {
        try (EtcdClient client = connect();
                WatchFeed feed = new WatchFeed(client.channel())) {
            createAndAwait(feed, WATCHERS);
            long revision = client.put(HOT, Keys.of("1")).getHeader().getRevision();
            assertThat(idsThatSee(feed, WATCHERS, revision)).hasSize(WATCHERS);
        }
    }

    @Test
    void tenThousandWatchersOnAThousandStreamsAllSeeAChange() throws Exception {
        List<EtcdClient> clients = new ArrayList<>();
        List<WatchFeed> feeds = new ArrayList<>();
        try {
            for (int i = 0; i < CONNECTIONS; i++) {
                clients.add(connect());
            }
            for (int i = 0; i < STREAMS; i++) {
                feeds.add(new WatchFeed(clients.get(i % CONNECTIONS).channel()));
            }
            int each = WATCHERS / STREAMS;
            for (WatchFeed feed : feeds) {
                createAndAwait(feed, each);
            }
            long revision = clients.get(0).put(HOT, Keys.of("2")).getHeader().getRevision();
            for (WatchFeed feed : feeds) {
                assertThat(idsThatSee(feed, each, revision)).hasSize(each);
            }
        } finally {
            feeds.forEach(WatchFeed::close);
            clients.forEach(EtcdClient::close);
        }
    }

    /** Creates watchers a few at a time, as the feed holds only so many answers. */
    private static void createAndAwait(WatchFeed feed, int watchers) throws InterruptedException {
        WatchCreateRequest request = WatchCreateRequest.newBuilder().setKey(HOT).build();
        for (int created = 0; created < watchers; ) {
            int some = Math.min(50, watchers - created);
            for (int i = 0; i < some; i++) {
                feed.create(request);
            }
            for (int i = 0; i < some; i++) {
                assertThat(next(feed).getCreated()).isTrue();
            }
            created += some;
        }
    }

    private static Set<Long> idsThatSee(WatchFeed feed, int watchers, long revision)
            throws InterruptedException {
        Set<Long> ids = new HashSet<>();
        for (int i = 0; i < watchers; i++) {
            WatchResponse response = next(feed);
            assertThat(response.getEvents(0).getKv().getModRevision()).isEqualTo(revision);
            ids.add(response.getWatchId());
        }
        return ids;
    }

    private static WatchResponse next(WatchFeed feed) throws InterruptedException {
        return feed.next(RESPONSE_MAX).orElseThrow(() -> new AssertionError("" + feed.end()));
    }
}
