package io.brain.bench.load;

/** A server answered what it must not answer. */
public final class UnexpectedAnswerException extends Exception {

    private static final long serialVersionUID = 1;

    /** With what was wrong, for a person to read. */
    public UnexpectedAnswerException(String what) {
        super(what);
    }
}
