package io.brain.conformance.fanout;

/** A watcher was not sent every event once and in order; the message says what it was sent. */
final class WrongEvents extends Exception {

    private static final long serialVersionUID = 1;

    WrongEvents(String message) {
        super(message);
    }
}
