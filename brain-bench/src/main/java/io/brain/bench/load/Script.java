package io.brain.bench.load;

import io.brain.bench.wire.Answer;
import io.brain.bench.wire.Rpc;

/**
 * Repeated operations of a client, each of one or more successive calls. Confined to the client's
 * event loop.
 */
public interface Script {

    /**
     * A call.
     *
     * @param body encoded message
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Request(Rpc rpc, byte[] body) {}

    /** First call of the next operation; null if there are no more. */
    Request begin();

    /**
     * Next call of the operation after an answer; null if it is complete.
     *
     * @throws UnexpectedAnswerException if the answer is wrong, so that the operation fails
     */
    Request proceed(Answer answer) throws UnexpectedAnswerException;
}
