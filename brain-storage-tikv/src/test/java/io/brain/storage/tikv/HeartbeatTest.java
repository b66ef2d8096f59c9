package io.brain.storage.tikv;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.brain.proto.tikv.Errorpb;
import io.brain.proto.tikv.Kvrpcpb.CheckTxnStatusResponse;
import io.brain.proto.tikv.Kvrpcpb.CommitResponse;
import io.brain.proto.tikv.Kvrpcpb.KeyError;
import io.brain.proto.tikv.Kvrpcpb.LockInfo;
import io.brain.proto.tikv.Kvrpcpb.PrewriteResponse;
import io.brain.proto.tikv.Kvrpcpb.TxnHeartBeatResponse;
import io.brain.proto.tikv.TikvGrpc;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.WriteBatch;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A commit extends the lock of its primary while it waits, for whatever it waits. */
@Timeout(60)
final class HeartbeatTest {
    private static final long LOCK_TTL = 400;
    private static final long RPC_TIMEOUT = 300;

    /** Twenty times as long as a commit may wait without a heartbeat. */
    private static final long WAIT = 2000;

    /** Fewer than are sent in that time, because machines stall. */
    private static final int ENOUGH = 4;

    private static final int LOCKS = 16;

    /** The region of the primary is 1, that of the other key 2. */
    private static final WriteBatch BATCH =
            WriteBatch.builder()
                    .putIfAbsent(Bytes.utf8("fence"), Bytes.utf8("1"))
                    .put(Bytes.utf8("zone"), Bytes.utf8("1"))
                    .build();

    /** The store of each heartbeat. */
    private final List<Integer> heartbeats = new CopyOnWriteArrayList<>();

    private StubCluster cluster;
    private KvStorage storage;

    @BeforeEach
    void open() throws Exception {
        cluster = new StubCluster();
        storage =
                cluster.open(
                        "rpc-timeout-ms", "" + RPC_TIMEOUT,
                        "lock-ttl-ms", "" + LOCK_TTL);
        heartbeatsOf(1, TxnHeartBeatResponse::getDefaultInstance);
        heartbeatsOf(2, TxnHeartBeatResponse::getDefaultInstance);
    }

    @AfterEach
    void close() throws Exception {
        storage.close();
        cluster.close();
    }

    private void heartbeatsOf(int store, Supplier<TxnHeartBeatResponse> answer) {
        cluster.answer(
                store,
                TikvGrpc.getKvTxnHeartBeatMethod(),
                request -> {
                    heartbeats.add(store);
                    return answer.get();
                });
    }

    private void commits() throws Exception {
        assertThat(storage.commit(BATCH).toCompletableFuture().get(30, TimeUnit.SECONDS))
                .isInstanceOf(CommitResult.Committed.class);
    }

    private static Errorpb.Error busy() {
        return Errorpb.Error.newBuilder()
                .setMessage("busy")
                .setServerIsBusy(Errorpb.ServerIsBusy.newBuilder().setBackoffMs(WAIT))
                .build();
    }

    /** The store refuses the first prewrite of the other key, and asks for a pause. */
    private void pauseInPrewrite() {
        refusePrewrite(PrewriteResponse.newBuilder().setRegionError(busy()).build());
    }

    /** Answers the first prewrite of the other key. */
    private void refusePrewrite(PrewriteResponse refusal) {
        AtomicInteger asked = new AtomicInteger();
        cluster.answer(
                1,
                TikvGrpc.getKvPrewriteMethod(),
                request ->
                        request.getContext().getRegionId() == 2 && asked.getAndIncrement() == 0
                                ? refusal
                                : PrewriteResponse.getDefaultInstance());
    }

    @Test
    void whileAStoreAsksForAPauseInThePrewrite() throws Exception {
        pauseInPrewrite();
        commits();
        assertThat(heartbeats).hasSizeGreaterThanOrEqualTo(ENOUGH);
    }

    @Test
    void whileAStoreAsksForAPauseInTheCommitOfThePrimary() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        cluster.answer(
                1,
                TikvGrpc.getKvCommitMethod(),
                request ->
                        asked.getAndIncrement() == 0
                                ? CommitResponse.newBuilder().setRegionError(busy()).build()
                                : CommitResponse.getDefaultInstance());
        commits();
        assertThat(heartbeats).hasSizeGreaterThanOrEqualTo(ENOUGH);
    }

    @Test
    void whileTheLocksOfOthersAreResolved() throws Exception {
        refusePrewrite(locked());
        cluster.answer(
                1,
                TikvGrpc.getKvCheckTxnStatusMethod(),
                request -> {
                    sleep(WAIT / LOCKS);
                    return CheckTxnStatusResponse.getDefaultInstance();
                });
        commits();
        assertThat(heartbeats).hasSizeGreaterThanOrEqualTo(ENOUGH);
    }

    /** The other key is locked by transactions that ended long ago. */
    private static PrewriteResponse locked() {
        PrewriteResponse.Builder answer = PrewriteResponse.newBuilder();
        for (int i = 1; i <= LOCKS; i++) {
            LockInfo.Builder lock =
                    LockInfo.newBuilder()
                            .setKey(ByteString.copyFromUtf8("zone"))
                            .setPrimaryLock(ByteString.copyFromUtf8("zone"))
                            .setLockVersion(i);
            answer.addErrors(KeyError.newBuilder().setLocked(lock));
        }
        return answer.build();
    }

    private static void sleep(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void whereTheLeaderOfThePrimaryHasMoved() throws Exception {
        pauseInPrewrite();
        Errorpb.NotLeader moved =
                Errorpb.NotLeader.newBuilder()
                        .setRegionId(1)
                        .setLeader(StubCluster.replica(1, 2))
                        .build();
        heartbeatsOf(
                1,
                () ->
                        TxnHeartBeatResponse.newBuilder()
                                .setRegionError(Errorpb.Error.newBuilder().setNotLeader(moved))
                                .build());
        commits();
        assertThat(heartbeats).filteredOn(store -> store == 2).hasSizeGreaterThanOrEqualTo(ENOUGH);
    }

    @Test
    void aPrimaryWhoseStoreDoesNotAnswerIsLookedUpAgain() throws Exception {
        pauseInPrewrite();
        heartbeatsOf(1, () -> null);
        int before = cluster.lookups();
        commits();
        assertThat(cluster.lookups() - before)
                .as("besides one of the other region")
                .isGreaterThan(1);
    }
}
