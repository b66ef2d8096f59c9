package io.brain.server.grpc;

import io.grpc.Attributes;
import io.grpc.ServerCall;
import java.util.Objects;

/** The connection of a call. Thread-safe. */
public interface Connection {
    /** Attribute of calls. */
    Attributes.Key<Connection> KEY = Attributes.Key.create("connection");

    /** Number of bytes that were written to the socket, including a few that it may still queue. */
    long takenBytes();

    /**
     * Closes the connection and discards everything queued; closing a call keeps its bytes queued.
     */
    void drop();

    /** Runs {@code task} on the connection's thread. */
    void execute(Runnable task);

    /** The connection of {@code call}. */
    static Connection of(ServerCall<?, ?> call) {
        return Objects.requireNonNull(call.getAttributes().get(KEY), "no connection");
    }
}
