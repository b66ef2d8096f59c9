package io.brain.server.etcd;

import io.grpc.Attributes;
import io.grpc.ServerCall;
import java.util.Objects;

/** What calls know of the connection that they came on, and can do to it. Thread-safe. */
public interface Connection {
    /** Where a call finds its connection. */
    Attributes.Key<Connection> KEY = Attributes.Key.create("connection");

    /**
     * Bytes that the connection took for its client so far: all of them have left, but for the few
     * that a socket is handed at a time.
     */
    long takenBytes();

    /**
     * Ends the connection at once, with all that is queued for it. Ending only a call would leave
     * its bytes queued for as long as nobody reads from the connection.
     */
    void drop();

    /** Runs {@code task} on the thread that brings the connection's requests. */
    void execute(Runnable task);

    /** The connection of a call. */
    static Connection of(ServerCall<?, ?> call) {
        return Objects.requireNonNull(call.getAttributes().get(KEY), "no connection");
    }
}
