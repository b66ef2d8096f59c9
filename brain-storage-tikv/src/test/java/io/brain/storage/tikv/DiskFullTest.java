package io.brain.storage.tikv;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.proto.tikv.Errorpb;
import io.brain.proto.tikv.Kvrpcpb.BatchRollbackResponse;
import io.brain.proto.tikv.Kvrpcpb.CheckTxnStatusResponse;
import io.brain.proto.tikv.Kvrpcpb.CommitResponse;
import io.brain.proto.tikv.Kvrpcpb.Context;
import io.brain.proto.tikv.Kvrpcpb.DiskFullOpt;
import io.brain.proto.tikv.Kvrpcpb.PrewriteResponse;
import io.brain.proto.tikv.TikvGrpc;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.WriteBatch;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Stores whose disk is almost full, or full. */
@Timeout(60)
final class DiskFullTest {
    private static final Errorpb.Error DISK_FULL = diskFull(1, 2);
    private static final Errorpb.Error DISK_OF_LEADER_FULL = diskFull(1);

    private final AtomicInteger commits = new AtomicInteger();
    private StubCluster cluster;
    private KvStorage storage;

    @BeforeEach
    void open() throws Exception {
        cluster = new StubCluster();
        storage = cluster.open("rpc-timeout-ms", "3000", "commit-timeout-ms", "3000");
    }

    @AfterEach
    void close() throws Exception {
        storage.close();
        cluster.close();
    }

    private static Errorpb.Error diskFull(long... stores) {
        Errorpb.DiskFull.Builder full = Errorpb.DiskFull.newBuilder();
        LongStream.of(stores).forEach(full::addStoreId);
        return Errorpb.Error.newBuilder().setMessage("disk full").setDiskFull(full).build();
    }

    private static CommitResult await(CompletionStage<CommitResult> stage) throws Exception {
        return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    private static WriteBatch.Builder step() {
        return WriteBatch.builder()
                .putIfAbsent(Bytes.utf8("fence"), Bytes.utf8("1"))
                .delete(Bytes.utf8("old"));
    }

    private static Kind refusal(CommitResult end) {
        assertThat(end).isInstanceOf(CommitResult.Unavailable.class);
        return ((CommitResult.Unavailable) end).cause().kind();
    }

    /** True if a store whose disk is almost full takes the request. */
    private static boolean isAllowed(Context context) {
        return context.getDiskFullOpt() == DiskFullOpt.AllowedOnAlmostFull;
    }

    private void refusePrewrites(Function<Context, Boolean> taken) {
        cluster.answer(
                1,
                TikvGrpc.getKvPrewriteMethod(),
                request ->
                        taken.apply(request.getContext())
                                ? PrewriteResponse.getDefaultInstance()
                                : PrewriteResponse.newBuilder().setRegionError(DISK_FULL).build());
    }

    private void refuseCommits(Function<Context, Boolean> taken) {
        cluster.answer(
                1,
                TikvGrpc.getKvCommitMethod(),
                request -> {
                    commits.incrementAndGet();
                    return taken.apply(request.getContext())
                            ? CommitResponse.getDefaultInstance()
                            : CommitResponse.newBuilder().setRegionError(DISK_FULL).build();
                });
    }

    private void refuseChecks(Function<Context, Boolean> taken) {
        cluster.answer(
                1,
                TikvGrpc.getKvCheckTxnStatusMethod(),
                request ->
                        taken.apply(request.getContext())
                                ? CheckTxnStatusResponse.getDefaultInstance()
                                : CheckTxnStatusResponse.newBuilder()
                                        .setRegionError(DISK_FULL)
                                        .build());
        cluster.answer(
                1,
                TikvGrpc.getKvBatchRollbackMethod(),
                request ->
                        taken.apply(request.getContext())
                                ? BatchRollbackResponse.getDefaultInstance()
                                : BatchRollbackResponse.newBuilder()
                                        .setRegionError(DISK_FULL)
                                        .build());
    }

    @Test
    void aBatchThatMakesRoomIsCommittedWhileTheDiskIsAlmostFull() throws Exception {
        refusePrewrites(DiskFullTest::isAllowed);
        refuseCommits(DiskFullTest::isAllowed);

        assertThat(await(storage.commit(step().build())))
                .isInstanceOf(CommitResult.Committed.class);
    }

    @Test
    void aBatchThatNeedsSpaceIsRefusedWhileTheDiskIsAlmostFull() throws Exception {
        refusePrewrites(DiskFullTest::isAllowed);

        assertThat(refusal(await(storage.commit(step().needsSpace().build()))))
                .isEqualTo(Kind.NO_SPACE);
    }

    @Test
    void aBatchIsResolvedWhileTheDiskIsAlmostFull() throws Exception {
        cluster.answer(1, TikvGrpc.getKvCommitMethod(), request -> null);
        refuseChecks(DiskFullTest::isAllowed);
        WriteBatch batch = step().build();

        assertThat(await(storage.commit(batch))).isInstanceOf(CommitResult.Uncertain.class);
        assertThat(refusal(await(storage.resolve(batch)))).isEqualTo(Kind.UNAVAILABLE);
    }

    @Test
    void aCommitThatAFullDiskRefusesEndsWithoutBeingResolved() throws Exception {
        refuseCommits(context -> false);
        refuseChecks(context -> false);

        assertThat(refusal(await(storage.commit(step().build())))).isEqualTo(Kind.NO_SPACE);
        assertThat(commits).hasValue(1);
    }

    /** The first try may have landed although nothing was heard of it. */
    @Test
    void aCommitIsUncertainIfOnlyItsRepetitionWasRefused() throws Exception {
        cluster.answer(
                1,
                TikvGrpc.getKvCommitMethod(),
                request -> {
                    boolean first = commits.getAndIncrement() == 0;
                    Errorpb.Error gone =
                            Errorpb.Error.newBuilder()
                                    .setMessage("region not found")
                                    .setRegionNotFound(Errorpb.RegionNotFound.newBuilder())
                                    .build();
                    return CommitResponse.newBuilder()
                            .setRegionError(first ? gone : DISK_FULL)
                            .build();
                });
        refuseChecks(context -> false);

        assertThat(await(storage.commit(step().build())))
                .isInstanceOf(CommitResult.Uncertain.class);
        assertThat(commits).hasValue(2);
    }

    /** TiKV moves the leader of a region whose disk is full, if another replica has space. */
    @Test
    void aBatchIsRepeatedUntilTheLeaderIsOnAnotherDisk() throws Exception {
        AtomicInteger refused = new AtomicInteger();
        cluster.answer(
                1,
                TikvGrpc.getKvPrewriteMethod(),
                request ->
                        PrewriteResponse.newBuilder()
                                .setRegionError(
                                        refused.incrementAndGet() < 3
                                                ? DISK_OF_LEADER_FULL
                                                : notLeader(2))
                                .build());

        assertThat(await(storage.commit(step().needsSpace().build())))
                .isInstanceOf(CommitResult.Committed.class);
        assertThat(refused).hasValueGreaterThanOrEqualTo(3);
    }

    @Test
    void aBatchIsRefusedIfTheLeaderStaysOnTheFullDisk() throws Exception {
        cluster.answer(
                1,
                TikvGrpc.getKvPrewriteMethod(),
                request ->
                        PrewriteResponse.newBuilder().setRegionError(DISK_OF_LEADER_FULL).build());

        assertThat(refusal(await(storage.commit(step().build())))).isEqualTo(Kind.NO_SPACE);
    }

    @Test
    void aCommitIsRepeatedAfterAFullDisk() throws Exception {
        cluster.answer(
                1,
                TikvGrpc.getKvCommitMethod(),
                request ->
                        commits.getAndIncrement() < 2
                                ? CommitResponse.newBuilder()
                                        .setRegionError(DISK_OF_LEADER_FULL)
                                        .build()
                                : CommitResponse.getDefaultInstance());

        assertThat(await(storage.commit(step().build())))
                .isInstanceOf(CommitResult.Committed.class);
    }

    private static Errorpb.Error notLeader(long store) {
        return Errorpb.Error.newBuilder()
                .setMessage("not leader")
                .setNotLeader(
                        Errorpb.NotLeader.newBuilder()
                                .setRegionId(1)
                                .setLeader(StubCluster.replica(1, store)))
                .build();
    }
}
