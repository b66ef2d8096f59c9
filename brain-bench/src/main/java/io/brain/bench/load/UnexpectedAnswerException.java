package io.brain.bench.load;

/** A server sent a wrong answer. */
public final class UnexpectedAnswerException extends Exception {

    private static final long serialVersionUID = 1;

    /** Creates an exception with a message for the user. */
    public UnexpectedAnswerException(String what) {
        super(what);
    }
}
