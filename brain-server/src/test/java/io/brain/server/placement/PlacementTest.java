package io.brain.server.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.brain.options.Endpoints;
import io.brain.proto.etcd.CompactionRequest;
import io.brain.proto.etcd.HashKVRequest;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.WatchCreateRequest;
import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.etcd.WatchRequest;
import io.brain.proto.etcd.WatchResponse;
import io.brain.server.BrainServer;
import io.brain.server.Eventually;
import io.brain.server.config.CommandLineReader;
import io.brain.server.etcd.ClusterClient;
import io.brain.server.process.ServerException;
import io.brain.storage.placed.Placement.State;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server with a placed store, whose prefixes move while it is used. */
class PlacementTest {
    private static final int KEYS = 300;
    private static final String PREFIX = "/registry/pods/";

    @TempDir private Path directory;
    private BrainServer server;
    private String url;
    private ClusterClient client;
    private PlacementClient placements;

    private void start(String... flags) throws Exception {
        List<String> all =
                new ArrayList<>(
                        List.of(
                                "--data-dir=" + directory.resolve("base"),
                                "--listen-client-urls=http://127.0.0.1:0",
                                "--advertise-client-urls=http://127.0.0.1:2379"));
        all.addAll(List.of(flags));
        server = BrainServer.start(CommandLineReader.read(all, Map.of()).config());
        url = "http://127.0.0.1:" + server.clientAddresses().get(0).getPort();
        client =
                new ClusterClient(
                        Endpoints.parse(url), new ClusterClient.Tls(null, null, null), null);
        placements = new PlacementClient("the server", client.channel());
    }

    private String hot() {
        return "--placed-store=hot=rocksdb:" + directory.resolve("hot");
    }

    @AfterEach
    void stop() throws IOException {
        if (client != null) {
            client.close();
            server.close();
            client = null;
        }
    }

    private KVGrpc.KVBlockingStub kv() {
        return KVGrpc.newBlockingStub(client.channel()).withDeadlineAfter(60, TimeUnit.SECONDS);
    }

    private static PutRequest.Builder put(String key, String value) {
        return PutRequest.newBuilder()
                .setKey(ByteString.copyFromUtf8(key))
                .setValue(ByteString.copyFromUtf8(value));
    }

    private int hash(long revision) {
        return MaintenanceGrpc.newBlockingStub(client.channel())
                .hashKV(HashKVRequest.newBuilder().setRevision(revision).build())
                .getHash();
    }

    private void move(String prefix, String store) throws Exception {
        placements.place(prefix, store);
        Eventually.holds(this::isSettled);
    }

    private boolean isSettled() {
        try {
            return placements.list().placements().stream()
                    .allMatch(one -> one.placement().state() == State.PLACED);
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    @Test
    void aPrefixMovesThereAndBackUnderWritesAndWatches() throws Exception {
        start(hot());
        for (int i = 0; i < KEYS; i++) {
            var unused = kv().put(put(PREFIX + i, "1").build());
        }
        long before = kv().put(put("/other", "1").build()).getHeader().getRevision();
        int hash = hash(before);
        Queue<Long> watched = watch();
        AtomicBoolean stop = new AtomicBoolean();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread writer = new Thread(() -> write(stop, failure));
        writer.start();
        for (int i = 0; i < 3; i++) {
            move(PREFIX, "hot");
            assertThat(hash(before)).isEqualTo(hash);
            move(PREFIX, "base");
            assertThat(hash(before)).isEqualTo(hash);
        }
        move(PREFIX, "hot");
        assertThat(metrics())
                .contains("brain_placement_prefixes 1\n", "brain_placement_moving 0\n")
                .contains("brain_placement_stalled 0\n", "brain_placement_step_keys 0\n")
                .contains("brain_placement_step_bytes 0\n")
                .containsPattern("brain_placed_store_statistic\\{store=\"hot\",statistic=\"snap");
        stop.set(true);
        writer.join();
        assertThat(failure.get()).isNull();

        long newest = kv().put(put("/other", "2").build()).getHeader().getRevision();
        int last = hash(newest);
        Eventually.holds(() -> watched.contains(newest));
        // Revision 1 is the new store's, without an event.
        assertThat(watched.stream().distinct()).hasSize((int) newest - 1);
        stop();
        start(hot());
        assertThat(hash(newest)).isEqualTo(last);
        assertThat(count()).isEqualTo(KEYS);
        var unused = kv().compact(CompactionRequest.newBuilder().setRevision(newest).build());
        int compacted = hash(0);
        move(PREFIX, "base");
        assertThat(hash(0)).isEqualTo(compacted);
        stop();
        // Without the store: nothing is placed any more.
        start();
        assertThat(hash(0)).isEqualTo(compacted);
        assertThat(count()).isEqualTo(KEYS);
    }

    private String metrics() throws Exception {
        HttpRequest page = HttpRequest.newBuilder(URI.create(url + "/metrics")).build();
        return HttpClient.newHttpClient().send(page, BodyHandlers.ofString()).body();
    }

    /** Each transaction changes both stores. */
    private void write(AtomicBoolean stop, AtomicReference<Throwable> failure) {
        try {
            for (int i = 0; !stop.get(); i++) {
                TxnRequest both =
                        TxnRequest.newBuilder()
                                .addSuccess(op(put(PREFIX + i % KEYS, "w" + i)))
                                .addSuccess(op(put("/other", "w" + i)))
                                .build();
                var unused = kv().txn(both);
            }
        } catch (RuntimeException | Error thrown) {
            failure.set(thrown);
        }
    }

    private static RequestOp op(PutRequest.Builder put) {
        return RequestOp.newBuilder().setRequestPut(put).build();
    }

    private long count() {
        return kv().range(
                        RangeRequest.newBuilder()
                                .setKey(ByteString.copyFromUtf8(PREFIX))
                                .setRangeEnd(ByteString.copyFromUtf8("/registry/pods0"))
                                .setCountOnly(true)
                                .build())
                .getCount();
    }

    /** The revisions of all events, in their order. */
    private Queue<Long> watch() {
        Queue<Long> revisions = new ConcurrentLinkedQueue<>();
        StreamObserver<WatchRequest> requests =
                WatchGrpc.newStub(client.channel())
                        .watch(
                                new StreamObserver<>() {
                                    @Override
                                    public void onNext(WatchResponse response) {
                                        response.getEventsList()
                                                .forEach(
                                                        event ->
                                                                revisions.add(
                                                                        event.getKv()
                                                                                .getModRevision()));
                                    }

                                    @Override
                                    public void onError(Throwable ended) {}

                                    @Override
                                    public void onCompleted() {}
                                });
        WatchCreateRequest all =
                WatchCreateRequest.newBuilder()
                        .setKey(ByteString.copyFrom(new byte[1]))
                        .setRangeEnd(ByteString.copyFrom(new byte[1]))
                        .setStartRevision(1)
                        .build();
        requests.onNext(WatchRequest.newBuilder().setCreateRequest(all).build());
        return revisions;
    }

    @Test
    void aServerDoesNotStartWithoutAStoreThatHasAPrefix() throws Exception {
        start(hot());
        var unused = kv().put(put(PREFIX + "1", "1").build());
        move(PREFIX, "hot");
        stop();
        assertThatThrownBy(() -> start())
                .isInstanceOf(ServerException.class)
                .hasMessage("/registry/pods/ is placed on store hot: --placed-store is missing");
        assertThatThrownBy(() -> start("--data-dir=" + directory.resolve("hot")))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining("this is the placed store hot");
    }

    @Test
    void whatCannotBePlacedIsRefusedInALine() throws Exception {
        start(hot());
        move(PREFIX, "hot");
        assertThatThrownBy(() -> placements.place("/registry/", "hot"))
                .hasMessageContaining("/registry/ overlaps /registry/pods/");
        assertThatThrownBy(() -> placements.place("/a/", "cold"))
                .hasMessageContaining("there is no store cold; stores are base, hot");
        assertThatThrownBy(() -> placements.place("", "hot"))
                .hasMessageContaining("the prefix is empty");
        stop();
        start("--data-dir=" + directory.resolve("another"));
        assertThatThrownBy(() -> placements.place("/a/", "hot"))
                .hasMessageContaining("the server has no placed stores");
    }
}
