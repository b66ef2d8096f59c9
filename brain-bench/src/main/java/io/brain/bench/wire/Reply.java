package io.brain.bench.wire;

/** Receives the result of a unary call, once, on the client's event loop. */
public interface Reply {

    /** The call succeeded. */
    void answered(Answer answer);

    /**
     * The call failed.
     *
     * @param why message for the user
     */
    void failed(String why);
}
