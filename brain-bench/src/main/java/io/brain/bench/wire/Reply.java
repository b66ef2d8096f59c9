package io.brain.bench.wire;

/** Takes the end of a unary call; called once, on the client's event loop. */
public interface Reply {

    /** It was answered. */
    void answered(Answer answer);

    /**
     * It failed.
     *
     * @param why for a person to read
     */
    void failed(String why);
}
