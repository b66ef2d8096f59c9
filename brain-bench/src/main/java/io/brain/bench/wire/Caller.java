package io.brain.bench.wire;

/**
 * A connection for calls. All methods except {@link #close} are called on the client's event loop,
 * and so are the replies. The caller bounds the number of concurrent calls.
 */
public interface Caller extends AutoCloseable {

    /**
     * Starts a call.
     *
     * @param request encoded message; not modified afterwards
     */
    void call(Rpc rpc, byte[] request, Reply reply);

    /** Closes the connection; running calls fail. Any thread. */
    @Override
    void close();
}
