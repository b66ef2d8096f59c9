package io.brain.server.etcd;

import io.brain.backend.Backend;
import io.brain.backend.runtime.Scheduler;
import io.brain.proto.election.ElectionGrpc;
import io.brain.proto.etcd.AuthGrpc;
import io.brain.proto.etcd.ClusterGrpc;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.health.HealthGrpc;
import io.brain.proto.lock.LockGrpc;
import io.brain.proto.migration.MigrationGrpc;
import io.brain.proto.placement.PlacementGrpc;
import io.brain.server.auth.AccessInterceptor;
import io.brain.server.auth.Authentication;
import io.brain.server.auth.Callers;
import io.brain.server.config.BrainConfig;
import io.brain.server.grpc.CallLimits;
import io.brain.server.grpc.CallMetrics;
import io.brain.server.grpc.CallTrace;
import io.brain.server.grpc.HeaderInterceptor;
import io.brain.server.grpc.LocalServices;
import io.brain.server.grpc.ServiceBuilder;
import io.brain.server.grpc.StallGuard;
import io.brain.server.grpc.StatusMapper;
import io.brain.server.grpc.UnknownMethods;
import io.brain.server.lock.ElectionService;
import io.brain.server.lock.LockService;
import io.brain.server.logging.AccessLog;
import io.brain.server.logging.SlowLog;
import io.brain.server.metrics.MetricsSource;
import io.brain.server.placement.PlacementService;
import io.brain.server.standby.Following;
import io.brain.server.standby.MigrationService;
import io.brain.server.standby.StandbyServices;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerBuilder;
import io.grpc.ServerInterceptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServerStreamTracer;
import io.grpc.ServiceDescriptor;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All gRPC services for clients. */
public final class EtcdServices {
    private static final List<ServiceDescriptor> DESCRIPTORS =
            List.of(
                    KVGrpc.getServiceDescriptor(),
                    WatchGrpc.getServiceDescriptor(),
                    LeaseGrpc.getServiceDescriptor(),
                    ClusterGrpc.getServiceDescriptor(),
                    MaintenanceGrpc.getServiceDescriptor(),
                    AuthGrpc.getServiceDescriptor(),
                    LockGrpc.getServiceDescriptor(),
                    ElectionGrpc.getServiceDescriptor(),
                    HealthGrpc.getServiceDescriptor(),
                    MigrationGrpc.getServiceDescriptor(),
                    PlacementGrpc.getServiceDescriptor());

    private static final Set<String> WAITING_METHODS =
            Set.of(
                    LockGrpc.getLockMethod().getFullMethodName(),
                    ElectionGrpc.getCampaignMethod().getFullMethodName());

    /** Transactions nest at most as deep as the limit of operations; a level is two messages. */
    private static final int NESTING_MAX = 300;

    private final List<ServerServiceDefinition> services;
    private final Callers callers;

    /** Null if the services themselves check their callers. */
    private final AccessInterceptor caller;

    private final HeaderInterceptor headers;
    private final CallLimits limits;
    private final CallMetrics metrics;

    /** Null if tracing is off. */
    private final CallTrace.Interceptor traces;

    /** Null without an access log. */
    private final AccessLogInterceptor access;

    /**
     * Creates the services.
     *
     * @param scheduler for time limits of calls
     * @param authentication tokens and passwords
     * @param capacity maximum bytes of the store; negative if unknown
     * @param accessLog null: no access log
     * @param following null: the server follows no cluster
     */
    public EtcdServices(
            Backend backend,
            Scheduler scheduler,
            BrainConfig config,
            Authentication authentication,
            Snapshots snapshots,
            LongSupplier capacity,
            AccessLog accessLog,
            Following following,
            PlacementService placement) {
        BrainConfig.Calls calls = config.log().calls();
        Set<String> streams = streamMethods();
        this.metrics =
                new CallMetrics(
                        DESCRIPTORS, WAITING_METHODS, new SlowLog(calls.slow()), calls.traced());
        this.traces = calls.traced() ? new CallTrace.Interceptor() : null;
        this.access = accessLog == null ? null : new AccessLogInterceptor(accessLog, streams);
        this.headers =
                new HeaderInterceptor(backend, scheduler, config.cluster().leaderLease(), streams);
        this.callers =
                new Callers(backend::auth, authentication.tokens(), authentication.commonNames());
        AccessInterceptor check = new AccessInterceptor(callers);
        this.caller = following == null ? check : null;
        this.limits = new CallLimits(scheduler);
        Responses responses = new Responses(backend);
        StallGuard stalls = new StallGuard(scheduler);
        RequestTranslator translator = new RequestTranslator(config.limits().txnOpsMax());
        int requestMax = config.limits().requestBytesMax();
        int messageMax = config.limits().messageBytesMax();
        ServiceBuilder.Limits messages = new ServiceBuilder.Limits(messageMax, NESTING_MAX);
        Function<String, ServiceBuilder> named = name -> new ServiceBuilder(name, messages, stalls);
        WatchResponses watchResponses = new WatchResponses(responses, messageMax);
        List<ServerServiceDefinition> own =
                List.of(
                        new KvService(backend, responses, translator, stalls, requestMax)
                                .define(named.apply(KVGrpc.SERVICE_NAME)),
                        new WatchService(backend, translator, watchResponses)
                                .define(named.apply(WatchGrpc.SERVICE_NAME)),
                        new LeaseService(backend, responses)
                                .define(named.apply(LeaseGrpc.SERVICE_NAME)),
                        new ClusterService(backend, responses, config.cluster().strictAdd())
                                .define(named.apply(ClusterGrpc.SERVICE_NAME)),
                        new MaintenanceService(backend, responses, snapshots, capacity)
                                .define(named.apply(MaintenanceGrpc.SERVICE_NAME)),
                        new AuthService(backend, responses, authentication)
                                .define(named.apply(AuthGrpc.SERVICE_NAME)),
                        new LockService(backend, responses::header)
                                .define(named.apply(LockGrpc.SERVICE_NAME)),
                        new ElectionService(backend, responses::header)
                                .define(named.apply(ElectionGrpc.SERVICE_NAME)),
                        new HealthService().define(named.apply(HealthGrpc.SERVICE_NAME)),
                        new MigrationService(following)
                                .define(named.apply(MigrationGrpc.SERVICE_NAME)),
                        placement.define(named.apply(PlacementGrpc.SERVICE_NAME)));
        this.services =
                following == null
                        ? own
                        : own.stream().map(new StandbyServices(following, check)).toList();
    }

    /** Adds services, interceptors and tracers to a gRPC server. */
    public void addTo(ServerBuilder<?> server) {
        services.forEach(server::addService);
        server.fallbackHandlerRegistry(
                new UnknownMethods(
                        DESCRIPTORS.stream()
                                .map(ServiceDescriptor::getName)
                                .collect(Collectors.toSet())));
        interceptors().forEach(server::intercept);
        tracers().forEach(server::addStreamTracerFactory);
    }

    /** The services for calls from this process, with the same interceptors and tracers. */
    public LocalServices local() {
        return new LocalServices(services, interceptors(), tracers());
    }

    /** True while calls are checked and a client certificate names a user. */
    public boolean certificatesName() {
        return callers.certificatesName();
    }

    /** The descriptors of all services. */
    public static List<ServiceDescriptor> descriptors() {
        return DESCRIPTORS;
    }

    /** In reverse order: the last one sees a call first. */
    private List<ServerInterceptor> interceptors() {
        return Stream.of(headers, caller, limits, traces, access)
                .filter(Objects::nonNull)
                .<ServerInterceptor>map(one -> one)
                .toList();
    }

    private List<ServerStreamTracer.Factory> tracers() {
        return Stream.of(traces, metrics, limits, access)
                .filter(Objects::nonNull)
                .<ServerStreamTracer.Factory>map(one -> one)
                .toList();
    }

    /** Metrics of calls. */
    public MetricsSource metrics() {
        return metrics;
    }

    /** Number of running unary calls. */
    public long pendingUnary() {
        return metrics.pendingUnary();
    }

    /** etcd's error text for a failure of the backend. */
    public static String describe(Throwable failure) {
        return StatusMapper.of(failure).getDescription();
    }

    private static Set<String> streamMethods() {
        return DESCRIPTORS.stream()
                .flatMap(service -> service.getMethods().stream())
                .filter(method -> method.getType() != MethodType.UNARY)
                .map(MethodDescriptor::getFullMethodName)
                .collect(Collectors.toSet());
    }
}
