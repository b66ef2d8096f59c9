package io.brain.server.standby;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.LeaseTimeToLiveRequest;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.migration.CutoverResponse;
import io.brain.proto.mvcc.Event;
import io.brain.server.BrainServer;
import io.brain.server.Eventually;
import io.brain.server.process.ServerException;
import io.brain.storage.testkit.FreePorts;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that follows another one, and the cutover. */
class StandbyTest {
    @TempDir private Path directory;

    private final List<AutoCloseable> opened = new ArrayList<>();

    /** The default threads may be fewer than the clients. */
    private final ExecutorService threads = Executors.newCachedThreadPool();

    private StandbyClient source;
    private StandbyClient standby;

    @AfterEach
    void close() throws Exception {
        threads.shutdownNow();
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    private StandbyClient start(String name, String... flags) throws Exception {
        BrainServer server = StandbyClient.server(directory.resolve(name), flags);
        opened.add(server);
        StandbyClient client = new StandbyClient(server.clientAddresses().get(0).getPort());
        opened.add(client);
        return client;
    }

    private void follow() throws Exception {
        standby = start("standby", "--standby-of=" + source.url());
    }

    /** Closes the server and the client that were started last. */
    private void stopLast() throws Exception {
        opened.remove(opened.size() - 1).close();
        opened.remove(opened.size() - 1).close();
    }

    @Test
    void aStandbyHasWhatTheSourceHas() throws Exception {
        source = start("source");
        source.put("a", "1");
        source.put("b", "1");
        source.delete("b");
        follow();
        assertThat(standby.hash()).isEqualTo(source.hash());

        source.put("c", "1");
        TxnRequest several =
                TxnRequest.newBuilder().addSuccess(putOp("d")).addSuccess(putOp("b")).build();
        var unused = source.kv().txn(several);
        assertThat(standby.get("b").getVersion()).isEqualTo(1);
        assertThat(standby.get("b")).isEqualTo(source.get("b"));
        source.delete("c");
        assertThat(standby.count("c")).isZero();
        assertThat(standby.hash()).isEqualTo(source.hash());
    }

    private static RequestOp putOp(String key) {
        PutRequest put = PutRequest.newBuilder().setKey(ByteString.copyFromUtf8(key)).build();
        return RequestOp.newBuilder().setRequestPut(put).build();
    }

    @Test
    void changesGoToTheSource() throws Exception {
        source = start("source");
        follow();
        assertThat(standby.put("a", "1")).isEqualTo(2);
        // A serializable read after a change shows it, too.
        assertThat(standby.serializable("a").getKvsCount()).isEqualTo(1);
        assertThat(source.get("a").getModRevision()).isEqualTo(2);
        long lease = standby.grant(60);
        standby.putLeased("b", lease);
        assertThat(standby.keepAlive(lease)).isEqualTo(60);
        LeaseTimeToLiveRequest ttl = LeaseTimeToLiveRequest.newBuilder().setID(lease).build();
        assertThat(source.lease().leaseTimeToLive(ttl).getGrantedTTL()).isEqualTo(60);
        assertThat(standby.lease().leaseTimeToLive(ttl).getGrantedTTL()).isEqualTo(60);
        DeleteRangeRequest all =
                DeleteRangeRequest.newBuilder()
                        .setKey(ByteString.copyFrom(new byte[1]))
                        .setRangeEnd(ByteString.copyFrom(new byte[1]))
                        .build();
        assertThat(standby.kv().deleteRange(all).getDeleted()).isEqualTo(2);
        assertThat(source.count("a")).isZero();
        // The source's errors arrive as they are.
        assertThatThrownBy(() -> standby.putLeased("c", 4711))
                .hasMessageContaining("etcdserver: requested lease not found");
        assertThat(standby.hash()).isEqualTo(source.hash());
    }

    @Test
    void theClusterMovesWithItsWatchesAndLeases() throws Exception {
        source = start("source");
        for (int i = 0; i < 10; i++) {
            source.put("before", "" + i);
        }
        long lease = source.grant(600);
        source.putLeased("leased", lease);
        follow();
        CutoverResponse moved;
        List<Event> events = new ArrayList<>();
        try (StandbyClient.Watch watch = standby.watch(4)) {
            moved = standby.cutover();
            assertThat(moved.getRevision()).isEqualTo(12);
            assertThat(moved.getHash()).isEqualTo(source.hash());
            assertThat(standby.put("after", "1")).isEqualTo(13);
            while (events.size() < 10) {
                events.addAll(watch.next().getEventsList());
            }
        }
        assertThat(events)
                .extracting(event -> event.getKv().getModRevision())
                .containsExactly(4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L, 12L, 13L);
        assertThat(standby.keepAlive(lease)).isEqualTo(600);
        StatusRuntimeException refused =
                assertThrows(StatusRuntimeException.class, () -> source.put("x", "1"));
        assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.DATA_LOSS);
        assertThat(standby.status().getSource()).isZero();
        assertThatThrownBy(() -> standby.cutover()).hasMessageContaining("follows no cluster");

        stopLast();
        standby = start("standby");
        assertThat(standby.get("after").getModRevision()).isEqualTo(13);
        assertThat(standby.put("after", "2")).isEqualTo(14);
    }

    @Test
    void noChangeIsLostOrFailsDuringTheCutover() throws Exception {
        source = start("source");
        follow();
        AtomicBoolean done = new AtomicBoolean();
        AtomicLong newest = new AtomicLong();
        List<CompletableFuture<Integer>> writers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            String key = "writer/" + i;
            writers.add(CompletableFuture.supplyAsync(() -> write(key, done, newest), threads));
        }
        Eventually.holds(() -> newest.get() > 200);
        CutoverResponse moved = standby.cutover();
        Eventually.holds(() -> newest.get() > moved.getRevision() + 200);
        done.set(true);
        long written = 0;
        for (int i = 0; i < writers.size(); i++) {
            int count = writers.get(i).get();
            assertThat(standby.get("writer/" + i).getVersion()).isEqualTo(count);
            written += count;
        }
        assertThat(standby.get("writer/0").getModRevision()).isGreaterThan(moved.getRevision());
        assertThat(newest.get()).isEqualTo(written + 1);
    }

    private int write(String key, AtomicBoolean done, AtomicLong newest) {
        int count = 0;
        while (!done.get()) {
            long revision = standby.put(key, "" + count);
            newest.accumulateAndGet(revision, Math::max);
            count++;
        }
        return count;
    }

    @Test
    void aRestartedStandbyGoesOn() throws Exception {
        source = start("source");
        source.put("a", "1");
        follow();
        stopLast();
        source.put("a", "2");
        assertThatThrownBy(() -> StandbyClient.server(directory.resolve("standby")))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining("start the server with --standby-of");
        follow();
        assertThat(standby.get("a").getVersion()).isEqualTo(2);
        assertThat(standby.hash()).isEqualTo(source.hash());
    }

    @Test
    void aSourceThatIsDownIsFollowedAgain() throws Exception {
        int port = FreePorts.next();
        String flag = "--listen-client-urls=http://127.0.0.1:" + port;
        BrainServer first = StandbyClient.server(directory.resolve("source"), flag);
        try (StandbyClient client = new StandbyClient(port)) {
            client.put("a", "1");
            source = client;
            follow();
            first.close();
            assertThat(standby.serializable("a").getKvsCount()).isEqualTo(1);
            assertThatThrownBy(() -> standby.put("a", "2"))
                    .isInstanceOf(StatusRuntimeException.class);
            assertThatThrownBy(() -> standby.cutover()).hasMessageContaining("ABORTED");
            Eventually.holds(() -> !standby.status().getTrouble().isEmpty());
        }
        BrainServer second = StandbyClient.server(directory.resolve("source"), flag);
        opened.add(0, second);
        Eventually.holds(() -> standby.status().getTrouble().isEmpty());
        assertThat(standby.put("a", "2")).isEqualTo(3);
        assertThat(standby.cutover().getRevision()).isEqualTo(3);
    }

    @Test
    void readsThatOverlapAreAllAnswered() throws Exception {
        source = start("source");
        source.put("a", "1");
        follow();
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            readers.add(
                    CompletableFuture.runAsync(
                            () -> {
                                for (int n = 0; n < 200; n++) {
                                    assertThat(standby.count("a")).isOne();
                                }
                            },
                            threads));
        }
        for (CompletableFuture<Void> reader : readers) {
            reader.get();
        }
    }

    @Test
    void aWaitingLockDoesNotStopTheCutover() throws Exception {
        source = start("source");
        follow();
        long first = standby.grant(600);
        long second = standby.grant(600);
        var unused = standby.lock("l", first).get();
        var waiting = standby.lock("l", second);
        Eventually.holds(() -> standby.countPrefix("l/") == 2);
        var unusedReport = standby.cutover();
        assertThatThrownBy(waiting::get).hasMessageContaining("the cluster has moved");
        var again = standby.lock("l", second);
        Eventually.holds(() -> standby.countPrefix("l/") == 2);
        standby.revoke(first);
        assertThat(again.get().getKey().toStringUtf8()).startsWith("l/");
    }

    @Test
    void usersAndRolesDoNotChangeBeforeTheCutover() throws Exception {
        source = start("source");
        follow();
        assertThatThrownBy(() -> standby.addRole("r"))
                .hasMessageContaining("users and roles cannot be changed before the cutover");
        source.addRole("r");
        assertThatThrownBy(() -> standby.cutover())
                .hasMessageContaining("users or roles of the source have changed");
        assertThat(standby.put("a", "1")).isEqualTo(2);
    }

    @Test
    void anInterruptedCutoverLeavesNoFence() throws Exception {
        source = start("source");
        follow();
        source.put("a", "1");
        source.fence(standby.memberId());
        assertThatThrownBy(() -> standby.put("a", "2")).hasMessageContaining("corrupt cluster");
        stopLast();
        follow();
        Eventually.holds(() -> standby.status().getTrouble().isEmpty());
        assertThat(standby.put("a", "2")).isEqualTo(3);
    }

    @Test
    void anotherClusterIsNotFollowed() throws Exception {
        source = start("source");
        source.put("a", "1");
        follow();
        stopLast();
        StandbyClient other = start("other");
        other.put("b", "1");
        other.put("b", "2");
        standby = start("standby", "--standby-of=" + other.url());
        Eventually.holds(() -> standby.status().getTrouble().contains("and the store follows"));
        assertThat(standby.serializable("b").getKvsCount()).isZero();
    }

    @Test
    void aNewStoreInAUsedDirectoryIsRefused() throws Exception {
        source = start("source");
        StandbyClient.server(directory.resolve("standby")).close();
        assertThatThrownBy(this::follow).hasMessageContaining("the store is empty");
    }

    @Test
    void aServerThatFollowsNoneSaysSo() throws Exception {
        source = start("source");
        assertThat(source.status().getSource()).isZero();
        assertThatThrownBy(() -> source.cutover()).hasMessageContaining("FAILED_PRECONDITION");
    }

    @Test
    void theLeasesOfTheSourceAreKept() throws Exception {
        source = start("source");
        LeaseGrantRequest chosen = LeaseGrantRequest.newBuilder().setID(77).setTTL(100).build();
        var unused = source.lease().leaseGrant(chosen);
        follow();
        long later = source.grant(200);
        source.putLeased("a", later);
        assertThat(standby.get("a").getLease()).isEqualTo(later);
        var unusedReport = standby.cutover();
        assertThat(standby.leases()).containsExactlyInAnyOrder(77L, later);
        assertThat(standby.keepAlive(77)).isEqualTo(100);
        RangeRequest leased =
                RangeRequest.newBuilder().setKey(ByteString.copyFromUtf8("a")).build();
        assertThat(standby.kv().range(leased).getCount()).isEqualTo(1);
    }
}
