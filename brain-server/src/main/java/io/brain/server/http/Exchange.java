package io.brain.server.http;

import java.nio.ByteBuffer;

/** A request whose body is read, and its response. All methods on the connection's thread. */
public interface Exchange {
    /** True if more of the body can be taken. */
    boolean takesBody();

    /** Takes a part of the body; the buffer is valid during the call. */
    void onBody(ByteBuffer part);

    /** The body is complete. */
    void onBodyEnd();

    /** The client has left before the response was complete. */
    void onLeft();

    /** Begins an exchange. */
    interface Factory {
        /** True if the request is refused because its client certificate names a user. */
        boolean refusesCertificate(Request request);

        /**
         * Begins the exchange of a request with this path.
         *
         * @param response to be completed
         */
        Exchange begin(Request request, Response response);
    }
}
