package io.brain.bench.load;

import io.brain.bench.wire.Answer;
import io.brain.bench.wire.Rpc;

/**
 * What one client does over and over: operations of one call or several, one after the other. Of
 * the client's event loop only.
 */
public interface Script {

    /**
     * A call to make.
     *
     * @param body the message's bytes
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Request(Rpc rpc, byte[] body) {}

    /** The first call of the next operation; null if there is nothing left to do. */
    Request begin();

    /**
     * The next call of the operation, after the last one was answered; null if it is complete.
     *
     * @throws UnexpectedAnswerException if the answer is not what must come; the operation failed
     */
    Request proceed(Answer answer) throws UnexpectedAnswerException;
}
