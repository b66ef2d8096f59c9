package io.brain.bench.wire;

import io.brain.proto.etcd.WatchRequest;

/** A stream of watchers. Of the client's event loop only. */
public interface WatchStream {

    /** Sends a request. */
    void send(WatchRequest request);

    /** Ends the stream; nothing is received any more. */
    void cancel();

    /** Takes what comes; called on the client's event loop. */
    interface Receiver {

        /** A WatchResponse's bytes. */
        void received(byte[] response);

        /** The stream ended though it was not cancelled. */
        void failed(String why);
    }
}
