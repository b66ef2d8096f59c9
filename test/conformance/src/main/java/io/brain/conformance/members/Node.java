package io.brain.conformance.members;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.MoveLeaderRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.StatusRequest;
import io.brain.proto.etcd.StatusResponse;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** One member: its process, where clients reach it, and what it says of itself. Thread-safe. */
public final class Node implements AutoCloseable {

    private static final long CALL_MILLIS_MAX = 1_500;

    private final Program program;
    private final int port;
    private final String address;
    private final ManagedChannel direct;

    /**
     * @param port for clients
     * @param address HOST:PORT of the relay before that port
     */
    Node(Program program, int port, String address) {
        this.program = program;
        this.port = port;
        this.address = address;
        this.direct =
                NettyChannelBuilder.forAddress("127.0.0.1", port)
                        .usePlaintext()
                        .directExecutor()
                        .build();
    }

    public String name() {
        return program.name();
    }

    public Program program() {
        return program;
    }

    /** HOST:PORT at which clients reach it, over a link that may be cut. */
    public String address() {
        return address;
    }

    /** What it says of itself; empty if it does not answer. */
    public Optional<StatusResponse> status() {
        if (!program.isAlive()) {
            return Optional.empty();
        }
        direct.resetConnectBackoff();
        try {
            return Optional.of(
                    MaintenanceGrpc.newBlockingStub(direct)
                            .withDeadlineAfter(CALL_MILLIS_MAX, TimeUnit.MILLISECONDS)
                            .withWaitForReady()
                            .status(StatusRequest.getDefaultInstance()));
        } catch (StatusRuntimeException silent) {
            return Optional.empty();
        }
    }

    /** The newest revision that it shows without asking another node; 0 if it does not answer. */
    public long revision() {
        direct.resetConnectBackoff();
        try {
            return KVGrpc.newBlockingStub(direct)
                    .withDeadlineAfter(CALL_MILLIS_MAX, TimeUnit.MILLISECONDS)
                    .withWaitForReady()
                    .range(
                            RangeRequest.newBuilder()
                                    .setKey(ByteString.copyFromUtf8("is it there"))
                                    .setSerializable(true)
                                    .build())
                    .getHeader()
                    .getRevision();
        } catch (StatusRuntimeException silent) {
            return 0;
        }
    }

    /** True if it answers a linearizable read now. */
    public boolean serves() {
        direct.resetConnectBackoff();
        try {
            return KVGrpc.newBlockingStub(direct)
                            .withDeadlineAfter(2 * CALL_MILLIS_MAX, TimeUnit.MILLISECONDS)
                            .withWaitForReady()
                            .range(
                                    RangeRequest.newBuilder()
                                            .setKey(ByteString.copyFromUtf8("is it there"))
                                            .build())
                            .getHeader()
                            .getRevision()
                    > 0;
        } catch (StatusRuntimeException silent) {
            return false;
        }
    }

    /** Asks it, the leader, to hand over to a member; false if it did not. */
    public boolean moveLeader(long member, Duration max) {
        try {
            var unused =
                    MaintenanceGrpc.newBlockingStub(direct)
                            .withDeadlineAfter(max.toMillis(), TimeUnit.MILLISECONDS)
                            .moveLeader(MoveLeaderRequest.newBuilder().setTargetID(member).build());
            return true;
        } catch (StatusRuntimeException refused) {
            return false;
        }
    }

    /** A channel of its own to this node, for clients; the caller closes it. */
    public ManagedChannel channel() {
        return NettyChannelBuilder.forTarget(address)
                .usePlaintext()
                .maxInboundMessageSize(Integer.MAX_VALUE)
                .build();
    }

    /** The same without the relay, where that would take too much of the machine. */
    public ManagedChannel directChannel() {
        return NettyChannelBuilder.forAddress("127.0.0.1", port)
                .usePlaintext()
                .directExecutor()
                .maxInboundMessageSize(Integer.MAX_VALUE)
                .build();
    }

    /** True if this answer says that the node itself leads. */
    static boolean leads(StatusResponse status) {
        return status.getLeader() != 0 && status.getLeader() == status.getHeader().getMemberId();
    }

    @Override
    public void close() {
        direct.shutdownNow();
        program.close();
    }
}
