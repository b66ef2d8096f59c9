package io.brain.storage.placed;

/** A placement that is refused; the message is one line for the operator. */
public final class PlacementException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** A refusal. */
    public PlacementException(String message) {
        super(message);
    }
}
