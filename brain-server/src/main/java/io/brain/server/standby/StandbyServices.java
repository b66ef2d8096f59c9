package io.brain.server.standby;

import com.google.protobuf.Message;
import io.brain.proto.election.ElectionGrpc;
import io.brain.proto.etcd.AuthGrpc;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.lock.LockGrpc;
import io.brain.server.grpc.IncomingCall.Request;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCallHandler;
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
 * until this server has what the source had, everything else is handled here.
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

    private static final Map<String, MethodType> PASSED_STREAMS =
            Map.of(
                    LeaseGrpc.getLeaseKeepAliveMethod().getFullMethodName(),
                    MethodType.BIDI_STREAMING,
                    ElectionGrpc.getObserveMethod().getFullMethodName(),
                    MethodType.SERVER_STREAMING);

    private static final Set<String> READS =
            Set.of(
                    KVGrpc.getRangeMethod().getFullMethodName(),
                    KVGrpc.getRangeStreamMethod().getFullMethodName());

    private static final String TXN = KVGrpc.getTxnMethod().getFullMethodName();

    private final Following following;
    private final Calls calls;

    /** The services of a server that follows a source. */
    public StandbyServices(Following following) {
        this.following = following;
        this.calls = following.calls();
    }

    @Override
    public ServerServiceDefinition apply(ServerServiceDefinition service) {
        ServerServiceDefinition.Builder made =
                ServerServiceDefinition.builder(service.getServiceDescriptor().getName());
        service.getMethods().forEach(method -> made.addMethod(with(method)));
        return made.build();
    }

    private ServerMethodDefinition<?, ?> with(ServerMethodDefinition<?, ?> method) {
        MethodDescriptor<?, ?> descriptor = method.getMethodDescriptor();
        String name = descriptor.getFullMethodName();
        Set<String> passed = PASSED.getOrDefault(descriptor.getServiceName(), Set.of());
        if (PASSED_STREAMS.containsKey(name)) {
            return stream(erased(method), PASSED_STREAMS.get(name));
        } else if (passed.contains(descriptor.getBareMethodName())) {
            return decided(
                    erased(method), request -> calls.pass(name, request, WAITING.contains(name)));
        } else if (descriptor.getServiceName().equals(AuthGrpc.SERVICE_NAME)
                && REFUSED.contains(descriptor.getBareMethodName())) {
            return decided(
                    erased(method),
                    request -> CompletableFuture.failedFuture(NO_USERS.asRuntimeException()));
        } else if (READS.contains(name)) {
            return decided(erased(method), StandbyServices.this::read);
        } else if (name.equals(TXN)) {
            return decided(erased(method), StandbyServices.this::txn);
        }
        return method;
    }

    private CompletableFuture<byte[]> read(Message request) {
        boolean local = request instanceof RangeRequest range && range.getSerializable();
        return local ? CompletableFuture.completedFuture(null) : calls.confirm();
    }

    private CompletableFuture<byte[]> txn(Message request) {
        TxnRequest txn = (TxnRequest) request;
        return writes(txn) ? calls.pass(TXN, request, false) : calls.confirm();
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

    private ServerMethodDefinition<Request<Message>, Object> decided(
            ServerMethodDefinition<Request<Message>, Object> method,
            Function<Message, CompletableFuture<byte[]>> decision) {
        ServerCallHandler<Request<Message>, Object> here = method.getServerCallHandler();
        return withHandler(
                method,
                (call, headers) ->
                        following.isOpen()
                                ? here.startCall(call, headers)
                                : new StandbyCall<>(call, headers, here, decision));
    }

    private ServerMethodDefinition<Request<Message>, Object> stream(
            ServerMethodDefinition<Request<Message>, Object> method, MethodType type) {
        String name = method.getMethodDescriptor().getFullMethodName();
        ServerCallHandler<Request<Message>, Object> here = method.getServerCallHandler();
        return withHandler(
                method,
                (call, headers) ->
                        following.isOpen()
                                ? here.startCall(call, headers)
                                : calls.stream(call, name, type));
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
