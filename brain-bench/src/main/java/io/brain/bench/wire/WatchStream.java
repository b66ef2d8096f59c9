package io.brain.bench.wire;

import io.brain.proto.etcd.WatchRequest;

/** A watch stream. Confined to the client's event loop. */
public interface WatchStream {

    /** Sends a request. */
    void send(WatchRequest request);

    /** Ends the stream; nothing is received afterwards. */
    void cancel();

    /** Receives responses, on the client's event loop. */
    interface Receiver {

        /** An encoded WatchResponse. */
        void received(byte[] response);

        /** The stream ended without being cancelled. */
        void failed(String why);
    }
}
