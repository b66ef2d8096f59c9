package io.brain.server.etcd;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.SnapshotRequest;
import io.brain.proto.etcd.SnapshotResponse;
import io.brain.proto.etcd.StatusRequest;
import io.brain.server.tls.ClientIdentity;
import io.brain.transfer.backup.BackedUpCluster;
import io.brain.transfer.etcd.PartFile;
import io.brain.transfer.etcd.StepListener;
import io.grpc.Channel;
import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;

/** Calls a running server of Brain or etcd. */
public final class ClusterClient implements BackedUpCluster, Closeable {
    private static final int ALIVE_SECONDS = 30;
    private static final int ALIVE_ANSWER_SECONDS = 10;
    private static final int STATUS_SECONDS = 60;
    private static final int MESSAGE_BYTES_MAX = 64 << 20;

    private final URI server;
    private final ManagedChannel channel;

    /**
     * Files for TLS, PEM.
     *
     * @param trusted CA bundle that verifies the server; null: Java's default
     * @param certificate client certificate; null for none
     * @param key its private key; null for none
     */
    public record Tls(Path trusted, Path certificate, Path key) {
        private ChannelCredentials of(URI server) throws GeneralSecurityException, IOException {
            return "https".equals(server.getScheme())
                    ? ClientIdentity.credentials(trusted, certificate, key)
                    : InsecureChannelCredentials.create();
        }
    }

    /**
     * Creates a client, which connects with its first call.
     *
     * @param server http or https, with host and port
     * @param tls used for https
     */
    public ClusterClient(URI server, Tls tls) throws IOException, GeneralSecurityException {
        this.server = server;
        channel =
                Grpc.newChannelBuilder(server.getHost() + ":" + server.getPort(), tls.of(server))
                        .maxInboundMessageSize(MESSAGE_BYTES_MAX)
                        .keepAliveTime(ALIVE_SECONDS, TimeUnit.SECONDS)
                        .keepAliveTimeout(ALIVE_ANSWER_SECONDS, TimeUnit.SECONDS)
                        .build();
    }

    /** For other calls. */
    public Channel channel() {
        return channel;
    }

    @Override
    public long id() throws IOException {
        try {
            return MaintenanceGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(STATUS_SECONDS, TimeUnit.SECONDS)
                    .status(StatusRequest.getDefaultInstance())
                    .getHeader()
                    .getClusterId();
        } catch (StatusRuntimeException failed) {
            throw failure(failed);
        }
    }

    @Override
    public boolean receive(long after, FileChannel file, StepListener listener) throws IOException {
        SnapshotRequest request = SnapshotRequest.newBuilder().setAfterRevision(after).build();
        try {
            receive(MaintenanceGrpc.newBlockingStub(channel).snapshot(request), file, listener);
            return true;
        } catch (StatusRuntimeException failed) {
            if (after > 0 && failed.getStatus().getCode() == Status.Code.OUT_OF_RANGE) {
                return false;
            }
            throw failure(failed);
        }
    }

    private static void receive(
            Iterator<SnapshotResponse> responses, FileChannel file, StepListener listener)
            throws IOException {
        MessageDigest digest = PartFile.sha256();
        long total = -1;
        long done = 0;
        ByteString hash = ByteString.EMPTY;
        while (responses.hasNext()) {
            SnapshotResponse response = responses.next();
            ByteString piece = response.getBlob();
            total = total < 0 ? response.getRemainingBytes() + piece.size() : total;
            if (done == total) {
                hash = hash.concat(piece);
                continue;
            }
            ByteBuffer bytes = piece.asReadOnlyByteBuffer();
            digest.update(bytes.duplicate());
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
            done += piece.size();
            listener.progress("receive", done, total);
        }
        if (done != total || !hash.equals(ByteString.copyFrom(digest.digest()))) {
            throw new IOException("the snapshot arrived incomplete or damaged; try again");
        }
    }

    private IOException failure(StatusRuntimeException failed) {
        String description = failed.getStatus().getDescription();
        Throwable cause = failed.getCause();
        String text = cause == null ? description : cause.getMessage();
        return new IOException(
                server + ": " + (text == null ? failed.getStatus().getCode() : text), failed);
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
