package io.brain.transfer.backup;

import com.google.protobuf.ByteString;
import io.brain.backend.model.KeySpan;
import io.brain.backend.wire.KeyValue;
import io.brain.proto.etcd.Compare;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.TxnResponse;
import io.brain.storage.Bytes;
import io.brain.transfer.etcd.StepListener;
import io.brain.transfer.verify.Side;
import io.grpc.Channel;
import io.grpc.Status;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/**
 * Makes the keys of a span in a running cluster what they were in a backup, with ordinary
 * transactions, several at a time. Each changes one key: a Kubernetes client that is disconnected
 * continues after the revision that it saw last, and would miss other keys of the same revision.
 * Keys that are equal are not touched. Restored keys have no lease. Used by one thread.
 */
public final class PrefixRestore {
    private static final int CALLS_MAX = 128;
    private static final long CALL_BYTES_MAX = 4 << 20;
    private static final int PASSES_MAX = 10;

    private final Side backup;
    private final long revision;
    private final Side cluster;
    private final KVGrpc.KVFutureStub kv;
    private final KeySpan span;
    private final boolean dryRun;
    private final StepListener listener;
    private final Deque<Call> calls = new ArrayDeque<>();
    private long callBytes;
    private long bytesRead;
    private long puts;
    private long deletes;
    private long refused;

    /** A transaction that was sent. */
    private record Call(boolean isPut, long bytes, Future<TxnResponse> answer) {}

    /** What was done, or would be done; each of them is a revision. */
    public record Report(long puts, long deletes) {}

    /**
     * Creates a restore; for one {@link #run}.
     *
     * @param revision of the backup
     * @param channel to the cluster
     * @param dryRun only counts
     * @param listener may throw to stop
     */
    public PrefixRestore(
            Side backup,
            long revision,
            Side cluster,
            Channel channel,
            KeySpan span,
            boolean dryRun,
            StepListener listener) {
        this.backup = backup;
        this.revision = revision;
        this.cluster = cluster;
        this.kv = KVGrpc.newFutureStub(channel);
        this.span = span;
        this.dryRun = dryRun;
        this.listener = listener;
    }

    /**
     * Restores. A key that others change meanwhile is compared again, a few times.
     *
     * @throws IOException if the cluster refuses, or the keys do not stay unchanged; the message is
     *     one line
     * @throws CancellationException of the listener, with what was restored so far
     */
    public Report run() throws IOException {
        for (int pass = 0; pass < PASSES_MAX; pass++) {
            refused = 0;
            try {
                pass();
            } catch (CancellationException stop) {
                throw new CancellationException(endText(stop));
            } catch (IOException failure) {
                throw new IOException(endText(failure), failure);
            }
            if (refused == 0) {
                return new Report(puts, deletes);
            }
        }
        throw new IOException(
                "others change these keys all the time: after %d puts and %d deletes some differ"
                        .formatted(puts, deletes));
    }

    /** The message with which the restore ends: says what was restored so far. */
    private String endText(Exception end) throws IOException {
        finishOthers();
        return dryRun
                ? end.getMessage()
                : "%s; restored so far: %d puts and %d deletes; run the command again to continue"
                        .formatted(end.getMessage(), puts, deletes);
    }

    private void pass() throws IOException {
        try (Side.Entries wanted = backup.entries(span, revision);
                Side.Entries present = cluster.entries(span, cluster.newestRevision())) {
            Side.Entry want = wanted.next();
            Side.Entry have = present.next();
            while (want != null || have != null) {
                listener.progress("restore", bytesRead, bytesRead);
                int order = Side.Entry.order(want, have);
                if (order < 0) {
                    put(want, 0);
                } else if (order > 0) {
                    delete(have);
                } else if (!value(want).equals(value(have))) {
                    put(want, KeyValue.decode(have.kv()).modRevision());
                }
                bytesRead += (order <= 0 ? want : have).kv().length();
                want = order <= 0 ? wanted.next() : want;
                have = order >= 0 ? present.next() : have;
            }
            while (!calls.isEmpty()) {
                finishOldest();
            }
        }
    }

    private static Bytes value(Side.Entry entry) {
        return KeyValue.decode(entry.kv()).value();
    }

    private void put(Side.Entry want, long modRevision) throws IOException {
        PutRequest put =
                PutRequest.newBuilder()
                        .setKey(copy(want.key()))
                        .setValue(copy(value(want)))
                        .build();
        send(want.key(), modRevision, RequestOp.newBuilder().setRequestPut(put).build());
    }

    private void delete(Side.Entry have) throws IOException {
        DeleteRangeRequest delete =
                DeleteRangeRequest.newBuilder().setKey(copy(have.key())).build();
        send(
                have.key(),
                KeyValue.decode(have.kv()).modRevision(),
                RequestOp.newBuilder().setRequestDeleteRange(delete).build());
    }

    /** Sends an operation, on the condition that the key was not changed since it was read. */
    private void send(Bytes key, long modRevision, RequestOp op) throws IOException {
        if (dryRun) {
            count(op.hasRequestPut());
            return;
        }
        Compare unchanged =
                Compare.newBuilder()
                        .setKey(copy(key))
                        .setTarget(Compare.CompareTarget.MOD)
                        .setResult(Compare.CompareResult.EQUAL)
                        .setModRevision(modRevision)
                        .build();
        TxnRequest txn = TxnRequest.newBuilder().addCompare(unchanged).addSuccess(op).build();
        long bytes = txn.getSerializedSize();
        while (calls.size() == CALLS_MAX
                || (!calls.isEmpty() && callBytes + bytes > CALL_BYTES_MAX)) {
            finishOldest();
        }
        callBytes += bytes;
        calls.add(new Call(op.hasRequestPut(), bytes, kv.txn(txn)));
    }

    private void finishOldest() throws IOException {
        try {
            finish(calls.remove());
        } catch (ExecutionException failed) {
            Status status = Status.fromThrowable(failed);
            String text =
                    status.getDescription() == null
                            ? status.getCode().toString()
                            : status.getDescription();
            throw new IOException(text, failed);
        }
    }

    /** After the end, so that they are counted; some fail as well. */
    private void finishOthers() throws IOException {
        while (!calls.isEmpty()) {
            try {
                finish(calls.remove());
            } catch (ExecutionException failed) {
                // Reported once.
            }
        }
    }

    private void finish(Call call) throws ExecutionException, IOException {
        callBytes -= call.bytes();
        try {
            if (call.answer().get().getSucceeded()) {
                count(call.isPut());
            } else {
                refused++;
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    private void count(boolean isPut) {
        puts += isPut ? 1 : 0;
        deletes += isPut ? 0 : 1;
    }

    private static ByteString copy(Bytes bytes) {
        return ByteString.copyFrom(bytes.array());
    }
}
