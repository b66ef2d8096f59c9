package io.brain.storage.tikv;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import io.brain.proto.tikv.Errorpb;
import io.brain.proto.tikv.Kvrpcpb.BatchRollbackRequest;
import io.brain.proto.tikv.Kvrpcpb.BatchRollbackResponse;
import io.brain.proto.tikv.Kvrpcpb.CommitRequest;
import io.brain.proto.tikv.Kvrpcpb.CommitResponse;
import io.brain.proto.tikv.Kvrpcpb.Context;
import io.brain.proto.tikv.Kvrpcpb.KeyError;
import io.brain.proto.tikv.Kvrpcpb.LockInfo;
import io.brain.proto.tikv.Kvrpcpb.Mutation;
import io.brain.proto.tikv.Kvrpcpb.Op;
import io.brain.proto.tikv.Kvrpcpb.PrewriteRequest;
import io.brain.proto.tikv.Kvrpcpb.PrewriteResponse;
import io.brain.proto.tikv.Kvrpcpb.TxnHeartBeatRequest;
import io.brain.proto.tikv.TikvGrpc.TikvFutureStub;
import io.brain.storage.Bytes;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import io.brain.storage.tikv.client.Backoff;
import io.brain.storage.tikv.client.NoAnswerException;
import io.brain.storage.tikv.client.RegionFanout;
import io.brain.storage.tikv.client.RegionLocation;
import io.brain.storage.tikv.client.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One attempt at a batch: a two-phase commit with the batch's primary, at one start timestamp. Not
 * thread-safe; the steps are called in order.
 */
public final class Transaction {
    private static final int EXTENSIONS_PER_TTL = 4;

    private final RegionFanout fanout;
    private final LockResolver locks;
    private final List<Mutation> mutations;
    private final boolean needsSpace;
    private final long startTs;
    private final long lockTtlMillis;
    private final int withPrimaryBytes;

    /** Mutations to commit after the primary. */
    private List<Mutation> left;

    /**
     * Creates an attempt without requests.
     *
     * @param lockTtlMillis time from now on after which other processes may resolve the locks;
     *     {@link #keepAlive} extends it
     * @param withPrimaryBytes limit, in bytes written, of keys in the primary's region that are
     *     committed with it: 0 for the primary alone
     */
    Transaction(
            RegionFanout fanout,
            LockResolver locks,
            WriteBatch batch,
            long startTs,
            long lockTtlMillis,
            int withPrimaryBytes) {
        this.fanout = fanout;
        this.locks = locks;
        this.mutations = batch.mutations().stream().map(Transaction::mutation).toList();
        this.needsSpace = batch.needsSpace();
        this.startTs = startTs;
        this.lockTtlMillis = lockTtlMillis;
        this.withPrimaryBytes = withPrimaryBytes;
        this.left = mutations.subList(1, mutations.size());
    }

    private static Mutation mutation(io.brain.storage.Mutation step) {
        Mutation.Builder mutation = Mutation.newBuilder().setKey(Wire.of(step.key()));
        Bytes value = step.newValue();
        if (value == null) {
            return mutation.setOp(Op.Del).build();
        }
        return mutation.setOp(Op.Put).setValue(Wire.of(value)).build();
    }

    long startTs() {
        return startTs;
    }

    ByteString primary() {
        return mutations.get(0).getKey();
    }

    /**
     * Locks every key, in all regions concurrently.
     *
     * @throws RefusedException if a key was committed after the start timestamp, or another active
     *     transaction holds a lock
     * @throws StorageException kind UNAVAILABLE when the time is over
     */
    void prewrite(Backoff backoff) {
        List<Mutation> todo = mutations;
        while (!todo.isEmpty()) {
            Prewrite request = new Prewrite();
            fanout.run(todo, request, backoff);
            if (!request.met.isEmpty()
                    && !locks.clear(request.met, 0, backoff).living().isEmpty()) {
                throw new RefusedException(
                        RefusedException.Reason.LOCKED,
                        "locked by another transaction: " + Wire.of(request.met.get(0).getKey()));
            }
            todo = request.locked;
        }
    }

    /** As {@code backoff}, but extends the primary's lock while the prewrite or commit waits. */
    Backoff keepAlive(Backoff backoff) {
        return backoff.beating(
                () -> extendLock(backoff), Duration.ofMillis(lockTtlMillis / EXTENSIONS_PER_TTL));
    }

    /** Extends the primary's lock. Nobody waits for the response. */
    void extendLock(Backoff backoff) {
        TxnHeartBeatRequest.Builder request =
                TxnHeartBeatRequest.newBuilder()
                        .setPrimaryLock(primary())
                        .setStartVersion(startTs)
                        .setAdviseLockTtl(locks.ageMillis(startTs) + lockTtlMillis);
        fanout.send(
                primary(),
                (stub, location) ->
                        stub.kvTxnHeartBeat(request.setContext(location.urgentContext()).build()),
                answer -> answer.hasRegionError() ? answer.getRegionError() : null,
                backoff);
    }

    /**
     * Commits the primary, and with it the batch. The same request commits other keys of its
     * region, so that readers do not meet their locks. Not retried after a lost response.
     *
     * @throws NoAnswerException if the outcome is unknown
     * @throws RefusedException if it was not committed
     * @throws StorageException if retries ended with region errors: the outcome is unknown
     */
    void commitPrimary(long commitTs, Backoff backoff) {
        CommitPrimary request = new CommitPrimary(commitTs);
        CommitResponse answer;
        try {
            answer = fanout.one(primary(), request, request::regionError, backoff);
        } catch (StorageException e) {
            if (e.kind() == StorageException.Kind.NO_SPACE && request.full == request.sent) {
                throw new RefusedException(RefusedException.Reason.NO_SPACE, e.getMessage());
            }
            throw e; // an earlier request may still be applied by another replica
        }
        if (answer.hasError()) {
            throw RefusedException.of(answer.getError());
        }
        left = request.others;
    }

    /** True if keys remain to be committed. */
    boolean hasSecondaries() {
        return !left.isEmpty();
    }

    /**
     * Commits the other keys after the primary. Readers resolve the locks that remain after a
     * failure.
     */
    void commitSecondaries(long commitTs, Backoff backoff) {
        fanout.run(left, new Commit(commitTs), backoff);
    }

    /** Rolls back; a later prewrite of this transaction is rejected. Only if no commit was sent. */
    void rollback(Backoff backoff) {
        fanout.run(mutations, new Rollback(), backoff);
    }

    /** A step: a request for mutations, repeated until its regions respond. */
    private abstract static class Step<R> implements RegionFanout.Request<Mutation, R> {
        @Override
        public ByteString key(Mutation mutation) {
            return mutation.getKey();
        }

        @Override
        public int size(Mutation mutation) {
            return mutation.getKey().size();
        }
    }

    private final class Prewrite extends Step<PrewriteResponse> {
        private final List<Mutation> locked = new ArrayList<>();
        private final List<LockInfo> met = new ArrayList<>();

        @Override
        public int size(Mutation mutation) {
            return mutation.getKey().size() + mutation.getValue().size();
        }

        @Override
        public ListenableFuture<PrewriteResponse> send(
                TikvFutureStub stub, RegionLocation location, List<Mutation> part) {
            return stub.kvPrewrite(
                    PrewriteRequest.newBuilder()
                            .setContext(context(location))
                            .addAllMutations(part)
                            .setPrimaryLock(primary())
                            .setStartVersion(startTs)
                            .setLockTtl(locks.ageMillis(startTs) + lockTtlMillis)
                            .setMinCommitTs(startTs + 1)
                            .setTxnSize(mutations.size())
                            .build());
        }

        private Context context(RegionLocation location) {
            Context context = location.context();
            return needsSpace ? context.toBuilder().clearDiskFullOpt().build() : context;
        }

        @Override
        public Errorpb.Error regionError(PrewriteResponse answer) {
            return answer.hasRegionError() ? answer.getRegionError() : null;
        }

        @Override
        public List<Mutation> take(PrewriteResponse answer, List<Mutation> part) {
            for (KeyError error : answer.getErrorsList()) {
                if (!error.hasLocked()) {
                    throw RefusedException.of(error);
                }
                met.add(error.getLocked());
            }
            if (answer.getErrorsCount() > 0) {
                locked.addAll(part);
            }
            return List.of();
        }
    }

    private final class CommitPrimary implements RegionFanout.Call<CommitResponse> {
        /** Size of a commit record and a short value, without the two copies of the key. */
        private static final int RECORD_BYTES = 320;

        private final long commitTs;
        private List<Mutation> others = List.of();
        private int sent;

        /** Requests refused by a full disk, before they were proposed. */
        private int full;

        CommitPrimary(long commitTs) {
            this.commitTs = commitTs;
        }

        @Override
        public ListenableFuture<CommitResponse> send(TikvFutureStub stub, RegionLocation location) {
            sent++;
            CommitRequest.Builder request =
                    CommitRequest.newBuilder()
                            .setContext(location.urgentContext())
                            .setStartVersion(startTs)
                            .setCommitVersion(commitTs)
                            .addKeys(primary());
            others = new ArrayList<>();
            int bytes = 0;
            for (Mutation mutation : mutations.subList(1, mutations.size())) {
                if (bytes < withPrimaryBytes && location.holds(mutation.getKey())) {
                    request.addKeys(mutation.getKey());
                    bytes += 2 * mutation.getKey().size() + RECORD_BYTES;
                } else {
                    others.add(mutation);
                }
            }
            return stub.kvCommit(request.build());
        }

        Errorpb.Error regionError(CommitResponse answer) {
            if (!answer.hasRegionError()) {
                return null;
            }
            if (answer.getRegionError().hasDiskFull()) {
                full++;
            }
            return answer.getRegionError();
        }
    }

    private final class Commit extends Step<CommitResponse> {
        private final long commitTs;

        Commit(long commitTs) {
            this.commitTs = commitTs;
        }

        @Override
        public ListenableFuture<CommitResponse> send(
                TikvFutureStub stub, RegionLocation location, List<Mutation> part) {
            CommitRequest.Builder request =
                    CommitRequest.newBuilder()
                            .setContext(location.urgentContext())
                            .setStartVersion(startTs)
                            .setCommitVersion(commitTs);
            part.forEach(mutation -> request.addKeys(mutation.getKey()));
            return stub.kvCommit(request.build());
        }

        @Override
        public Errorpb.Error regionError(CommitResponse answer) {
            return answer.hasRegionError() ? answer.getRegionError() : null;
        }

        @Override
        public List<Mutation> take(CommitResponse answer, List<Mutation> part) {
            if (answer.hasError()) {
                throw RefusedException.of(answer.getError());
            }
            return List.of();
        }
    }

    private final class Rollback extends Step<BatchRollbackResponse> {
        @Override
        public ListenableFuture<BatchRollbackResponse> send(
                TikvFutureStub stub, RegionLocation location, List<Mutation> part) {
            BatchRollbackRequest.Builder request =
                    BatchRollbackRequest.newBuilder()
                            .setContext(location.urgentContext())
                            .setStartVersion(startTs);
            part.forEach(mutation -> request.addKeys(mutation.getKey()));
            return stub.kvBatchRollback(request.build());
        }

        @Override
        public Errorpb.Error regionError(BatchRollbackResponse answer) {
            return answer.hasRegionError() ? answer.getRegionError() : null;
        }

        @Override
        public List<Mutation> take(BatchRollbackResponse answer, List<Mutation> part) {
            if (answer.hasError()) {
                throw RefusedException.of(answer.getError());
            }
            return List.of();
        }
    }
}
