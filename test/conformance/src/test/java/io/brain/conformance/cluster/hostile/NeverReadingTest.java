package io.brain.conformance.cluster.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.Form;
import io.brain.conformance.cluster.WatchFeed;
import io.brain.conformance.linear.Keys;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Clients that ask for much and read nothing of it. */
class NeverReadingTest extends HostileFixture {

    private static final int VALUE_BYTES = 64 * 1024;
    private static final int EVENTS = Form.size(4_000, 16_000);
    private static final int EVENT_KEYS = 50;
    private static final int LISTED_KEYS = 512;
    private static final int NON_READING_CLIENTS = 32;
    private static final int LISTENING_MILLIS = Form.size(10_000, 45_000);
    private static final int RACES = 4;

    @Test
    void watchersThatNeverReadDelayNoOtherClient() throws Exception {
        List<NonReadingConnection> nonReading = new ArrayList<>();
        try (EtcdClient client = connect();
                WatchFeed late = WatchFeed.ofEverything(client.channel(), client.revision() + 1)) {
            for (int i = 0; i < NON_READING_CLIENTS; i++) {
                nonReading.add(nonReadingWatch());
            }
            long last = 0;
            for (int i = 0; i < EVENTS; i++) {
                ByteString key = Keys.of("event/" + i % EVENT_KEYS);
                last = client.put(key, value(i, VALUE_BYTES)).getHeader().getRevision();
            }
            // Read late, but all of it: slowness must cost a watcher nothing but time.
            expectEveryEvent(late, last);
        } finally {
            closeAll(nonReading);
        }
    }

    @Test
    void listersThatNeverReadDelayNoOtherClient() throws Exception {
        List<NonReadingConnection> nonReading = new ArrayList<>();
        try (EtcdClient client = connect()) {
            for (int i = 0; i < LISTED_KEYS; i++) {
                var unused = client.put(Keys.of("list/" + i), value(i, VALUE_BYTES));
            }
            for (int i = 0; i < NON_READING_CLIENTS; i++) {
                nonReading.add(nonReadingList());
            }
            Thread.sleep(LISTENING_MILLIS);
            assertThat(client.range(list()).getKvsCount()).isEqualTo(LISTED_KEYS);
        } finally {
            closeAll(nonReading);
        }
    }

    /** Lists that are abandoned again and again must give back what they took. */
    @Test
    void abandonedListsLeaveNothingBehind() throws Exception {
        try (EtcdClient client = connect()) {
            for (int i = 0; i < LISTED_KEYS; i++) {
                var unused = client.put(Keys.of("list/" + i), value(i, VALUE_BYTES));
            }
            for (int race = 0; race < RACES; race++) {
                List<NonReadingConnection> nonReading = new ArrayList<>();
                for (int i = 0; i < NON_READING_CLIENTS; i++) {
                    nonReading.add(nonReadingList());
                }
                Thread.sleep(1_000);
                closeAll(nonReading);
            }
            assertThat(client.range(list()).getKvsCount()).isEqualTo(LISTED_KEYS);
        }
    }

    private NonReadingConnection nonReadingWatch() throws IOException {
        WatchRequest everything =
                WatchRequest.newBuilder()
                        .setCreateRequest(
                                WatchCreateRequest.newBuilder()
                                        .setKey(Keys.ZERO)
                                        .setRangeEnd(Keys.ZERO)
                                        .setPrevKv(true))
                        .build();
        return new NonReadingConnection(
                home().clientPort(), "/etcdserverpb.Watch/Watch", everything.toByteArray(), false);
    }

    private NonReadingConnection nonReadingList() throws IOException {
        return new NonReadingConnection(
                home().clientPort(), "/etcdserverpb.KV/Range", list().toByteArray(), true);
    }

    private static RangeRequest list() {
        ByteString prefix = Keys.of("list/");
        return RangeRequest.newBuilder().setKey(prefix).setRangeEnd(Keys.prefixEnd(prefix)).build();
    }

    private static void expectEveryEvent(WatchFeed feed, long last) throws InterruptedException {
        long seen = 0;
        while (seen < last) {
            WatchResponse response =
                    feed.next(Duration.ofMinutes(1))
                            .orElseThrow(() -> new AssertionError("" + feed.end()));
            assertThat(response.getCanceled()).isFalse();
            for (Event event : response.getEventsList()) {
                long revision = event.getKv().getModRevision();
                if (seen != 0) {
                    assertThat(revision).isEqualTo(seen + 1);
                }
                seen = revision;
            }
        }
    }

    private static void closeAll(List<NonReadingConnection> connections) throws IOException {
        for (NonReadingConnection connection : connections) {
            connection.close();
        }
    }
}
