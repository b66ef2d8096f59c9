package io.brain.server.etcd;

import io.grpc.Attributes;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;

/** What a call can do to the connection that it came on. */
public final class Transports {
    /** Drops the connection at once, with all that is queued for it. Any thread; may be absent. */
    public static final Attributes.Key<Runnable> DROP = Attributes.Key.create("drop-connection");

    private Transports() {}

    /**
     * Ends a call whose client does not read. Ending only the call would leave its bytes queued for
     * the connection, for as long as nobody reads from that: the connection goes too.
     */
    static void drop(ServerCall<?, ?> call) {
        Runnable connection = call.getAttributes().get(DROP);
        if (connection != null) {
            connection.run();
        } else {
            call.close(
                    Status.UNAVAILABLE.withDescription("the answer was not read"), new Metadata());
        }
    }
}
