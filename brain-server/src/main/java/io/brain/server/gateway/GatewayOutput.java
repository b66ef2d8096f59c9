package io.brain.server.gateway;

import com.google.protobuf.Message;
import io.brain.server.http.Response;
import io.grpc.Status;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes the responses of a call, and its result, as the socket takes them. On the connection's
 * thread, except where noted.
 */
final class GatewayOutput {
    /** Bytes of responses above which the call is not ready; as in grpc-java. */
    private static final int READY_BYTES_MAX = 32 << 10;

    private static final int PART_BYTES = 64 << 10;
    private static final int UNSENT_BYTES_MAX = 2 * PART_BYTES;

    private final Response response;

    /** True if each response is a line. */
    private final boolean stream;

    /** Runs when {@link #isReady} has become true. */
    private final Runnable ready;

    /** Runs when the socket has the whole response. */
    private final Runnable taken;

    /** Responses that are not encoded completely. */
    private final Queue<Outgoing> outgoing = new ArrayDeque<>();

    private boolean headSent;
    private boolean writing;

    /** Bytes that the socket has not taken. */
    private int unsent;

    /** The result, once known. */
    private Status result;

    /** True if no call ran: the error of a stream is then like that of a unary call. */
    private boolean plain;

    /** True when everything is written, or the client has left. */
    private boolean ended;

    /** Bytes of responses that the socket has not taken; changed by any thread. */
    private final AtomicLong queued = new AtomicLong();

    /**
     * A response.
     *
     * @param bytes its length in wire format
     */
    private record Outgoing(JsonEncoder json, int bytes) {}

    GatewayOutput(Response response, boolean stream, Runnable ready, Runnable taken) {
        this.response = response;
        this.stream = stream;
        this.ready = ready;
        this.taken = taken;
    }

    /** True if the call may send more. Any thread. */
    boolean isReady() {
        return queued.get() < READY_BYTES_MAX;
    }

    /** The result; null before the end. */
    Status result() {
        return result;
    }

    /** Writes a message of {@code bytes} in wire format. Any thread, in order. */
    void send(Message message, int bytes) {
        queued.addAndGet(bytes);
        response.execute(
                () -> {
                    if (result == null) {
                        JsonEncoder json =
                                stream ? JsonEncoder.streamed(message) : JsonEncoder.unary(message);
                        outgoing.add(new Outgoing(json, bytes));
                        write();
                    }
                });
    }

    /** Completes the response with the result of the call, behind all messages. */
    void end(Status status) {
        if (result == null) {
            result = status;
            write();
        }
    }

    /**
     * Completes the response with an error instead of further messages.
     *
     * @param noCall true if no call ran
     */
    void fail(Status status, boolean noCall) {
        if (headSent && !outgoing.isEmpty()) {
            response.drop(); // a message has begun
        }
        outgoing.clear();
        plain = noCall;
        end(status);
    }

    /** Writes no more. */
    void stop() {
        ended = true;
        outgoing.clear();
    }

    private void write() {
        if (writing) {
            return;
        }
        writing = true;
        while (!outgoing.isEmpty() && unsent < UNSENT_BYTES_MAX && !ended) {
            Outgoing next = outgoing.element();
            JsonText part = new JsonText();
            boolean more = next.json().write(part, PART_BYTES);
            if (!headSent) {
                head(stream || more ? -1 : part.length());
            }
            if (!more) {
                outgoing.remove();
            }
            send(part, more ? 0 : next.bytes());
        }
        writing = false;
        if (result != null && outgoing.isEmpty() && !ended) {
            finish();
        }
    }

    private void head(long length) {
        headSent = true;
        Map<String, String> headers = new HashMap<>(GatewayErrors.JSON);
        headers.put("Grpc-Metadata-Content-Type", "application/grpc");
        response.head(GatewayErrors.code(Status.OK), headers, length);
    }

    /**
     * Sends a part.
     *
     * @param complete length of the message that it completes; 0: none
     */
    private void send(JsonText part, int complete) {
        unsent += part.length();
        response.part(
                part.array(),
                part.length(),
                () -> {
                    unsent -= part.length();
                    boolean wasReady = isReady();
                    queued.addAndGet(-complete);
                    if (!wasReady && isReady() && !ended) {
                        ready.run();
                    }
                    write();
                });
    }

    private void finish() {
        ended = true;
        if (!result.isOk() && headSent && !stream) {
            response.drop(); // the response has begun as a success
        } else if (!result.isOk()) {
            error();
        } else if (!headSent) {
            response.head(GatewayErrors.code(result), Map.of(), -1);
        }
        response.end(taken);
    }

    private void error() {
        boolean line = stream && !plain;
        JsonText text = line ? GatewayErrors.line(result) : GatewayErrors.body(result);
        if (!headSent) {
            response.head(
                    GatewayErrors.code(result),
                    line ? GatewayErrors.JSON : GatewayErrors.headers(result),
                    line ? -1 : text.length());
        }
        response.part(text.array(), text.length(), () -> {});
    }
}
