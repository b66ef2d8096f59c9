package io.brain.server.etcd;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.brain.backend.model.Failures;
import io.brain.proto.etcd.SnapshotRequest;
import io.brain.proto.etcd.SnapshotResponse;
import io.brain.server.config.Versions;
import io.brain.server.grpc.IncomingCall;
import io.brain.server.grpc.StatusMapper;
import io.brain.storage.StorageException;
import io.brain.transfer.etcd.PartFile;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Snapshot call: pieces of 32 KiB, then the SHA-256 of all of them, as in etcd. The next piece is
 * read from the file when the transport has taken the one before.
 *
 * <p>A client that reads nothing for 30 s, or takes longer than 5 minutes and 5 s per MiB, is
 * disconnected, as a snapshot occupies disk space and one of few threads.
 */
final class SnapshotCall extends IncomingCall<SnapshotRequest, SnapshotResponse> {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotCall.class);
    private static final int PIECE_BYTES = 32 << 10;

    /** The longest time for the whole file, in times to stall: 10, and 1/6 per MiB. */
    private static final int STALLS = 10;

    private static final int STALLS_PER_MIB_PART = 6;
    private static final int CHECK_MILLIS = 100;

    private final Snapshots snapshots;

    /** Set before the call is started. */
    private long after;

    SnapshotCall(ServerCall<Request<SnapshotRequest>, SnapshotResponse> call, Snapshots snapshots) {
        super(call);
        this.snapshots = snapshots;
    }

    @Override
    protected void onRequest(Request<SnapshotRequest> request) {
        after = request.message().getAfterRevision();
        snapshots.start(this);
    }

    @Override
    protected synchronized void onProgress() {
        notifyAll();
    }

    @Override
    protected synchronized void onEnd() {
        notifyAll();
    }

    /** The revision after which the changes begin; 0: all. */
    long after() {
        return after;
    }

    boolean isOver() {
        return isClosed();
    }

    /** Throws a CancellationException if the call has ended. */
    void checkNotOver() {
        if (isClosed()) {
            throw new CancellationException();
        }
    }

    /**
     * Sends a whole file; blocks.
     *
     * @param stallMax time after which a client that reads nothing is disconnected
     * @param check called before each piece; throws to end the call, may pause
     */
    void send(FileChannel file, Duration stallMax, Runnable check)
            throws IOException, InterruptedException {
        long stall = stallMax.toNanos();
        MessageDigest hash = PartFile.sha256();
        long length = file.size();
        long end =
                System.nanoTime() + STALLS * stall + stall / STALLS_PER_MIB_PART * (length >> 20);
        // One array for all pieces: a message is encoded before send returns.
        ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
        for (long position = 0; position < length; ) {
            check.run();
            awaitTransport(stall, end);
            read(
                    file,
                    position,
                    piece.clear().limit((int) Math.min(PIECE_BYTES, length - position)));
            position += piece.limit();
            hash.update(piece.flip());
            send(response(length - position, UnsafeByteOperations.unsafeWrap(piece.flip())));
        }
        send(response(0, UnsafeByteOperations.unsafeWrap(hash.digest())));
        complete();
    }

    /** Ends the call with an error. */
    void fail(Exception failure) {
        boolean isFull =
                failure instanceof StorageException engine
                        && engine.kind() == StorageException.Kind.NO_SPACE;
        if (failure instanceof IOException || isFull) {
            LOG.warn("snapshot failed error={}", failure.toString());
            close(
                    Status.RESOURCE_EXHAUSTED.withDescription(
                            "brain: cannot write the snapshot: " + failure.getMessage()));
        } else {
            close(StatusMapper.of(Failures.of(failure)));
        }
    }

    private static SnapshotResponse response(long remaining, ByteString blob) {
        return SnapshotResponse.newBuilder()
                .setRemainingBytes(remaining)
                .setBlob(blob)
                .setVersion(Versions.CLUSTER)
                .build();
    }

    private synchronized void awaitTransport(long stall, long end) throws InterruptedException {
        long began = System.nanoTime();
        while (!isReady() && !isClosed()) {
            wait(CHECK_MILLIS);
            long now = System.nanoTime();
            if (now - began > stall || now - end > 0) {
                LOG.warn("disconnecting client that does not read its snapshot");
                disconnect();
            }
        }
        checkNotOver();
    }

    /** Fills a piece, which is empty, from a position of the file. */
    private static void read(FileChannel file, long position, ByteBuffer piece) throws IOException {
        while (piece.hasRemaining()) {
            if (file.read(piece, position + piece.position()) < 0) {
                throw new EOFException("the snapshot file is cut short");
            }
        }
    }
}
