package io.brain.backend.model;

/** A request's failure; see {@link ErrorKind}. Carries no stack trace unless it has a cause. */
public class BackendException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorKind kind;

    /** A failure without a cause. */
    public BackendException(ErrorKind kind) {
        super(kind.name(), null, false, false);
        this.kind = kind;
    }

    /** A failure with its cause. */
    public BackendException(ErrorKind kind, Throwable cause) {
        super(kind + ": " + cause.getMessage(), cause);
        this.kind = kind;
    }

    public ErrorKind kind() {
        return kind;
    }
}
