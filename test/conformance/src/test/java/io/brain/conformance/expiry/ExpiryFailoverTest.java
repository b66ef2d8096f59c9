package io.brain.conformance.expiry;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.WatchFeed;
import io.brain.conformance.linear.Keys;
import io.brain.conformance.members.Cluster;
import io.brain.conformance.members.Node;
import io.brain.conformance.members.Target;
import io.brain.conformance.server.Peer;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Keys that expire by a rule on TiKV, whose leader is killed meanwhile, watched on a follower. */
@Tag("peer")
@Isolated
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ExpiryFailoverTest {

    /** The leader has to be killed before it has deleted all of them. */
    private static final int KEYS = 20_000;

    private static final int KEYS_PER_TXN = 100;
    private static final int KEYS_PER_REVISION_MAX = 200;
    private static final String OTHER = "/expirey/a";

    /** Also a busy machine's leader renews it: a put that meets an election fails. */
    private static final Duration LEADER_LEASE = Duration.ofSeconds(10);

    private static final Duration NEXT_EVENTS_MAX = Duration.ofSeconds(60);

    @Test
    void theNextLeaderContinuesTheExpiry(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory)
            throws Exception {
        Peer.requireTikv();
        Path rules = Files.writeString(directory.resolve("rules"), "/expire/** = 1h\n");
        List<String> flags = List.of("--ttl-rules=" + rules);
        try (Cluster cluster = Cluster.start(Target.BRAIN, directory, LEADER_LEASE, flags)) {
            Node leader = cluster.awaitLeader();
            Node follower =
                    cluster.nodes().stream().filter(node -> node != leader).findFirst().get();
            try (EtcdClient client = new EtcdClient(follower.address())) {
                var unused = client.put(Keys.of(OTHER), Keys.of("1"));
                long filled = fill(client);
                try (WatchFeed feed = WatchFeed.ofEverything(client.channel(), filled + 1)) {
                    replace(rules, "/expire/** = 1s\n");
                    List<Event> events = new ArrayList<>();
                    await(feed, events, 1);
                    leader.program().kill();
                    long killed = System.nanoTime();
                    int before = events.size();
                    await(feed, events, KEYS);
                    System.out.printf(
                            "summary: %d keys expired, %d of them seen when the leader was killed,"
                                    + " the last %d ms later%n",
                            events.size(), before, (System.nanoTime() - killed) / 1_000_000);
                    // The next leader deleted some: this one's lease had to end first.
                    assertThat(System.nanoTime() - killed).isGreaterThan(1_000_000_000L);
                    assertThat(feed.next(Duration.ofSeconds(3))).isEmpty();
                    check(events, filled);
                }
                RangeRequest all =
                        RangeRequest.newBuilder().setKey(Keys.ZERO).setRangeEnd(Keys.ZERO).build();
                assertThat(client.kv().range(all).getKvsList())
                        .extracting(kv -> kv.getKey().toStringUtf8())
                        .containsExactly(OTHER);
            }
        }
    }

    /** Puts the keys; returns the newest revision. */
    private static long fill(EtcdClient client) {
        long revision = 0;
        for (int i = 0; i < KEYS; i += KEYS_PER_TXN) {
            TxnRequest.Builder txn = TxnRequest.newBuilder();
            for (int key = i; key < i + KEYS_PER_TXN; key++) {
                PutRequest put = PutRequest.newBuilder().setKey(Keys.of("/expire/" + key)).build();
                txn.addSuccess(RequestOp.newBuilder().setRequestPut(put));
            }
            revision = client.txn(txn.build()).getHeader().getRevision();
        }
        return revision;
    }

    private static void replace(Path file, String content) throws IOException {
        Path next = Files.writeString(file.resolveSibling(file.getFileName() + ".next"), content);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static void await(WatchFeed feed, List<Event> events, int number)
            throws InterruptedException {
        while (events.size() < number) {
            events.addAll(feed.next(NEXT_EVENTS_MAX).orElseThrow().getEventsList());
        }
    }

    private static void check(List<Event> events, long filled) {
        Set<ByteString> keys = new HashSet<>();
        Map<Long, Integer> sizes = new TreeMap<>();
        long newest = filled;
        for (Event event : events) {
            long revision = event.getKv().getModRevision();
            assertThat(event.getType()).isEqualTo(Event.EventType.DELETE);
            assertThat(revision).isBetween(newest, newest + 1);
            assertThat(keys.add(event.getKv().getKey())).isTrue();
            sizes.merge(revision, 1, Integer::sum);
            newest = revision;
        }
        assertThat(keys).hasSize(KEYS);
        assertThat(sizes.values()).allMatch(size -> size <= KEYS_PER_REVISION_MAX);
    }
}
