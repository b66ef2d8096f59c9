package io.brain.server.gateway;

import com.google.protobuf.Message;
import io.brain.backend.fair.Tenant;
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

/**
 * An HTTP request as a call: passes JSON values of the body on as requests when the handler wants
 * them, and their responses to the client. On the connection's thread, except where noted.
 */
final class GatewayCall implements Exchange, LocalCall.Client, Connection {
    /** A message may be longer as JSON; up to this factor. */
    static final int TEXT_FACTOR = 4;

    /** Bytes of the body beyond complete requests that the handler does not want yet. */
    private static final int BUFFERED_BYTES_MAX = 64 << 10;

    private final GatewayMethod method;
    private final int jsonBytesMax;
    private final Response response;
    private final JsonValues values = new JsonValues();

    /** Null if the request is refused. */
    private GatewayOutput output;

    /** Null if the request is refused. */
    private LocalCall<?, ?> call;

    private Runnable deadline = () -> {};

    /** True when the rest of the body does not matter. */
    private boolean ignoring;

    private boolean bodyEnded;

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
        output =
                new GatewayOutput(
                        response,
                        !method.oneResponse(),
                        () -> call.ready(),
                        () -> {
                            deadline.run();
                            call.end(output.result(), true);
                        });
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
                                                    "context deadline exceeded"),
                                            false));
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

    /** Requests on the same connection share it. */
    @Override
    public Tenant tenant() {
        return Tenant.connection(Connection.nameOf(response.client()), response.connection());
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
                                    + ")"),
                    false);
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
                fail(Status.INVALID_ARGUMENT.withDescription(broken.getMessage()), true);
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
        return output.isReady();
    }

    @Override
    public void onResponse(Message message, int bytes) {
        output.send(message, bytes);
    }

    @Override
    public void onClose(Status status) {
        if (output.result() == null) {
            ignoring = true;
            output.end(status);
        }
    }

    /** Ends the call with an error that the handler does not know. */
    private void fail(Status status, boolean noCall) {
        if (output.result() == null) {
            ignoring = true;
            call.end(status, false);
            output.fail(status, noCall);
        }
    }

    @Override
    public void onLeft() {
        ignoring = true;
        if (call != null) {
            output.stop();
            deadline.run();
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
