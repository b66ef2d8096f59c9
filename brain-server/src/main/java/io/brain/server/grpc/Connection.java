package io.brain.server.grpc;

import com.google.common.net.HostAndPort;
import io.brain.backend.fair.Tenant;
import io.grpc.Attributes;
import io.grpc.ServerCall;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Objects;

/** The connection of a call. Thread-safe. */
public interface Connection {
    /** Attribute of calls. */
    Attributes.Key<Connection> KEY = Attributes.Key.create("connection");

    /** Whose calls without a user are. */
    Tenant tenant();

    /** Number of bytes that were written to the socket, including a few that it may still queue. */
    long takenBytes();

    /**
     * Closes the connection and discards everything queued; closing a call keeps its bytes queued.
     */
    void drop();

    /** Runs {@code task} on the connection's thread. */
    void execute(Runnable task);

    /** What operators see of a client's address: host and port; "unix" for a Unix socket. */
    static String nameOf(SocketAddress client) {
        return client instanceof InetSocketAddress tcp
                ? HostAndPort.fromParts(tcp.getAddress().getHostAddress(), tcp.getPort()).toString()
                : "unix";
    }

    /** The connection of {@code call}. */
    static Connection of(ServerCall<?, ?> call) {
        return Objects.requireNonNull(call.getAttributes().get(KEY), "no connection");
    }
}
