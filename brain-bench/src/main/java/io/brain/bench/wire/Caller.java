package io.brain.bench.wire;

/**
 * A connection that calls are made on. All but {@link #close} belongs to the client's event loop,
 * and so do the replies. Calls that are under way are bounded by whoever makes them.
 */
public interface Caller extends AutoCloseable {

    /**
     * Makes a call.
     *
     * @param request the message's bytes; not to be changed afterwards
     */
    void call(Rpc rpc, byte[] request, Reply reply);

    /** Closes the connection; calls under way fail. From any thread. */
    @Override
    void close();
}
