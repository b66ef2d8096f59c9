package io.brain.server.logging;

import io.brain.storage.Bytes;
import java.net.SocketAddress;
import java.time.Instant;

/**
 * An access log record: caller, keys and outcome of a call. Never contains values.
 *
 * @param time time of the event
 * @param event kind of event
 * @param call method and caller
 * @param subject keys and lease
 * @param outcome result; null when a stream opens
 */
public record AccessLine(Instant time, Event event, Call call, Subject subject, Outcome outcome) {
    /** Kind of event. */
    public enum Event {
        /** A unary call completed or failed. */
        CALL,
        /** A stream opened. */
        OPEN,
        /** A stream closed. */
        CLOSE
    }

    /**
     * Method and caller.
     *
     * @param method full method name
     * @param peer client address; null if unknown
     * @param commonName of the client certificate; null without one
     * @param trace trace id; null if absent or not recorded
     */
    public record Call(String method, SocketAddress peer, String commonName, String trace) {}

    /**
     * Keys and lease of a request; of a transaction, its first operation.
     *
     * @param key prefix of up to {@link #KEY_BYTES_MAX} bytes; empty if none
     * @param keyBytes length of the whole key
     * @param rangeEnd truncated likewise; empty if none
     * @param steps number of operations of a transaction; else 0
     * @param lease 0 for none
     */
    public record Subject(Bytes key, int keyBytes, Bytes rangeEnd, int steps, long lease) {
        /** Maximum length of a logged key in bytes. */
        public static final int KEY_BYTES_MAX = 256;

        /** A request without keys. */
        public static final Subject NONE = new Subject(Bytes.EMPTY, 0, Bytes.EMPTY, 0, 0);
    }

    /**
     * Result of a call.
     *
     * @param code gRPC status code, as spelled in Go
     * @param micros duration
     * @param revision from the header of the last response; 0 if none
     * @param received from the client
     * @param sent to the client
     */
    public record Outcome(
            String code, long micros, long revision, Traffic received, Traffic sent) {}

    /**
     * Messages in one direction.
     *
     * @param bytes size before compression
     */
    public record Traffic(long messages, long bytes) {}
}
