package io.brain.server.grpc;

import io.brain.backend.Backend;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.runtime.Scheduler;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the headers of calls as etcd does. Calls with a {@code client-api-version} that is not
 * UTF-8 fail. Calls with {@code hasleader} fail while there is no leader. Open streams fail only
 * after three election timeouts: clients that reopen watches and list again would burden the next
 * leader. Of several values the first counts.
 */
public final class HeaderInterceptor implements ServerInterceptor {
    private static final Logger LOG = LoggerFactory.getLogger(HeaderInterceptor.class);

    private static final Metadata.Key<String> HAS_LEADER =
            Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER);
    private static final int CHECKS_MAX = 3;

    private final Backend backend;
    private final Set<String> streamMethods;
    private final Set<IncomingCall<?, ?>> streams = ConcurrentHashMap.newKeySet();
    private final PeriodicCheck check;
    private int checksWithoutLeader;

    /**
     * Creates the interceptor; it must be the last one that sees a call.
     *
     * @param election maximum duration of an election
     * @param streamMethods full names of the streaming methods
     */
    public HeaderInterceptor(
            Backend backend, Scheduler scheduler, Duration election, Set<String> streamMethods) {
        this.backend = backend;
        this.streamMethods = Set.copyOf(streamMethods);
        this.check = new PeriodicCheck(scheduler, election, streams, this::check);
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        if (ClientVersion.of(headers) == null) {
            call.close(StatusMapper.INVALID_CLIENT_VERSION, new Metadata());
            return new ServerCall.Listener<>() {};
        }
        if (!requiresLeader(headers)) {
            return next.startCall(call, headers);
        }
        if (backend.status().leaderId() == 0) {
            call.close(StatusMapper.of(ErrorKind.NO_LEADER), new Metadata());
            return new ServerCall.Listener<>() {};
        }
        ServerCall.Listener<Q> started = next.startCall(call, headers);
        if (started instanceof IncomingCall<?, ?> stream
                && streamMethods.contains(call.getMethodDescriptor().getFullMethodName())) {
            streams.add(stream);
            check.start();
        }
        return started;
    }

    private static boolean requiresLeader(Metadata headers) {
        Iterable<String> values = headers.getAll(HAS_LEADER);
        return values != null && values.iterator().next().equals("true");
    }

    private void check() {
        streams.removeIf(IncomingCall::isClosed);
        checksWithoutLeader = backend.status().leaderId() == 0 ? checksWithoutLeader + 1 : 0;
        if (checksWithoutLeader >= CHECKS_MAX) {
            streams.forEach(this::close);
        }
        if (streams.isEmpty()) {
            checksWithoutLeader = 0; // no check follows
        }
    }

    private void close(IncomingCall<?, ?> stream) {
        streams.remove(stream);
        try {
            stream.close(StatusMapper.of(ErrorKind.NO_LEADER));
        } catch (RuntimeException failure) {
            LOG.warn("cannot close stream without leader error={}", failure.toString());
        }
    }
}
