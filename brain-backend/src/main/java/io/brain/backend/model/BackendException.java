package io.brain.backend.model;

/** A request's failure; see {@link ErrorKind}. Carries no stack trace unless it has a cause. */
public final class BackendException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorKind kind;

    /** A failure that the kind says all about. */
    public BackendException(ErrorKind kind) {
        super(kind.name(), null, false, false);
        this.kind = kind;
    }

    /** A failure with the error behind it. */
    public BackendException(ErrorKind kind, Throwable cause) {
        super(kind + ": " + cause.getMessage(), cause);
        this.kind = kind;
    }

    /** What went wrong; never null. */
    public ErrorKind kind() {
        return kind;
    }
}
