package io.brain.transfer.mirror;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import io.brain.proto.etcd.CompactionRequest;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.TxnResponse;
import io.brain.proto.mvcc.Event;
import io.brain.transfer.verify.EndpointSide;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * An etcd that nobody else changes. Each revision is one transaction, so its next revision is the
 * source's; a difference ends the mirror. One transaction is on its way at a time: etcd runs the
 * calls of a connection in any order. Leases: {@link TargetLeases}.
 */
public final class EtcdTarget implements MirrorTarget, AutoCloseable {
    private static final int CALL_SECONDS = 30;
    private static final long ALIGN_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** For as long a call of a mirror that was killed may still be applied. */
    private static final long PREDECESSOR_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final SourceCluster target;
    private final Channel channel;
    private final TargetLeases leases;
    private final long createdAt = System.nanoTime();
    private long alignedAt = createdAt;

    /** The newest revision that is applied for certain. */
    private long applied;

    /** What was sent and is not applied for certain; null: nothing. */
    private Call call;

    private record Call(
            SourceRevision changes, TxnRequest txn, ListenableFuture<TxnResponse> answer) {}

    /**
     * Keeps the target's leases alive at once.
     *
     * @param channel to the target; the caller closes it
     */
    public EtcdTarget(SourceCluster source, SourceCluster target, Channel channel)
            throws IOException {
        this.target = target;
        this.channel = channel;
        this.leases = new TargetLeases(source, target, channel);
        this.applied = Retries.of(target::newestRevision);
    }

    @Override
    public long revision() {
        return applied;
    }

    @Override
    public void apply(SourceRevision next) throws IOException {
        for (Event event : next.events()) {
            if (event.getKv().getLease() != 0) {
                leases.require(event.getKv().getLease());
            }
        }
        if (RevisionTxn.mayJoin(next)) {
            finish();
        }
        TxnRequest txn = RevisionTxn.of(next, this::count);
        finish();
        call = new Call(next, txn, send(txn));
        if (System.nanoTime() - alignedAt > ALIGN_NANOS) {
            await();
        }
    }

    @Override
    public void await() throws IOException {
        finish();
        if (System.nanoTime() - alignedAt > ALIGN_NANOS) {
            alignLeases();
        }
    }

    /** Makes the leases those of the source. All that was taken must be applied. */
    public void alignLeases() throws IOException {
        leases.align();
        alignedAt = System.nanoTime();
    }

    /** Compacts the target. Nothing happens if it is compacted there already. */
    public void compact(long revision) throws IOException {
        CompactionRequest request = CompactionRequest.newBuilder().setRevision(revision).build();
        Retries.complete(target.name(), () -> stub().compact(request), Status.Code.OUT_OF_RANGE);
    }

    private ListenableFuture<TxnResponse> send(TxnRequest txn) {
        return KVGrpc.newFutureStub(channel)
                .withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS)
                .txn(txn);
    }

    private KVGrpc.KVBlockingStub stub() {
        return KVGrpc.newBlockingStub(channel).withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS);
    }

    /** Waits until the call is applied; repeats it as long as its outcome is unknown. */
    private void finish() throws IOException {
        if (call == null) {
            return;
        }
        Call sent = call;
        TxnResponse response;
        boolean repeated = System.nanoTime() - createdAt < PREDECESSOR_NANOS;
        try {
            response = answer(sent.answer());
        } catch (IOException failed) {
            if (!Retries.isTransient(failed)) {
                throw failed;
            }
            repeated = true;
            response = Retries.of(() -> answer(send(sent.txn())));
        }
        requireApplied(response, sent.changes(), repeated);
        applied = sent.changes().revision();
        call = null;
    }

    /**
     * Checks an answer.
     *
     * @param repeated true if the revision may have been applied before. Then etcd has refused the
     *     transaction, or there was nothing to delete
     */
    private void requireApplied(TxnResponse response, SourceRevision changes, boolean repeated)
            throws IOException {
        long reached = response.getHeader().getRevision();
        if (reached != changes.revision() || (!response.getSucceeded() && !repeated)) {
            throw new IOException(
                    ("%s: revision %d of the source became %d: others write to the target, or its"
                                    + " leases ended; seed it again")
                            .formatted(target.name(), changes.revision(), reached));
        }
    }

    private TxnResponse answer(ListenableFuture<TxnResponse> future) throws IOException {
        try {
            return future.get();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        } catch (ExecutionException failed) {
            StatusRuntimeException status = Status.fromThrowable(failed).asRuntimeException();
            throw new IOException(
                    EndpointSide.failure(target.name(), status).getMessage() + advice(status),
                    status);
        }
    }

    private static String advice(StatusRuntimeException failed) {
        String text = String.valueOf(failed.getStatus().getDescription());
        if (text.contains("request is too large") || text.contains("larger than max")) {
            return "; start the target with a larger --max-request-bytes";
        }
        if (text.contains("too many operations")) {
            return "; start the target with --max-txn-ops of 128 or more";
        }
        if (text.contains("space exceeded")) {
            return "; start the target with a larger --quota-backend-bytes, and disarm the alarm";
        }
        return text.contains("corrupt cluster") ? "; etcdctl alarm disarm lifts it" : "";
    }

    private long count(ByteString from, ByteString end) throws IOException {
        RangeRequest request =
                RangeRequest.newBuilder().setKey(from).setRangeEnd(end).setCountOnly(true).build();
        return Retries.of(
                () -> EndpointSide.call(target.name(), () -> stub().range(request).getCount()));
    }

    @Override
    public void close() {
        leases.close();
    }
}
