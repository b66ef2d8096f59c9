package io.brain.server.etcd;

import io.brain.backend.Backend;
import io.brain.backend.runtime.Scheduler;
import io.brain.proto.etcd.AuthGrpc;
import io.brain.proto.etcd.ClusterGrpc;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.health.HealthGrpc;
import io.brain.server.config.BrainConfig;
import io.brain.server.logging.AccessLog;
import io.brain.server.logging.SlowLog;
import io.brain.server.metrics.MetricsSource;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerBuilder;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** All gRPC services of a server. */
public final class EtcdServices {
    private static final List<ServiceDescriptor> DESCRIPTORS =
            List.of(
                    KVGrpc.getServiceDescriptor(),
                    WatchGrpc.getServiceDescriptor(),
                    LeaseGrpc.getServiceDescriptor(),
                    ClusterGrpc.getServiceDescriptor(),
                    MaintenanceGrpc.getServiceDescriptor(),
                    AuthGrpc.getServiceDescriptor(),
                    HealthGrpc.getServiceDescriptor());

    /** A call is open until its answer was taken; meanwhile it needs about so much of the heap. */
    private static final int CALL_BYTES = 16 << 10;

    /** Requests that have not arrived completely may have this part of the heap's size. */
    private static final int UNFINISHED_SHARE = 8;

    private final List<ServerServiceDefinition> services;
    private final RequireLeader requireLeader;
    private final OpenCalls open;
    private final CallMetrics metrics;

    /** Null if traces are not asked for. */
    private final CallTrace.Finder traces;

    /** Null if there is no access log. */
    private final AccessCalls access;

    /**
     * Services on a backend.
     *
     * @param scheduler for time limits on clients that do not read
     * @param capacity bytes that the store could grow to; negative where that is not known
     * @param access is told of all calls; null if there is no such log
     */
    public EtcdServices(
            Backend backend,
            Scheduler scheduler,
            BrainConfig config,
            LongSupplier capacity,
            AccessLog access) {
        BrainConfig.Calls calls = config.log().calls();
        this.metrics = new CallMetrics(DESCRIPTORS, new SlowLog(calls.slow()), calls.traced());
        this.traces = calls.traced() ? new CallTrace.Finder() : null;
        this.access = access == null ? null : new AccessCalls(access, streams());
        this.requireLeader =
                new RequireLeader(backend, scheduler, config.cluster().leaderLease(), streams());
        this.open =
                new OpenCalls(
                        callsMax(), Runtime.getRuntime().maxMemory() / UNFINISHED_SHARE, scheduler);
        Headers headers = new Headers(backend);
        StallGuard stalls = new StallGuard(scheduler);
        RequestTranslator translator = new RequestTranslator(config.limits().txnOpsMax());
        int requestMax = config.limits().requestBytesMax();
        int messageMax = config.limits().messageBytesMax();
        Function<String, ServiceBuilder> named =
                name -> new ServiceBuilder(name, messageMax, stalls);
        WatchResponses watchResponses = new WatchResponses(headers, messageMax);
        this.services =
                List.of(
                        new KvService(backend, headers, translator, stalls, requestMax)
                                .define(named.apply(KVGrpc.SERVICE_NAME)),
                        new WatchHandler(backend, translator, watchResponses)
                                .define(named.apply(WatchGrpc.SERVICE_NAME)),
                        new LeaseService(backend, headers)
                                .define(named.apply(LeaseGrpc.SERVICE_NAME)),
                        new ClusterService(backend, headers)
                                .define(named.apply(ClusterGrpc.SERVICE_NAME)),
                        new MaintenanceService(backend, headers, capacity)
                                .define(named.apply(MaintenanceGrpc.SERVICE_NAME)),
                        new AuthService(headers).define(named.apply(AuthGrpc.SERVICE_NAME)),
                        new HealthService().define(named.apply(HealthGrpc.SERVICE_NAME)));
    }

    /** Adds everything to a gRPC server. */
    public void addTo(ServerBuilder<?> server) {
        services.forEach(server::addService);
        server.fallbackHandlerRegistry(
                new UnknownMethods(
                        DESCRIPTORS.stream()
                                .map(ServiceDescriptor::getName)
                                .collect(Collectors.toSet())));
        server.intercept(requireLeader);
        server.intercept(open); // the last one added is the first one asked
        if (traces != null) {
            server.intercept(traces);
            server.addStreamTracerFactory(traces); // those that follow find what it found
        }
        server.addStreamTracerFactory(metrics);
        server.addStreamTracerFactory(open);
        if (access != null) {
            server.intercept(access);
            server.addStreamTracerFactory(access);
        }
    }

    /** Calls that may be open at a time, streams included. */
    public static int callsMax() {
        return (int) Math.min(Runtime.getRuntime().maxMemory() / CALL_BYTES, Integer.MAX_VALUE);
    }

    /** Counts of calls. */
    public MetricsSource metrics() {
        return metrics;
    }

    /** Unary calls that have begun and not ended. */
    public long pendingUnary() {
        return metrics.pendingUnary();
    }

    /** etcd's words for a failure of the backend. */
    public static String describe(Throwable failure) {
        return StatusMapper.of(failure).getDescription();
    }

    /** Full names of the methods whose calls stay open. */
    private static Set<String> streams() {
        return DESCRIPTORS.stream()
                .flatMap(service -> service.getMethods().stream())
                .filter(method -> method.getType() != MethodType.UNARY)
                .map(MethodDescriptor::getFullMethodName)
                .collect(Collectors.toSet());
    }
}
