package io.brain.server.standby;

import com.google.protobuf.Message;
import io.brain.proto.election.ElectionGrpc;
import io.brain.proto.etcd.AlarmRequest;
import io.brain.proto.etcd.AuthGrpc;
import io.brain.proto.etcd.AuthUserListRequest;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.MemberListRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.StatusRequest;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.health.HealthGrpc;
import io.brain.proto.lock.LockGrpc;
import io.brain.server.grpc.IncomingCall.Request;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The services of a standby: calls that change something go to the source, linearizable reads wait
 * until this server has what the source had, everything else is handled here. If the source checks
 * callers, it answers all calls of KV, Watch, Lease, Auth, Lock and Election, with the clients'
 * tokens, and is asked about the others.
 */
public final class StandbyServices implements UnaryOperator<ServerServiceDefinition> {
    /** Methods whose calls change something, or depend on leases, which the source has. */
    private static final Map<String, Set<String>> PASSED =
            Map.of(
                    KVGrpc.SERVICE_NAME,
                    Set.of("Put", "DeleteRange", "Compact"),
                    LeaseGrpc.SERVICE_NAME,
                    Set.of("LeaseGrant", "LeaseRevoke", "LeaseTimeToLive", "LeaseLeases"),
                    LockGrpc.SERVICE_NAME,
                    Set.of("Lock", "Unlock"),
                    ElectionGrpc.SERVICE_NAME,
                    Set.of("Campaign", "Proclaim", "Leader", "Resign"));

    /** Calls that wait for other clients. */
    private static final Set<String> WAITING =
            Set.of(
                    LockGrpc.getLockMethod().getFullMethodName(),
                    ElectionGrpc.getCampaignMethod().getFullMethodName());

    /** Changes that no watch tells of. */
    private static final Set<String> REFUSED =
            Set.of(
                    "AuthEnable",
                    "AuthDisable",
                    "UserAdd",
                    "UserDelete",
                    "UserChangePassword",
                    "UserGrantRole",
                    "UserRevokeRole",
                    "RoleAdd",
                    "RoleDelete",
                    "RoleGrantPermission",
                    "RoleRevokePermission");

    private static final Status NO_USERS =
            Status.FAILED_PRECONDITION.withDescription(
                    "brain: users and roles cannot be changed before the cutover");

    private static final Status NO_ALARMS =
            Status.FAILED_PRECONDITION.withDescription(
                    "brain: alarms cannot be changed before the cutover");

    private static final Map<String, MethodType> PASSED_STREAMS =
            Map.of(
                    LeaseGrpc.getLeaseKeepAliveMethod().getFullMethodName(),
                    MethodType.BIDI_STREAMING,
                    ElectionGrpc.getObserveMethod().getFullMethodName(),
                    MethodType.SERVER_STREAMING);

    /** The source serves them, too, if it checks the caller. */
    private static final Map<String, MethodType> CHECKED_STREAMS =
            Map.of(
                    WatchGrpc.getWatchMethod().getFullMethodName(),
                    MethodType.BIDI_STREAMING,
                    KVGrpc.getRangeStreamMethod().getFullMethodName(),
                    MethodType.SERVER_STREAMING);

    private static final Set<String> READS =
            Set.of(
                    KVGrpc.getRangeMethod().getFullMethodName(),
                    KVGrpc.getRangeStreamMethod().getFullMethodName());

    private static final String TXN = KVGrpc.getTxnMethod().getFullMethodName();

    /** Needs the role root, and changes nothing. */
    private static final String USERS = AuthGrpc.getUserListMethod().getFullMethodName();

    private final Following following;
    private final Calls calls;
    private final ServerInterceptor access;

    /**
     * The services of a server that follows a source.
     *
     * @param access checks callers, after the cutover
     */
    public StandbyServices(Following following, ServerInterceptor access) {
        this.following = following;
        this.calls = following.calls();
        this.access = access;
    }

    @Override
    public ServerServiceDefinition apply(ServerServiceDefinition service) {
        ServerServiceDefinition checked = ServerInterceptors.intercept(service, access);
        if (service.getServiceDescriptor().getName().equals(HealthGrpc.SERVICE_NAME)) {
            return checked;
        }
        ServerServiceDefinition.Builder made =
                ServerServiceDefinition.builder(service.getServiceDescriptor().getName());
        for (ServerMethodDefinition<?, ?> method : service.getMethods()) {
            String name = method.getMethodDescriptor().getFullMethodName();
            made.addMethod(with(erased(method), erased(checked.getMethod(name))));
        }
        return made.build();
    }

    /**
     * A method.
     *
     * @param method without a check of the caller
     * @param checked the same with it
     */
    private ServerMethodDefinition<Request<Message>, Object> with(
            ServerMethodDefinition<Request<Message>, Object> method,
            ServerMethodDefinition<Request<Message>, Object> checked) {
        MethodDescriptor<?, ?> descriptor = method.getMethodDescriptor();
        ServerCallHandler<Request<Message>, Object> here = checked.getServerCallHandler();
        ServerCallHandler<Request<Message>, Object> asked =
                (call, headers) ->
                        (following.isOpen() ? here : method.getServerCallHandler())
                                .startCall(call, headers);
        String name = descriptor.getFullMethodName();
        return withHandler(
                method,
                (call, headers) -> {
                    if (following.isOpen()) {
                        return here.startCall(call, headers);
                    }
                    boolean guarded = following.isChecked();
                    MethodType stream = PASSED_STREAMS.get(name);
                    if (stream == null && guarded) {
                        stream = CHECKED_STREAMS.get(name);
                    }
                    if (stream != null) {
                        return calls.stream(call, headers, name, stream);
                    } else if (guarded && !isPassed(descriptor)) {
                        return new StandbyCall<>(
                                call, headers, asked, request -> ask(name, request, headers));
                    }
                    var decision = decision(descriptor, headers, guarded);
                    return decision == null
                            ? here.startCall(call, headers)
                            : new StandbyCall<>(call, headers, here, decision);
                });
    }

    /** True for the services whose calls the source answers if it checks the caller. */
    private static boolean isPassed(MethodDescriptor<?, ?> method) {
        String service = method.getServiceName();
        return PASSED.containsKey(service) || AuthGrpc.SERVICE_NAME.equals(service);
    }

    /** See {@link StandbyCall}; null: this server handles the call. */
    private Function<Message, CompletableFuture<byte[]>> decision(
            MethodDescriptor<?, ?> method, Metadata headers, boolean guarded) {
        String name = method.getFullMethodName();
        String service = method.getServiceName();
        String bare = method.getBareMethodName();
        if (AuthGrpc.SERVICE_NAME.equals(service) && REFUSED.contains(bare)) {
            return request -> CompletableFuture.failedFuture(NO_USERS.asRuntimeException());
        } else if (guarded || PASSED.getOrDefault(service, Set.of()).contains(bare)) {
            return request -> calls.pass(name, request, headers, WAITING.contains(name));
        } else if (READS.contains(name)) {
            return this::read;
        } else if (name.equals(TXN)) {
            return request -> txn(request, headers);
        }
        return null;
    }

    private CompletableFuture<byte[]> read(Message request) {
        boolean local = request instanceof RangeRequest range && range.getSerializable();
        return local ? CompletableFuture.completedFuture(null) : calls.confirm();
    }

    private CompletableFuture<byte[]> txn(Message request, Metadata headers) {
        TxnRequest txn = (TxnRequest) request;
        return writes(txn) ? calls.pass(TXN, request, headers, false) : calls.confirm();
    }

    /**
     * Asks the source whether it permits a call, which this server handles then: by the same call
     * if that changes nothing, and otherwise by one that needs the role root.
     */
    private CompletableFuture<byte[]> ask(String method, Message request, Metadata headers) {
        boolean change =
                request instanceof AlarmRequest alarm
                        && alarm.getAction() != AlarmRequest.AlarmAction.GET;
        if (change) {
            return CompletableFuture.failedFuture(NO_ALARMS.asRuntimeException());
        }
        boolean same =
                request instanceof StatusRequest
                        || request instanceof MemberListRequest
                        || request instanceof AlarmRequest;
        Message question = same ? request : AuthUserListRequest.getDefaultInstance();
        return calls.pass(same ? method : USERS, question, headers, false)
                .thenApply(permitted -> null);
    }

    private static boolean writes(TxnRequest txn) {
        return writes(txn.getSuccessList()) || writes(txn.getFailureList());
    }

    private static boolean writes(List<RequestOp> operations) {
        return operations.stream()
                .anyMatch(
                        one ->
                                one.hasRequestPut()
                                        || one.hasRequestDeleteRange()
                                        || (one.hasRequestTxn() && writes(one.getRequestTxn())));
    }

    private static ServerMethodDefinition<Request<Message>, Object> withHandler(
            ServerMethodDefinition<Request<Message>, Object> method,
            ServerCallHandler<Request<Message>, Object> handler) {
        MethodDescriptor<Request<Message>, Object> descriptor = method.getMethodDescriptor();
        Marshaller<Object> responses = new Either(descriptor.getResponseMarshaller());
        return ServerMethodDefinition.create(
                descriptor.toBuilder(descriptor.getRequestMarshaller(), responses).build(),
                handler);
    }

    /** All services are built of such methods; the type of a response is its marshaller's. */
    @SuppressWarnings("unchecked")
    private static ServerMethodDefinition<Request<Message>, Object> erased(
            ServerMethodDefinition<?, ?> method) {
        return (ServerMethodDefinition<Request<Message>, Object>) method;
    }

    /** Responses of this server, and the source's, which are sent as they are. */
    private record Either(Marshaller<Object> here) implements Marshaller<Object> {
        @Override
        public InputStream stream(Object response) {
            return response instanceof byte[] bytes
                    ? new ByteArrayInputStream(bytes)
                    : here.stream(response);
        }

        @Override
        public Object parse(InputStream stream) {
            return here.parse(stream);
        }
    }
}
