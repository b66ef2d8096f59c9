package io.brain.server.logging;

import io.brain.storage.Bytes;
import java.net.SocketAddress;
import java.time.Instant;

/**
 * What the access log has of a call: who asked for which keys, and how it ended. Never values.
 *
 * @param time of the event
 * @param event what happened
 * @param call who called what
 * @param subject what for
 * @param outcome how it went; null if it has only begun
 */
public record AccessLine(Instant time, Event event, Call call, Subject subject, Outcome outcome) {
    /** What happened. */
    public enum Event {
        /** A call was answered, or refused. */
        CALL,
        /** A stream began. */
        OPEN,
        /** A stream ended. */
        CLOSE
    }

    /**
     * Who called what.
     *
     * @param method its full name
     * @param peer where the call came from; null if that is not known
     * @param commonName of the certificate that was shown; null if none was
     * @param trace its trace's id; null if it has none, or nobody asks
     */
    public record Call(String method, SocketAddress peer, String commonName, String trace) {}

    /**
     * What a request is about: of a transaction, its first step.
     *
     * @param key the beginning of it, if it is long; empty if there is none
     * @param keyBytes its whole length
     * @param rangeEnd the beginning of it; empty if there is none
     * @param steps of a transaction; 0 if it is none
     * @param lease 0 if it is about none
     */
    public record Subject(Bytes key, int keyBytes, Bytes rangeEnd, int steps, long lease) {
        /** Longest part of a key that is kept, in bytes. */
        public static final int KEY_BYTES_MAX = 256;

        /** Nothing in particular. */
        public static final Subject NONE = new Subject(Bytes.EMPTY, 0, Bytes.EMPTY, 0, 0);
    }

    /**
     * How a call went.
     *
     * @param code gRPC's, in Go's words
     * @param micros from its beginning to its end
     * @param revision in the header of the last answer; 0 if that told none
     * @param received from the client
     * @param sent to the client
     */
    public record Outcome(
            String code, long micros, long revision, Traffic received, Traffic sent) {}

    /**
     * Messages that went one way.
     *
     * @param bytes of them, as they are before compression
     */
    public record Traffic(long messages, long bytes) {}
}
