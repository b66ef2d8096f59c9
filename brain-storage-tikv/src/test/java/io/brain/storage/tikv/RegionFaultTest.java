package io.brain.storage.tikv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.brain.proto.tikv.Errorpb;
import io.brain.proto.tikv.Kvrpcpb.BatchGetResponse;
import io.brain.proto.tikv.Kvrpcpb.CommitResponse;
import io.brain.proto.tikv.Kvrpcpb.Context;
import io.brain.proto.tikv.Kvrpcpb.GetResponse;
import io.brain.proto.tikv.Kvrpcpb.KeyError;
import io.brain.proto.tikv.Kvrpcpb.KvPair;
import io.brain.proto.tikv.Kvrpcpb.ScanResponse;
import io.brain.proto.tikv.Metapb;
import io.brain.proto.tikv.PDGrpc;
import io.brain.proto.tikv.Pdpb.GetRegionResponse;
import io.brain.proto.tikv.Pdpb.GetStoreResponse;
import io.brain.proto.tikv.TikvGrpc;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Regions that answer late, elsewhere, or not at all. */
@Timeout(60)
final class RegionFaultTest {
    private static final Duration RPC_TIMEOUT = Duration.ofSeconds(10);

    private StubCluster cluster;
    private KvStorage storage;

    @BeforeEach
    void open() throws Exception {
        cluster = new StubCluster();
        storage = cluster.open("rpc-timeout-ms", "" + RPC_TIMEOUT.toMillis());
    }

    @AfterEach
    void close() throws Exception {
        storage.close();
        cluster.close();
    }

    private static GetResponse found(String value) {
        return GetResponse.newBuilder().setValue(ByteString.copyFromUtf8(value)).build();
    }

    private static Bytes bytes(String text) {
        return Bytes.utf8(text);
    }

    @Test
    void readsOfOtherRegionsDoNotWaitForARegionThatTakesNoCommits() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch healed = new CountDownLatch(1);
        cluster.answer(
                1,
                TikvGrpc.getKvCommitMethod(),
                request -> {
                    if (request.getContext().getRegionId() == 2) {
                        asked.countDown();
                        await(healed);
                    }
                    return CommitResponse.getDefaultInstance();
                });
        WriteBatch batch =
                WriteBatch.builder()
                        .putIfAbsent(bytes("fence"), bytes("1"))
                        .put(bytes("zone"), bytes("1"))
                        .build();
        try {
            assertThat(storage.commit(batch).toCompletableFuture().get(30, TimeUnit.SECONDS))
                    .isInstanceOf(CommitResult.Committed.class);
            await(asked);

            CompletableFuture<Void> read = CompletableFuture.runAsync(this::readTheFirstRegion);
            assertThat(read).succeedsWithin(RPC_TIMEOUT.dividedBy(2));
        } finally {
            healed.countDown();
        }
    }

    private void readTheFirstRegion() {
        try (Snapshot snapshot = storage.snapshot()) {
            assertThat(snapshot.get(bytes("apple"))).isNull();
            assertThat(snapshot.get(List.of(bytes("apple"), bytes("bean")))).hasSize(2);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Test
    void theLeaderThatAStoreNamesIsAskedThoughPdNamesAnother() {
        AtomicInteger refusals = new AtomicInteger();
        cluster.answer(
                1,
                TikvGrpc.getKvGetMethod(),
                request -> {
                    refusals.incrementAndGet();
                    long region = request.getContext().getRegionId();
                    return GetResponse.newBuilder()
                            .setRegionError(
                                    Errorpb.Error.newBuilder()
                                            .setMessage("not leader")
                                            .setNotLeader(
                                                    Errorpb.NotLeader.newBuilder()
                                                            .setRegionId(region)
                                                            .setLeader(
                                                                    StubCluster.replica(
                                                                            region, 2))))
                            .build();
                });
        cluster.answer(2, TikvGrpc.getKvGetMethod(), request -> found("of store 2"));

        try (Snapshot snapshot = storage.snapshot()) {
            assertThat(snapshot.get(bytes("apple"))).isEqualTo(bytes("of store 2"));
            assertThat(snapshot.get(bytes("bean"))).isEqualTo(bytes("of store 2"));
        }
        assertThat(refusals).hasValue(1);
    }

    static Stream<Arguments> regionErrors() {
        return Stream.of(
                Arguments.of("busy", error().setServerIsBusy(busy(0)), 0),
                Arguments.of("stale command", error().setStaleCommand(staleCommand()), 0),
                Arguments.of(
                        "not initialized",
                        error().setRegionNotInitialized(
                                        Errorpb.RegionNotInitialized.getDefaultInstance()),
                        0),
                Arguments.of("no leader", error().setNotLeader(Errorpb.NotLeader.newBuilder()), 1),
                Arguments.of(
                        "split", error().setEpochNotMatch(Errorpb.EpochNotMatch.newBuilder()), 1),
                Arguments.of(
                        "no region",
                        error().setRegionNotFound(Errorpb.RegionNotFound.newBuilder()),
                        1),
                Arguments.of(
                        "other key range",
                        error().setKeyNotInRegion(Errorpb.KeyNotInRegion.newBuilder()),
                        1),
                Arguments.of(
                        "other store",
                        error().setStoreNotMatch(Errorpb.StoreNotMatch.newBuilder()),
                        1),
                Arguments.of("unknown kind", error(), 1));
    }

    private static Errorpb.Error.Builder error() {
        return Errorpb.Error.newBuilder().setMessage("refused by the test");
    }

    private static Errorpb.ServerIsBusy busy(long backoffMillis) {
        return Errorpb.ServerIsBusy.newBuilder().setBackoffMs(backoffMillis).build();
    }

    private static Errorpb.StaleCommand staleCommand() {
        return Errorpb.StaleCommand.getDefaultInstance();
    }

    /** Store 1 refuses one read. */
    private void refuseOnce(Errorpb.Error error) {
        AtomicInteger asked = new AtomicInteger();
        cluster.answer(
                1,
                TikvGrpc.getKvGetMethod(),
                request ->
                        asked.getAndIncrement() == 0
                                ? GetResponse.newBuilder().setRegionError(error).build()
                                : found("at last"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("regionErrors")
    void aRefusedRequestIsRepeated(String kind, Errorpb.Error.Builder error, int lookups) {
        refuseOnce(error.build());
        int before = cluster.lookups();

        try (Snapshot snapshot = storage.snapshot()) {
            assertThat(snapshot.get(bytes("apple"))).isEqualTo(bytes("at last"));
        }
        assertThat(cluster.lookups() - before).isEqualTo(lookups);
    }

    static Stream<Arguments> answersOfAnotherStore() {
        Errorpb.Error otherStore =
                error().setStoreNotMatch(Errorpb.StoreNotMatch.newBuilder()).build();
        return Stream.of(
                Arguments.of(
                        "of the cluster",
                        (Supplier<GetResponse>)
                                () -> GetResponse.newBuilder().setRegionError(otherStore).build()),
                Arguments.of(
                        "of another cluster",
                        (Supplier<GetResponse>)
                                () -> {
                                    throw Status.INVALID_ARGUMENT.asRuntimeException();
                                }));
    }

    /** The name of a store may stand for the address of another one for a time. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("answersOfAnotherStore")
    void aConnectionToAnotherStoreIsReplaced(String whose, Supplier<GetResponse> answer)
            throws Exception {
        try (Relay relay = new Relay(cluster.port(1));
                KvStorage relayed =
                        cluster.open(
                                "address-map",
                                "127.0.0.1:" + cluster.port(1) + "=" + relay.address())) {
            try (Snapshot snapshot = relayed.snapshot()) {
                assertThat(snapshot.get(bytes("apple"))).isNull();
            }
            int before = relay.connections();
            cluster.answer(
                    1,
                    TikvGrpc.getKvGetMethod(),
                    request -> relay.connections() == before ? answer.get() : found("of store 1"));
            try (Snapshot snapshot = relayed.snapshot()) {
                assertThat(snapshot.get(bytes("apple"))).isEqualTo(bytes("of store 1"));
            }
        }
    }

    @Test
    void aRequestNamesItsClusterAndEndsBeforeNobodyWaits() {
        List<Context> contexts = new CopyOnWriteArrayList<>();
        cluster.answer(
                1,
                TikvGrpc.getKvGetMethod(),
                request -> {
                    contexts.add(request.getContext());
                    return GetResponse.getDefaultInstance();
                });
        try (Snapshot snapshot = storage.snapshot()) {
            assertThat(snapshot.get(bytes("apple"))).isNull();
        }
        assertThat(contexts)
                .singleElement()
                .satisfies(
                        context -> {
                            assertThat(context.getClusterId())
                                    .isEqualTo(StubCluster.HEADER.getClusterId());
                            assertThat(context.getMaxExecutionDurationMs())
                                    .isBetween(1L, RPC_TIMEOUT.toMillis() - 1);
                        });
    }

    @Test
    void withoutALeaderAtPdAReplicaThatIsUpNamesIt() {
        cluster.answer(
                0,
                PDGrpc.getGetRegionMethod(),
                request -> cluster.region(request).toBuilder().clearLeader().build());
        cluster.stop(1);
        cluster.answer(2, TikvGrpc.getKvGetMethod(), request -> found("of store 2"));
        try (Snapshot snapshot = storage.snapshot()) {
            assertThat(snapshot.get(bytes("apple"))).isEqualTo(bytes("of store 2"));
        }
    }

    /** TiKV reports any failure of its engine as an aborted request. */
    @Test
    void anAbortedReadIsRepeated() {
        KeyError aborted = KeyError.newBuilder().setAbort("snapshot canceled").build();
        AtomicInteger asked = new AtomicInteger();
        ByteString value = ByteString.copyFromUtf8("at last");
        KvPair pair =
                KvPair.newBuilder()
                        .setKey(ByteString.copyFromUtf8("apple"))
                        .setValue(value)
                        .build();
        cluster.answer(
                1,
                TikvGrpc.getKvGetMethod(),
                request ->
                        asked.getAndIncrement() == 0
                                ? GetResponse.newBuilder().setError(aborted).build()
                                : GetResponse.newBuilder().setValue(value).build());
        cluster.answer(
                1,
                TikvGrpc.getKvBatchGetMethod(),
                request ->
                        asked.getAndIncrement() == 2
                                ? BatchGetResponse.newBuilder()
                                        .addPairs(KvPair.newBuilder().setError(aborted))
                                        .build()
                                : BatchGetResponse.newBuilder().addPairs(pair).build());
        cluster.answer(
                1,
                TikvGrpc.getKvScanMethod(),
                request ->
                        asked.getAndIncrement() == 4
                                ? ScanResponse.newBuilder().setError(aborted).build()
                                : ScanResponse.newBuilder().addPairs(pair).build());

        try (Snapshot snapshot = storage.snapshot();
                Cursor cursor =
                        snapshot.cursor(
                                KeyRange.prefix(bytes("apple")), Cursor.Direction.FORWARD)) {
            assertThat(snapshot.get(bytes("apple"))).isEqualTo(bytes("at last"));
            assertThat(snapshot.get(List.of(bytes("apple"), bytes("bean"))))
                    .containsExactly(bytes("at last"), null);
            assertThat(cursor.next()).isTrue();
        }
        assertThat(asked).hasValue(6);
    }

    @Test
    void aReadThatIsAbortedForLongFails() {
        KeyError aborted = KeyError.newBuilder().setAbort("no engine").build();
        cluster.answer(
                1,
                TikvGrpc.getKvGetMethod(),
                request -> GetResponse.newBuilder().setError(aborted).build());
        try (KvStorage hasty = cluster.open("read-timeout-ms", "3000");
                Snapshot snapshot = hasty.snapshot()) {
            assertThatThrownBy(() -> snapshot.get(bytes("apple")))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("no engine");
        }
    }

    @Test
    void aBusyStoreIsLeftAloneForAsLongAsItAsks() {
        refuseOnce(error().setServerIsBusy(busy(700)).build());
        long start = System.nanoTime();

        try (Snapshot snapshot = storage.snapshot()) {
            assertThat(snapshot.get(bytes("apple"))).isEqualTo(bytes("at last"));
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isBetween(millis(700), millis(8000));
    }

    /** A store can be too busy to notice that the region is led by another. */
    @Test
    void aRegionWhoseStoreStaysBusyIsLocatedAgain() {
        int before = cluster.lookups();
        cluster.answer(
                1,
                TikvGrpc.getKvGetMethod(),
                request ->
                        cluster.lookups() == before
                                ? GetResponse.newBuilder()
                                        .setRegionError(error().setServerIsBusy(busy(0)))
                                        .build()
                                : found("at last"));

        try (Snapshot snapshot = storage.snapshot()) {
            assertThat(snapshot.get(bytes("apple"))).isEqualTo(bytes("at last"));
        }
    }

    @Test
    void aStoreIsFoundAtItsNewAddress() throws Exception {
        readTheFirstRegion();
        cluster.move(1);

        assertThat(CompletableFuture.runAsync(this::readTheFirstRegion))
                .succeedsWithin(Duration.ofSeconds(20));
    }

    /** After its election, a leader of PD may know a region as it was before a split. */
    @Test
    void regionsAreCachedAgainAfterAStaleAnswerOfPd() {
        AtomicBoolean refused = new AtomicBoolean();
        AtomicBoolean stale = new AtomicBoolean();
        cluster.answer(
                0,
                PDGrpc.getGetRegionMethod(),
                request -> stale.getAndSet(false) ? unsplit() : cluster.region(request));
        cluster.answer(
                1,
                TikvGrpc.getKvGetMethod(),
                request ->
                        request.getContext().getRegionEpoch().getVersion() == 0
                                        || refused.getAndSet(false)
                                ? GetResponse.newBuilder().setRegionError(split()).build()
                                : GetResponse.getDefaultInstance());
        read("apple", "zone");
        stale.set(true);
        refused.set(true);
        read("zone", "zone", "apple");
        assertThat(stale).isFalse();

        int before = cluster.lookups();
        read("apple", "zone");
        assertThat(cluster.lookups()).isEqualTo(before);
    }

    private static Errorpb.Error split() {
        return error().setEpochNotMatch(Errorpb.EpochNotMatch.getDefaultInstance()).build();
    }

    /** The second region, with all keys of the first. */
    private static GetRegionResponse unsplit() {
        return GetRegionResponse.newBuilder()
                .setHeader(StubCluster.HEADER)
                .setRegion(
                        Metapb.Region.newBuilder()
                                .setId(2)
                                .setRegionEpoch(Metapb.RegionEpoch.newBuilder().setConfVer(1))
                                .addPeers(StubCluster.replica(2, 1)))
                .setLeader(StubCluster.replica(2, 1))
                .build();
    }

    private void read(String... keys) {
        try (Snapshot snapshot = storage.snapshot()) {
            for (String key : keys) {
                assertThat(snapshot.get(bytes(key))).isNull();
            }
        }
    }

    /** PD forgets a removed store; a region cached before may name it as its leader. */
    @Test
    void aRegionWhoseStoreWasRemovedIsLocatedAgain() throws Exception {
        read("apple", "zone");
        cluster.answer(
                0,
                PDGrpc.getGetRegionMethod(),
                request -> {
                    GetRegionResponse answer = cluster.region(request);
                    Metapb.Peer leader = StubCluster.replica(answer.getRegion().getId(), 2);
                    return answer.toBuilder().setLeader(leader).build();
                });
        cluster.answer(
                0,
                PDGrpc.getGetStoreMethod(),
                request ->
                        request.getStoreId() == 1
                                ? GetStoreResponse.newBuilder()
                                        .setHeader(StubCluster.REFUSED)
                                        .build()
                                : cluster.storeAt(request.getStoreId()));
        cluster.move(1);

        assertThat(CompletableFuture.runAsync(() -> read("apple", "zone")))
                .succeedsWithin(Duration.ofSeconds(20));
    }

    private static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }
}
