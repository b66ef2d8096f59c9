package io.brain.conformance.cluster;

import com.google.protobuf.ByteString;
import io.brain.conformance.linear.Keys;
import io.etcd.jetcd.api.AuthEnableRequest;
import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthUserAddRequest;
import io.etcd.jetcd.api.AuthUserGrantRoleRequest;
import io.etcd.jetcd.api.AuthenticateRequest;
import io.etcd.jetcd.api.CompactionRequest;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.DeleteRangeResponse;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.PutResponse;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * One connection to a server and its plain unary calls: nothing is retried or hidden. The wire API
 * is jetcd's description of it, so that a mistake in our own cannot agree with itself.
 *
 * <p>Every call throws {@link io.grpc.StatusRuntimeException} when it fails or takes longer than
 * the deadline. Thread-safe.
 */
public final class EtcdClient implements AutoCloseable {

    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private final ManagedChannel channel;

    /**
     * @param target HOST:PORT
     */
    public EtcdClient(String target) {
        this(target, new Metadata());
    }

    private EtcdClient(String target, Metadata headers) {
        this.channel =
                NettyChannelBuilder.forTarget(target)
                        .usePlaintext()
                        .maxInboundMessageSize(Integer.MAX_VALUE)
                        .intercept(MetadataUtils.newAttachHeadersInterceptor(headers))
                        .build();
    }

    /** A client that sends a token with every call. */
    public static EtcdClient withToken(String target, String token) {
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER), token);
        return new EtcdClient(target, headers);
    }

    /** For calls that this class has no word for. */
    public ManagedChannel channel() {
        return channel;
    }

    public AuthGrpc.AuthBlockingStub auth() {
        return AuthGrpc.newBlockingStub(channel)
                .withDeadlineAfter(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }

    /** Makes root with this password, and turns authentication on. */
    public void enableAuth(String password) {
        var root = AuthUserAddRequest.newBuilder().setName("root").setPassword(password).build();
        var unusedUser = auth().userAdd(root);
        var role = AuthUserGrantRoleRequest.newBuilder().setUser("root").setRole("root").build();
        var unusedGrant = auth().userGrantRole(role);
        var unused = auth().authEnable(AuthEnableRequest.getDefaultInstance());
    }

    /** Signs in and returns the token. */
    public String authenticate(String user, String password) {
        return auth().authenticate(
                        AuthenticateRequest.newBuilder()
                                .setName(user)
                                .setPassword(password)
                                .build())
                .getToken();
    }

    public KVGrpc.KVBlockingStub kv() {
        return KVGrpc.newBlockingStub(channel)
                .withDeadlineAfter(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }

    public LeaseGrpc.LeaseBlockingStub lease() {
        return LeaseGrpc.newBlockingStub(channel)
                .withDeadlineAfter(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }

    public PutResponse put(ByteString key, ByteString value) {
        return kv().put(PutRequest.newBuilder().setKey(key).setValue(value).build());
    }

    /** Deletes [key, end), or the one key for an empty end. */
    public DeleteRangeResponse delete(ByteString key, ByteString end) {
        return kv().deleteRange(
                        DeleteRangeRequest.newBuilder().setKey(key).setRangeEnd(end).build());
    }

    public TxnResponse txn(TxnRequest request) {
        return kv().txn(request);
    }

    public RangeResponse range(RangeRequest request) {
        return kv().range(request);
    }

    /** Every key that lives at the newest revision. */
    public RangeResponse all() {
        return range(RangeRequest.newBuilder().setKey(Keys.ZERO).setRangeEnd(Keys.ZERO).build());
    }

    /** Every key that lives at this revision. */
    public RangeResponse allAt(long revision) {
        return range(
                RangeRequest.newBuilder()
                        .setKey(Keys.ZERO)
                        .setRangeEnd(Keys.ZERO)
                        .setRevision(revision)
                        .build());
    }

    /** The newest revision, by a linearizable read. */
    public long revision() {
        return range(RangeRequest.newBuilder().setKey(Keys.ZERO).setCountOnly(true).build())
                .getHeader()
                .getRevision();
    }

    /** The id of the member that answers. */
    public long memberId() {
        return range(RangeRequest.newBuilder().setKey(Keys.ZERO).setCountOnly(true).build())
                .getHeader()
                .getMemberId();
    }

    /** Starts a compaction and returns when it is scheduled. */
    public void compact(long revision) {
        var unused = kv().compact(CompactionRequest.newBuilder().setRevision(revision).build());
    }

    /** Grants a lease whose id the server chooses. */
    public long grant(Duration ttl) {
        return lease().leaseGrant(LeaseGrantRequest.newBuilder().setTTL(ttl.toSeconds()).build())
                .getID();
    }

    /** Revokes a lease and returns the revision after it. */
    public long revoke(long id) {
        return lease().leaseRevoke(LeaseRevokeRequest.newBuilder().setID(id).build())
                .getHeader()
                .getRevision();
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
