package io.brain.storage;

/** A failure of the engine. The kind says what a caller can do; the message is for people. */
public final class StorageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What a caller can do about a failure. */
    public enum Kind {
        /** Try again later: the engine is away, busy, or being reopened. */
        UNAVAILABLE,
        /** The engine has no room; reads go on, writes fail until there is room again. */
        NO_SPACE,
        /** The batch or request is larger than the engine can ever take. */
        TOO_LARGE,
        /** Stored bytes are damaged. Needs an operator. */
        CORRUPT,
        /** Another process holds the store, or it has another format. Needs an operator. */
        REFUSED,
        /** The storage, snapshot or cursor was closed. */
        CLOSED;

        /** True if trying again is of no use: an operator is needed, or another instance. */
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

    /** What a caller can do; never null. */
    public Kind kind() {
        return kind;
    }
}
