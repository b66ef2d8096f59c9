package io.brain.server.grpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Message;
import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.function.Consumer;

/**
 * A call from this process. Methods for the client run on the thread of its connection, where the
 * handler also gets its events; the handler may answer on any thread.
 */
public final class LocalCall<Q, R> extends ServerCall<Q, R> {
    private final MethodDescriptor<Q, R> method;
    private final Attributes attributes;
    private final Connection connection;
    private final List<ServerStreamTracer> tracers;
    private final Message responseType;
    private final Client client;

    // Confined to the connection's thread.
    private ServerCall.Listener<Q> listener = new ServerCall.Listener<>() {};
    private int received;
    private boolean halfClosed;

    // Guarded by this.
    private int wanted;
    private int sent;
    private boolean closed;
    private boolean ended;

    /** The caller. */
    public interface Client {
        /** True if a response would not have to be queued. Any thread. */
        boolean isReady();

        /**
         * Takes a response of {@code bytes} in wire format. Any thread, one at a time, in order.
         */
        void onResponse(Message response, int bytes);

        /** The handler accepts a request again. On the connection's thread. */
        void onRequestWanted();

        /**
         * The handler has closed the call, behind its responses; the client must {@link #end} it.
         * On the connection's thread.
         */
        void onClose(Status status);
    }

    /** Bytes that are not compressed. */
    private static final class Plain extends ByteArrayInputStream implements KnownLength {
        Plain(byte[] bytes) {
            super(bytes);
        }
    }

    LocalCall(
            MethodDescriptor<Q, R> method,
            Attributes attributes,
            List<ServerStreamTracer> tracers,
            Message responseType,
            Client client) {
        this.method = method;
        this.attributes = attributes;
        this.connection = attributes.get(Connection.KEY);
        this.tracers = tracers;
        this.responseType = responseType;
        this.client = client;
    }

    void start(ServerCallHandler<Q, R> handler, Metadata headers) {
        Context context = Context.ROOT;
        for (ServerStreamTracer tracer : tracers) {
            context = tracer.filterContext(context);
        }
        Info info = new Info();
        trace(tracer -> tracer.serverCallStarted(info));
        listener = Contexts.interceptCall(context, this, headers, handler);
    }

    private void trace(Consumer<ServerStreamTracer> event) {
        tracers.forEach(event);
    }

    /** Counts received bytes of a request that is not complete. */
    public void receive(int bytes) {
        trace(tracer -> tracer.inboundWireSize(bytes));
    }

    /** True if the handler accepts a request. */
    public synchronized boolean wantsRequest() {
        return wanted > 0 && !closed;
    }

    /** Passes a request, which the handler must want. */
    public void request(byte[] message) {
        synchronized (this) {
            wanted--;
        }
        int number = received;
        received++;
        trace(
                tracer -> {
                    tracer.inboundMessage(number);
                    tracer.inboundMessageRead(number, message.length, message.length);
                    tracer.inboundUncompressedSize(message.length);
                });
        listener.onMessage(method.parseRequest(new Plain(message)));
    }

    /** No requests follow. */
    public void halfClose() {
        if (!halfClosed) {
            halfClosed = true;
            listener.onHalfClose();
        }
    }

    /** The client takes responses again. */
    public void ready() {
        listener.onReady();
    }

    /**
     * The client has taken everything, or has left. Later calls have no effect.
     *
     * @param status the result of the call, as the client knows it
     * @param taken false if the client has left
     */
    public void end(Status status, boolean taken) {
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
            closed = true;
        }
        trace(tracer -> tracer.streamClosed(status));
        if (taken) {
            listener.onComplete();
        } else {
            listener.onCancel();
        }
    }

    @Override
    public void request(int count) {
        boolean first;
        synchronized (this) {
            first = wanted == 0;
            wanted += count;
        }
        if (first) {
            connection.execute(client::onRequestWanted);
        }
    }

    @Override
    public void sendHeaders(Metadata headers) {}

    @Override
    public void sendMessage(R response) {
        int number;
        synchronized (this) {
            if (closed) {
                return;
            }
            number = sent;
            sent++;
        }
        Message message = message(response);
        int bytes = message.getSerializedSize();
        trace(
                tracer -> {
                    tracer.outboundMessage(number);
                    tracer.outboundMessageSent(number, bytes, bytes);
                    tracer.outboundUncompressedSize(bytes);
                });
        client.onResponse(message, bytes);
    }

    /** Responses may be of another type with the same wire format. */
    private Message message(R response) {
        if (responseType.getClass().isInstance(response)) {
            return (Message) response;
        }
        try (InputStream encoded = method.streamResponse(response)) {
            ByteString.Output bytes = ByteString.newOutput(Math.max(1, encoded.available()));
            if (encoded instanceof Drainable drainable) {
                var unused = drainable.drainTo(bytes);
            } else {
                var unused = encoded.transferTo(bytes);
            }
            CodedInputStream in = bytes.toByteString().newCodedInput();
            in.enableAliasing(true);
            return responseType.getParserForType().parseFrom(in);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    @Override
    public boolean isReady() {
        return client.isReady();
    }

    @Override
    public void close(Status status, Metadata trailers) {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        connection.execute(() -> client.onClose(status));
    }

    @Override
    public synchronized boolean isCancelled() {
        return ended;
    }

    @Override
    public MethodDescriptor<Q, R> getMethodDescriptor() {
        return method;
    }

    @Override
    public Attributes getAttributes() {
        return attributes;
    }

    private final class Info extends ServerStreamTracer.ServerCallInfo<Q, R> {
        @Override
        public MethodDescriptor<Q, R> getMethodDescriptor() {
            return method;
        }

        @Override
        public Attributes getAttributes() {
            return attributes;
        }

        @Override
        public String getAuthority() {
            return null;
        }
    }
}
