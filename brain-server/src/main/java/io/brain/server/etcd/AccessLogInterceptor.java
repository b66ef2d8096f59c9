package io.brain.server.etcd;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.brain.proto.etcd.RangeStreamResponse;
import io.brain.proto.etcd.ResponseHeader;
import io.brain.server.grpc.CallMetrics;
import io.brain.server.grpc.CallTrace;
import io.brain.server.grpc.IncomingCall;
import io.brain.server.logging.AccessLine;
import io.brain.server.logging.AccessLine.Event;
import io.brain.server.logging.AccessLine.Outcome;
import io.brain.server.logging.AccessLine.Subject;
import io.brain.server.logging.AccessLine.Traffic;
import io.brain.server.logging.AccessLog;
import io.brain.server.tls.CommonName;
import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.net.SocketAddress;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLSession;

/** Writes calls to the access log. */
final class AccessLogInterceptor extends ServerStreamTracer.Factory implements ServerInterceptor {
    private static final Context.Key<LoggedCall> KEY = Context.key("logged-call");

    /** Unknown methods have names of any length. */
    private static final int METHOD_CHARS_MAX = 256;

    private final AccessLog log;
    private final Set<String> streamMethods;

    /**
     * Creates the interceptor.
     *
     * @param streamMethods full names of the streaming methods
     */
    AccessLogInterceptor(AccessLog log, Set<String> streamMethods) {
        this.log = log;
        this.streamMethods = Set.copyOf(streamMethods);
    }

    @Override
    public ServerStreamTracer newServerStreamTracer(String fullMethodName, Metadata headers) {
        return new LoggedCall(fullMethodName);
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        LoggedCall logged = KEY.get();
        ServerCall<Q, R> observed =
                new SimpleForwardingServerCall<>(call) {
                    @Override
                    public void sendMessage(R response) {
                        logged.responded(response);
                        super.sendMessage(response);
                    }
                };
        return new SimpleForwardingServerCallListener<>(next.startCall(observed, headers)) {
            @Override
            public void onMessage(Q request) {
                logged.requested(request);
                super.onMessage(request);
            }
        };
    }

    /** A call. Requests and the end come on the connection's thread, responses on any thread. */
    private final class LoggedCall extends ServerStreamTracer {
        private final String method;
        private final boolean stream;
        private final long start = System.nanoTime();
        private final AtomicLong received = new AtomicLong();
        private final AtomicLong receivedBytes = new AtomicLong();
        private final AtomicLong sent = new AtomicLong();
        private final AtomicLong sentBytes = new AtomicLong();
        private volatile CallTrace trace;
        private volatile SocketAddress peer;
        private volatile String commonName;
        private volatile Subject subject = Subject.NONE;
        private volatile long revision;

        LoggedCall(String method) {
            this.method = method.substring(0, Math.min(method.length(), METHOD_CHARS_MAX));
            this.stream = streamMethods.contains(method);
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
                write(Event.OPEN, null);
            }
        }

        /** Keeps the subject of the stream's first request that has one. */
        private void requested(Object request) {
            if (subject.equals(Subject.NONE)
                    && request instanceof IncomingCall.Request<?> received) {
                subject = RequestSubjects.of(received.message());
            }
        }

        private void responded(Object response) {
            if (response instanceof EncodedRangeResponse range) {
                responded(range.head());
            } else if (response instanceof RangeStreamResponse chunk) {
                responded(chunk.getRangeResponse());
            } else if (response instanceof Message message) {
                FieldDescriptor field = message.getDescriptorForType().findFieldByName("header");
                if (field != null && message.getField(field) instanceof ResponseHeader header) {
                    revision = header.getRevision();
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
            Outcome outcome =
                    new Outcome(
                            CallMetrics.goName(CallMetrics.codeOf(status)),
                            TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - start),
                            revision,
                            new Traffic(received.get(), receivedBytes.get()),
                            new Traffic(sent.get(), sentBytes.get()));
            write(stream ? Event.CLOSE : Event.CALL, outcome);
        }

        private void write(Event event, Outcome outcome) {
            CallTrace known = trace;
            String id = known == null ? null : known.id();
            AccessLine.Call call = new AccessLine.Call(method, peer, commonName, id);
            log.write(new AccessLine(Instant.now(), event, call, subject, outcome));
        }
    }
}
