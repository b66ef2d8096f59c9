package io.brain.admin.ctl;

/** A command failed; the message is for the user. */
final class CtlException extends Exception {
    private static final long serialVersionUID = 1;

    private final int code;

    CtlException(int code, String message) {
        super(message);
        this.code = code;
    }

    /** Exit code of the process. */
    int code() {
        return code;
    }
}
