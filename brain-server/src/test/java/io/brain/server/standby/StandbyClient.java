package io.brain.server.standby;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import io.brain.proto.etcd.AlarmRequest;
import io.brain.proto.etcd.AlarmType;
import io.brain.proto.etcd.AuthGrpc;
import io.brain.proto.etcd.AuthRoleAddRequest;
import io.brain.proto.etcd.AuthenticateRequest;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.HashKVRequest;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.LeaseKeepAliveRequest;
import io.brain.proto.etcd.LeaseKeepAliveResponse;
import io.brain.proto.etcd.LeaseLeasesRequest;
import io.brain.proto.etcd.LeaseRevokeRequest;
import io.brain.proto.etcd.LeaseStatus;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RangeResponse;
import io.brain.proto.etcd.WatchCreateRequest;
import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.etcd.WatchRequest;
import io.brain.proto.etcd.WatchResponse;
import io.brain.proto.lock.LockGrpc;
import io.brain.proto.lock.LockRequest;
import io.brain.proto.lock.LockResponse;
import io.brain.proto.migration.CutoverRequest;
import io.brain.proto.migration.CutoverResponse;
import io.brain.proto.migration.MigrationGrpc;
import io.brain.proto.migration.StatusRequest;
import io.brain.proto.migration.StatusResponse;
import io.brain.proto.mvcc.KeyValue;
import io.brain.server.BrainServer;
import io.brain.server.config.CommandLineReader;
import io.brain.transfer.mirror.SourceCluster;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A client of a server in a test. */
final class StandbyClient implements AutoCloseable {
    private static final ByteString ZERO = ByteString.copyFrom(new byte[1]);

    private final int port;
    private final ManagedChannel channel;

    StandbyClient(int port) {
        this(port, new Metadata());
    }

    private StandbyClient(int port, Metadata headers) {
        this.port = port;
        this.channel =
                NettyChannelBuilder.forAddress("127.0.0.1", port)
                        .usePlaintext()
                        .intercept(MetadataUtils.newAttachHeadersInterceptor(headers))
                        .build();
    }

    /** Another client of the server, with a user's token. */
    StandbyClient withToken(String token) {
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER), token);
        return new StandbyClient(port, headers);
    }

    AuthGrpc.AuthBlockingStub auth() {
        return AuthGrpc.newBlockingStub(channel).withDeadlineAfter(30, TimeUnit.SECONDS);
    }

    String authenticate(String user, String password) {
        AuthenticateRequest request =
                AuthenticateRequest.newBuilder().setName(user).setPassword(password).build();
        return auth().authenticate(request).getToken();
    }

    /** True if a read without a user is refused. */
    boolean denies(String key) {
        try {
            return serializable(key).getCount() < 0;
        } catch (StatusRuntimeException refused) {
            return refused.getMessage().contains("user name is empty");
        }
    }

    void disarm() {
        AlarmRequest request =
                AlarmRequest.newBuilder()
                        .setAction(AlarmRequest.AlarmAction.DEACTIVATE)
                        .setAlarm(AlarmType.NOSPACE)
                        .build();
        var unused = MaintenanceGrpc.newBlockingStub(channel).alarm(request);
    }

    /** Starts a server on RocksDB. */
    static BrainServer server(Path data, String... flags) throws Exception {
        List<String> all =
                new ArrayList<>(
                        List.of(
                                "--data-dir=" + data,
                                "--listen-client-urls=http://127.0.0.1:0",
                                "--listen-metrics-urls=http://127.0.0.1:0",
                                "--advertise-client-urls=http://127.0.0.1:2379"));
        all.addAll(List.of(flags));
        return BrainServer.start(CommandLineReader.read(all, Map.of()).config());
    }

    String url() {
        return "http://127.0.0.1:" + port;
    }

    KVGrpc.KVBlockingStub kv() {
        return KVGrpc.newBlockingStub(channel).withDeadlineAfter(30, TimeUnit.SECONDS);
    }

    LeaseGrpc.LeaseBlockingStub lease() {
        return LeaseGrpc.newBlockingStub(channel).withDeadlineAfter(30, TimeUnit.SECONDS);
    }

    private MigrationGrpc.MigrationBlockingStub migration() {
        return MigrationGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
    }

    StatusResponse status() {
        return migration().status(StatusRequest.getDefaultInstance());
    }

    CutoverResponse cutover() {
        return migration().cutover(CutoverRequest.getDefaultInstance());
    }

    /** The revision of the change. */
    long put(String key, String value) {
        return put(key, value, 0);
    }

    void putLeased(String key, long lease) {
        var unused = put(key, "leased", lease);
    }

    private long put(String key, String value, long lease) {
        PutRequest put =
                PutRequest.newBuilder()
                        .setKey(ByteString.copyFromUtf8(key))
                        .setValue(ByteString.copyFromUtf8(value))
                        .setLease(lease)
                        .build();
        return kv().put(put).getHeader().getRevision();
    }

    void delete(String key) {
        DeleteRangeRequest delete =
                DeleteRangeRequest.newBuilder().setKey(ByteString.copyFromUtf8(key)).build();
        var unused = kv().deleteRange(delete);
    }

    KeyValue get(String key) {
        return kv().range(range(key).build()).getKvs(0);
    }

    long count(String key) {
        return kv().range(range(key).build()).getCount();
    }

    RangeResponse serializable(String key) {
        return kv().range(range(key).setSerializable(true).build());
    }

    private static RangeRequest.Builder range(String key) {
        return RangeRequest.newBuilder().setKey(ByteString.copyFromUtf8(key));
    }

    /** HashKV of the newest revision. */
    int hash() {
        var unused = kv().range(range("any").build());
        return MaintenanceGrpc.newBlockingStub(channel)
                .hashKV(HashKVRequest.getDefaultInstance())
                .getHash();
    }

    long grant(long ttl) {
        return lease().leaseGrant(LeaseGrantRequest.newBuilder().setTTL(ttl).build()).getID();
    }

    List<Long> leases() {
        return lease().leaseLeases(LeaseLeasesRequest.getDefaultInstance()).getLeasesList().stream()
                .map(LeaseStatus::getID)
                .toList();
    }

    void revoke(long lease) {
        var unused = lease().leaseRevoke(LeaseRevokeRequest.newBuilder().setID(lease).build());
    }

    void addRole(String name) {
        AuthRoleAddRequest request = AuthRoleAddRequest.newBuilder().setName(name).build();
        var unused = auth().roleAdd(request);
    }

    ListenableFuture<LockResponse> lock(String name, long lease) {
        LockRequest request =
                LockRequest.newBuilder()
                        .setName(ByteString.copyFromUtf8(name))
                        .setLease(lease)
                        .build();
        return LockGrpc.newFutureStub(channel)
                .withDeadlineAfter(60, TimeUnit.SECONDS)
                .lock(request);
    }

    long countPrefix(String prefix) {
        ByteString end = ByteString.copyFromUtf8(prefix + (char) 127);
        return kv().range(range(prefix).setRangeEnd(end).build()).getCount();
    }

    long memberId() {
        return kv().range(range("any").build()).getHeader().getMemberId();
    }

    /** Fences this server as a standby with that member ID does. */
    void fence(long standby) throws IOException {
        new SourceCluster("source", channel, Long.hashCode(standby)).fence();
    }

    /** The TTL after a keep-alive. */
    long keepAlive(long lease) throws InterruptedException {
        Answers<LeaseKeepAliveResponse> answers = new Answers<>();
        var requests = LeaseGrpc.newStub(channel).leaseKeepAlive(answers);
        requests.onNext(LeaseKeepAliveRequest.newBuilder().setID(lease).build());
        long ttl = answers.next().getTTL();
        requests.onCompleted();
        return ttl;
    }

    /** A watch of all keys. */
    Watch watch(long revision) throws InterruptedException {
        Answers<WatchResponse> answers = new Answers<>();
        StreamObserver<WatchRequest> requests = WatchGrpc.newStub(channel).watch(answers);
        WatchCreateRequest create =
                WatchCreateRequest.newBuilder()
                        .setKey(ZERO)
                        .setRangeEnd(ZERO)
                        .setStartRevision(revision)
                        .build();
        requests.onNext(WatchRequest.newBuilder().setCreateRequest(create).build());
        WatchResponse created = answers.next();
        if (created.getCanceled()) {
            throw new IllegalStateException(created.getCancelReason());
        }
        return new Watch(requests, answers);
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }

    record Watch(StreamObserver<WatchRequest> requests, Answers<WatchResponse> answers)
            implements AutoCloseable {
        WatchResponse next() throws InterruptedException {
            return answers.next();
        }

        @Override
        public void close() {
            requests.onCompleted();
        }
    }

    static final class Answers<T> implements StreamObserver<T> {
        private final BlockingQueue<Object> received = new LinkedBlockingQueue<>();

        @SuppressWarnings("unchecked") // everything else is a failure
        T next() throws InterruptedException {
            Object next = received.poll(30, TimeUnit.SECONDS);
            if (next == null || next instanceof Throwable) {
                throw new AssertionError("no response: " + next);
            }
            return (T) next;
        }

        @Override
        public void onNext(T response) {
            received.add(response);
        }

        @Override
        public void onError(Throwable failure) {
            received.add(failure);
        }

        @Override
        public void onCompleted() {}
    }
}
