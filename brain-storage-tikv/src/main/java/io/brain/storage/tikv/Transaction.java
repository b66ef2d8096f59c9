package io.brain.storage.tikv;

import io.brain.storage.Bytes;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import java.util.ArrayList;
import java.util.List;
import org.tikv.kvproto.Errorpb;
import org.tikv.kvproto.Kvrpcpb.BatchRollbackRequest;
import org.tikv.kvproto.Kvrpcpb.BatchRollbackResponse;
import org.tikv.kvproto.Kvrpcpb.CommitRequest;
import org.tikv.kvproto.Kvrpcpb.CommitResponse;
import org.tikv.kvproto.Kvrpcpb.Context;
import org.tikv.kvproto.Kvrpcpb.KeyError;
import org.tikv.kvproto.Kvrpcpb.LockInfo;
import org.tikv.kvproto.Kvrpcpb.Mutation;
import org.tikv.kvproto.Kvrpcpb.Op;
import org.tikv.kvproto.Kvrpcpb.PrewriteRequest;
import org.tikv.kvproto.Kvrpcpb.PrewriteResponse;
import org.tikv.kvproto.TikvGrpc.TikvFutureStub;
import org.tikv.shade.com.google.common.util.concurrent.ListenableFuture;
import org.tikv.shade.com.google.protobuf.ByteString;

/**
 * One try at a batch: a two-phase commit whose primary is the batch's, at one start timestamp. The
 * steps are called by one thread, in their order.
 */
final class Transaction {
    private final Fanout fanout;
    private final Locks locks;
    private final List<Mutation> mutations;
    private final long startTs;
    private final long lockTtlMillis;

    Transaction(Fanout fanout, Locks locks, WriteBatch batch, long startTs, long lockTtlMillis) {
        this.fanout = fanout;
        this.locks = locks;
        this.mutations = batch.mutations().stream().map(Transaction::mutation).toList();
        this.startTs = startTs;
        this.lockTtlMillis = lockTtlMillis;
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
     * Locks every key, all regions at once.
     *
     * @throws RefusedException if a key was committed since the start, or another living
     *     transaction holds one
     * @throws StorageException kind UNAVAILABLE when patience is over
     */
    void prewrite(Patience patience) {
        List<Mutation> todo = mutations;
        while (!todo.isEmpty()) {
            Prewrite request = new Prewrite();
            fanout.run(todo, request, patience);
            if (request.refusal != null) {
                throw RefusedException.of(request.refusal);
            }
            if (!request.met.isEmpty()
                    && !locks.clear(request.met, 0, patience).living().isEmpty()) {
                throw new RefusedException(
                        RefusedException.Reason.LOCKED,
                        "another transaction holds " + Wire.of(request.met.get(0).getKey()));
            }
            todo = request.locked;
        }
    }

    /**
     * Commits the primary, and with it the batch. Asks once.
     *
     * @throws NoAnswerException if it may be committed or not
     * @throws RefusedException if it was not
     * @throws StorageException kind UNAVAILABLE when patience with regions is over: as no answer
     */
    void commitPrimary(long commitTs, Patience patience) {
        CommitResponse answer =
                fanout.one(
                        primary(),
                        (stub, context) ->
                                stub.kvCommit(
                                        CommitRequest.newBuilder()
                                                .setContext(context)
                                                .setStartVersion(startTs)
                                                .setCommitVersion(commitTs)
                                                .addKeys(primary())
                                                .build()),
                        r -> r.hasRegionError() ? r.getRegionError() : null,
                        patience);
        if (answer.hasError()) {
            throw RefusedException.of(answer.getError());
        }
    }

    boolean hasSecondaries() {
        return mutations.size() > 1;
    }

    /** Commits the other keys, once the primary is. What fails is left to lock resolution. */
    void commitSecondaries(long commitTs, Patience patience) {
        fanout.run(mutations.subList(1, mutations.size()), new Commit(commitTs), patience);
    }

    /** Rolls back for good: a prewrite that arrives late is refused. Before any commit only. */
    void rollback(Patience patience) {
        fanout.run(mutations, new Rollback(), patience);
    }

    /** Any of the steps: about mutations, and sent again while a region does not answer. */
    private abstract static class Step<R> implements Fanout.Request<Mutation, R> {
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
        private KeyError refusal;

        @Override
        public int size(Mutation mutation) {
            return mutation.getKey().size() + mutation.getValue().size();
        }

        @Override
        public ListenableFuture<PrewriteResponse> send(
                TikvFutureStub stub, Context context, List<Mutation> part) {
            return stub.kvPrewrite(
                    PrewriteRequest.newBuilder()
                            .setContext(context)
                            .addAllMutations(part)
                            .setPrimaryLock(primary())
                            .setStartVersion(startTs)
                            .setLockTtl(lockTtlMillis)
                            .setMinCommitTs(startTs + 1)
                            .setTxnSize(mutations.size())
                            .build());
        }

        @Override
        public Errorpb.Error regionError(PrewriteResponse answer) {
            return answer.hasRegionError() ? answer.getRegionError() : null;
        }

        @Override
        public List<Mutation> take(PrewriteResponse answer, List<Mutation> part) {
            for (KeyError error : answer.getErrorsList()) {
                if (error.hasLocked()) {
                    met.add(error.getLocked());
                } else {
                    refusal = error;
                }
            }
            if (answer.getErrorsCount() > 0) {
                locked.addAll(part);
            }
            return List.of();
        }
    }

    private final class Commit extends Step<CommitResponse> {
        private final long commitTs;

        Commit(long commitTs) {
            this.commitTs = commitTs;
        }

        @Override
        public ListenableFuture<CommitResponse> send(
                TikvFutureStub stub, Context context, List<Mutation> part) {
            CommitRequest.Builder request =
                    CommitRequest.newBuilder()
                            .setContext(context)
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
                TikvFutureStub stub, Context context, List<Mutation> part) {
            BatchRollbackRequest.Builder request =
                    BatchRollbackRequest.newBuilder().setContext(context).setStartVersion(startTs);
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
