package io.brain.storage;

/** A failure of the engine. The kind is for the caller, the message for the operator. */
public final class StorageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Class of a failure. */
    public enum Kind {
        /** Retry later: the engine is unreachable, busy or being reopened. */
        UNAVAILABLE,
        /** The disk is full; reads continue, writes fail until space is free. */
        NO_SPACE,
        /** The batch or request is larger than the engine's limit. */
        TOO_LARGE,
        /** Stored data is damaged. Needs an operator. */
        CORRUPT,
        /** Another process holds the store, or it has another format. Needs an operator. */
        REFUSED,
        /** The storage, snapshot or cursor was closed. */
        CLOSED;

        /** True if a retry cannot succeed without an operator or another instance. */
        public boolean isLasting() {
            return switch (this) {
                case UNAVAILABLE, NO_SPACE, TOO_LARGE -> false;
                case CORRUPT, REFUSED, CLOSED -> true;
            };
        }
    }

    private final Kind kind;

    /** A failure of the given kind. */
    public StorageException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    /** A failure of the given kind with its cause. */
    public StorageException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** Never null. */
    public Kind kind() {
        return kind;
    }
}
