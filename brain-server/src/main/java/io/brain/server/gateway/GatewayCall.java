package io.brain.server.gateway;

import com.google.protobuf.Message;
import io.brain.server.grpc.Connection;
import io.brain.server.grpc.LocalCall;
import io.brain.server.grpc.LocalServices;
import io.brain.server.http.Exchange;
import io.brain.server.http.Request;
import io.brain.server.http.Response;
import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.Status;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An HTTP request as a call: passes JSON values of the body on as requests when the handler wants
 * them, and writes responses as the socket takes them. On the connection's thread, except where
 * noted.
 */
final class GatewayCall implements Exchange, LocalCall.Client, Connection {
    /** A message may be longer as JSON; up to this factor. */
    static final int TEXT_FACTOR = 4;

    /** Bytes of responses above which the call is not ready; as in grpc-java. */
    private static final int READY_BYTES_MAX = 32 << 10;

    private static final int PART_BYTES = 64 << 10;
    private static final int UNSENT_BYTES_MAX = 2 * PART_BYTES;

    /** Bytes of the body beyond complete requests that the handler does not want yet. */
    private static final int BUFFERED_BYTES_MAX = 64 << 10;

    private final GatewayMethod method;
    private final int jsonBytesMax;
    private final Response response;
    private final JsonValues values = new JsonValues();

    /** Null if the request is refused. */
    private LocalCall<?, ?> call;

    private Runnable deadline = () -> {};

    /** True when the rest of the body does not matter. */
    private boolean ignoring;

    private boolean bodyEnded;

    /** Responses that are not encoded completely. */
    private final Queue<Outgoing> outgoing = new ArrayDeque<>();

    private boolean headSent;
    private boolean writing;

    /** Bytes that the socket has not taken. */
    private int unsent;

    /** The result, once known. */
    private Status result;

    private boolean ended;

    /** True if no call ran: the error of a stream is then like that of a unary call. */
    private boolean malformed;

    /** Bytes of responses that the socket has not taken; changed by any thread. */
    private final AtomicLong queued = new AtomicLong();

    /**
     * A response.
     *
     * @param bytes its length in wire format
     */
    private record Outgoing(JsonEncoder json, int bytes) {}

    /**
     * Creates a call; {@link #start} or {@link #refuse} follows.
     *
     * @param method null if there is none
     */
    GatewayCall(GatewayMethod method, int jsonBytesMax, Response response) {
        this.method = method;
        this.jsonBytesMax = jsonBytesMax;
        this.response = response;
    }

    /**
     * Starts the call.
     *
     * @param timeoutNanos 0: none
     */
    void start(LocalServices services, Metadata metadata, long timeoutNanos) {
        // Without the TLS session: as in etcd, a certificate names no user to the gateway's calls.
        Attributes attributes =
                Attributes.newBuilder()
                        .set(Connection.KEY, this)
                        .set(Grpc.TRANSPORT_ATTR_REMOTE_ADDR, response.client())
                        .build();
        call = services.start(method.name(), metadata, attributes, method.response(), this);
        if (timeoutNanos != 0) {
            deadline =
                    response.schedule(
                            timeoutNanos,
                            () ->
                                    fail(
                                            Status.DEADLINE_EXCEEDED.withDescription(
                                                    "context deadline exceeded")));
        }
    }

    /** Answers without a call. */
    void refuse(Status status, Request request) {
        ignoring = true;
        JsonText body = GatewayErrors.body(status);
        boolean bodiless = request.method().equals("HEAD");
        execute(
                () -> {
                    response.head(
                            GatewayErrors.code(status),
                            GatewayErrors.headers(status),
                            body.length());
                    if (!bodiless) {
                        response.part(body.array(), body.length(), () -> {});
                    }
                    response.end(() -> {});
                });
    }

    @Override
    public boolean takesBody() {
        return ignoring || values.length() <= BUFFERED_BYTES_MAX || !values.hasNext();
    }

    @Override
    public void onBody(ByteBuffer part) {
        int bytes = part.remaining();
        if (ignoring || bytes == 0) {
            return;
        }
        values.add(part);
        call.receive(bytes);
        passRequests();
        if (!ignoring && !values.hasNext() && values.length() > jsonBytesMax) {
            fail(
                    Status.RESOURCE_EXHAUSTED.withDescription(
                            "grpc: received message larger than max ("
                                    + values.length()
                                    + " vs. "
                                    + jsonBytesMax / TEXT_FACTOR
                                    + ")"));
        }
    }

    @Override
    public void onBodyEnd() {
        bodyEnded = true;
        passRequests();
    }

    @Override
    public void onRequestWanted() {
        if (!ignoring) {
            passRequests();
            response.resumeBody();
        }
    }

    private void passRequests() {
        while (!ignoring && values.hasNext() && call.wantsRequest()) {
            pass(values.next());
        }
        if (!ignoring && bodyEnded && !values.hasNext()) {
            passRest();
        }
    }

    /** As in etcd, a unary call without a body has an empty request, and a stream has none. */
    private void passRest() {
        if (!method.oneRequest() && !values.hasRest()) {
            finishRequests();
        } else if (values.hasRest()) {
            if (call.wantsRequest()) {
                pass(values.next());
            }
        } else if (call.wantsRequest()) {
            pass("{}".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        }
    }

    private void pass(byte[] json) {
        try {
            call.request(JsonDecoder.decode(json, method.request()).toByteArray());
        } catch (JsonException broken) {
            if (method.oneRequest()) {
                malformed = true;
                fail(Status.INVALID_ARGUMENT.withDescription(broken.getMessage()));
            } else {
                finishRequests(); // as etcd's
            }
            return;
        }
        if (method.oneRequest()) {
            finishRequests();
        }
    }

    private void finishRequests() {
        ignoring = true;
        call.halfClose();
    }

    @Override
    public boolean isReady() {
        return queued.get() < READY_BYTES_MAX;
    }

    @Override
    public void onResponse(Message message, int bytes) {
        queued.addAndGet(bytes);
        execute(
                () -> {
                    if (result == null) {
                        JsonEncoder json =
                                method.oneResponse()
                                        ? JsonEncoder.unary(message)
                                        : JsonEncoder.streamed(message);
                        outgoing.add(new Outgoing(json, bytes));
                        write();
                    }
                });
    }

    /** Encodes responses while the socket takes them. */
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
                head(method.oneResponse() && !more ? part.length() : -1);
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
     * @param complete length of the response that it completes; 0: none
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
                        call.ready();
                    }
                    write();
                });
    }

    @Override
    public void onClose(Status status) {
        if (result == null) {
            ignoring = true;
            result = status;
            write();
        }
    }

    /** Ends the call with an error that the handler does not know. */
    private void fail(Status status) {
        if (result != null || ended) {
            return;
        }
        if (headSent && !outgoing.isEmpty()) {
            response.drop(); // a response has begun
            return;
        }
        ignoring = true;
        result = status;
        outgoing.clear();
        call.end(status, false);
        write();
    }

    /** Completes the response; all messages are encoded. */
    private void finish() {
        ended = true;
        deadline.run();
        if (!result.isOk() && headSent && method.oneResponse()) {
            response.drop(); // the response has begun as a success
        } else if (!result.isOk()) {
            error();
        } else if (!headSent) {
            response.head(GatewayErrors.code(result), Map.of(), -1);
        }
        response.end(() -> call.end(result, true));
    }

    private void error() {
        boolean stream = !method.oneResponse() && !malformed;
        JsonText text = stream ? GatewayErrors.line(result) : GatewayErrors.body(result);
        if (!headSent) {
            response.head(
                    GatewayErrors.code(result),
                    stream ? GatewayErrors.JSON : GatewayErrors.headers(result),
                    stream ? -1 : text.length());
        }
        response.part(text.array(), text.length(), () -> {});
    }

    @Override
    public void onLeft() {
        ignoring = true;
        ended = true;
        outgoing.clear();
        deadline.run();
        if (call != null) {
            call.end(Status.CANCELLED.withDescription("client has left"), false);
        }
    }

    @Override
    public long takenBytes() {
        return response.takenBytes();
    }

    @Override
    public void drop() {
        response.drop();
    }

    @Override
    public void execute(Runnable task) {
        response.execute(task);
    }
}
