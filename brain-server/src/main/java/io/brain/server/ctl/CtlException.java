package io.brain.server.ctl;

/** A command cannot be done; the message is for who typed it. */
final class CtlException extends Exception {
    private static final long serialVersionUID = 1;

    private final int code;

    CtlException(int code, String message) {
        super(message);
        this.code = code;
    }

    /** What the process exits with. */
    int code() {
        return code;
    }
}
