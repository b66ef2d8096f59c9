package io.brain.server.etcd;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.brain.proto.etcd.RangeStreamResponse;
import io.brain.proto.etcd.ResponseHeader;
import io.brain.server.logging.AccessLine;
import io.brain.server.logging.AccessLine.Event;
import io.brain.server.logging.AccessLine.Outcome;
import io.brain.server.logging.AccessLine.Subject;
import io.brain.server.logging.AccessLine.Traffic;
import io.brain.server.logging.AccessLog;
import io.brain.server.tls.CommonName;
import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Grpc;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.net.SocketAddress;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLSession;

/**
 * What the access log will have of one call. The transport's thread brings the request and the end;
 * answers come on any thread.
 */
final class AccessCall extends ServerStreamTracer {
    private static final Context.Key<AccessCall> KEY = Context.key("access-call");

    /** Clients make up names of methods. */
    private static final int METHOD_CHARS_MAX = 256;

    private final AccessLog log;
    private final String method;
    private final boolean stream;
    private final long since = System.nanoTime();
    private final AtomicLong received = new AtomicLong();
    private final AtomicLong receivedBytes = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong sentBytes = new AtomicLong();
    private volatile CallTrace trace;
    private volatile SocketAddress peer;
    private volatile String commonName;
    private volatile Subject subject = Subject.NONE;
    private volatile long revision;

    AccessCall(AccessLog log, String method, boolean stream) {
        this.log = log;
        this.method = method.substring(0, Math.min(method.length(), METHOD_CHARS_MAX));
        this.stream = stream;
    }

    /** The call that {@code context} is of. */
    static AccessCall of(Context context) {
        return KEY.get(context);
    }

    @Override
    public Context filterContext(Context context) {
        trace = CallTrace.of(context);
        return context.withValue(KEY, this);
    }

    @Override
    public void serverCallStarted(ServerCallInfo<?, ?> info) {
        Attributes attributes = info.getAttributes();
        peer = attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        SSLSession session = attributes.get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
        commonName = session == null ? null : CommonName.of(session);
        if (stream) {
            tell(Event.OPEN, null);
        }
    }

    /** A request came; of a stream's requests the first with a subject counts. */
    void asked(Object request) {
        if (subject.equals(Subject.NONE) && request instanceof Inbound<?> came) {
            subject = AccessSubjects.of(came.message());
        }
    }

    /** An answer leaves. */
    void answered(Object answer) {
        if (answer instanceof RangeMessage range) {
            answered(range.head());
        } else if (answer instanceof RangeStreamResponse chunk) {
            answered(chunk.getRangeResponse());
        } else if (answer instanceof Message told) {
            FieldDescriptor header = told.getDescriptorForType().findFieldByName("header");
            if (header != null && told.getField(header) instanceof ResponseHeader known) {
                revision = known.getRevision();
            }
        }
    }

    @Override
    public void inboundMessage(int number) {
        received.incrementAndGet();
    }

    @Override
    public void inboundUncompressedSize(long bytes) {
        receivedBytes.addAndGet(bytes);
    }

    @Override
    public void outboundMessage(int number) {
        sent.incrementAndGet();
    }

    @Override
    public void outboundUncompressedSize(long bytes) {
        sentBytes.addAndGet(bytes);
    }

    @Override
    public void streamClosed(Status status) {
        long micros = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - since);
        Outcome outcome =
                new Outcome(
                        CallMetrics.goName(status.getCode()),
                        micros,
                        revision,
                        new Traffic(received.get(), receivedBytes.get()),
                        new Traffic(sent.get(), sentBytes.get()));
        tell(stream ? Event.CLOSE : Event.CALL, outcome);
    }

    private void tell(Event event, Outcome outcome) {
        CallTrace part = trace;
        String id = part == null ? null : part.id();
        AccessLine.Call call = new AccessLine.Call(method, peer, commonName, id);
        log.write(new AccessLine(Instant.now(), event, call, subject, outcome));
    }
}
