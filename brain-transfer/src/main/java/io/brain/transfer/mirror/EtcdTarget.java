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
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * An etcd that nobody else changes. Each revision is one transaction, so its next revision is the
 * source's; a difference ends the mirror. Leases: {@link TargetLeases}.
 */
public final class EtcdTarget implements MirrorTarget, AutoCloseable {
    private static final int CALL_SECONDS = 30;
    private static final int CALLS_MAX = 32;
    private static final long CALL_BYTES_MAX = 4 << 20;

    /** Calls that follow closer may overtake each other in the target, and be refused. */
    private static final long GAP_NANOS = TimeUnit.MICROSECONDS.toNanos(150);

    private static final long ALIGN_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** For as long calls of a mirror that was killed may still be applied. */
    private static final long PREDECESSOR_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final SourceCluster target;
    private final Channel channel;
    private final TargetLeases leases;
    private final Deque<Call> calls = new ArrayDeque<>();
    private long callBytes;
    private final long createdAt = System.nanoTime();
    private long sentAt = createdAt;
    private long alignedAt = System.nanoTime();

    /** The newest revision that is applied for certain. */
    private long applied;

    /** A transaction that was sent. */
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
            awaitCalls();
        }
        SourceRevision before = calls.isEmpty() ? null : calls.getLast().changes();
        if (before != null && !RevisionTxn.hasPut(before)) {
            awaitCalls();
            before = null;
        }
        TxnRequest txn = RevisionTxn.of(next, before, this::count);
        long bytes = txn.getSerializedSize();
        while (calls.size() == CALLS_MAX
                || (!calls.isEmpty() && callBytes + bytes > CALL_BYTES_MAX)) {
            finishOldest();
        }
        while (!calls.isEmpty() && System.nanoTime() - sentAt < GAP_NANOS) {
            Thread.onSpinWait();
        }
        sentAt = System.nanoTime();
        callBytes += bytes;
        calls.add(new Call(next, txn, send(txn)));
        if (System.nanoTime() - alignedAt > ALIGN_NANOS) {
            await();
        }
    }

    @Override
    public void await() throws IOException {
        awaitCalls();
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
        var unused =
                Retries.of(
                        () -> {
                            try {
                                return stub().compact(request).hasHeader();
                            } catch (StatusRuntimeException failed) {
                                if (failed.getStatus().getCode() == Status.Code.OUT_OF_RANGE) {
                                    return true;
                                }
                                throw EndpointSide.failure(target.name(), failed);
                            }
                        });
    }

    private void awaitCalls() throws IOException {
        while (!calls.isEmpty()) {
            finishOldest();
        }
    }

    private ListenableFuture<TxnResponse> send(TxnRequest txn) {
        return KVGrpc.newFutureStub(channel)
                .withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS)
                .txn(txn);
    }

    private KVGrpc.KVBlockingStub stub() {
        return KVGrpc.newBlockingStub(channel).withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS);
    }

    /** Waits until the oldest call is applied. */
    private void finishOldest() throws IOException {
        Call call = calls.remove();
        callBytes -= call.txn().getSerializedSize();
        long revision = call.changes().revision();
        TxnResponse response = firstAnswer(call);
        if (response == null) {
            repeat(call, true);
        } else if (!response.getSucceeded() && response.getHeader().getRevision() < revision) {
            // It overtook the one before.
            repeat(call, false);
        } else {
            requireApplied(response, call.changes(), false);
        }
        applied = revision;
    }

    /** Null if the outcome is unknown. */
    private TxnResponse firstAnswer(Call call) throws IOException {
        try {
            return answer(call.answer());
        } catch (IOException failed) {
            if (Retries.isTransient(failed)) {
                return null;
            }
            throw failed;
        }
    }

    /**
     * Sends a call again, whose predecessor is applied now.
     *
     * @param unclear true if it may be applied
     */
    private void repeat(Call call, boolean unclear) throws IOException {
        TxnRequest alone =
                call.txn().toBuilder().clearCompare().addCompare(call.txn().getCompare(0)).build();
        int[] attempts = {0};
        TxnResponse response =
                Retries.of(
                        () -> {
                            attempts[0]++;
                            return answer(send(alone));
                        });
        requireApplied(response, call.changes(), unclear || attempts[0] > 1);
    }

    /**
     * Checks an answer.
     *
     * @param repeated true if it may have been applied before. Then etcd refuses it, or there is
     *     nothing to delete, and calls that followed may be applied as well
     */
    private void requireApplied(TxnResponse response, SourceRevision changes, boolean repeated)
            throws IOException {
        long reached = response.getHeader().getRevision();
        boolean tolerant = repeated || System.nanoTime() - createdAt < PREDECESSOR_NANOS;
        boolean changed = response.getSucceeded() && RevisionTxn.hasPut(changes);
        if (reached == changes.revision()
                ? !response.getSucceeded() && !tolerant
                : reached < changes.revision() || changed || !tolerant) {
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
                () -> {
                    try {
                        return stub().range(request).getCount();
                    } catch (StatusRuntimeException failed) {
                        throw EndpointSide.failure(target.name(), failed);
                    }
                });
    }

    @Override
    public void close() {
        leases.close();
    }
}
