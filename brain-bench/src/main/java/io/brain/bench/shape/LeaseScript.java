package io.brain.bench.shape;

import static io.brain.bench.shape.KvScripts.require;

import com.google.protobuf.ByteString;
import io.brain.bench.load.Script;
import io.brain.bench.load.UnexpectedAnswerException;
import io.brain.bench.wire.Answer;
import io.brain.bench.wire.KeySpace;
import io.brain.bench.wire.Rpc;
import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.LeaseKeepAliveRequest;
import io.brain.proto.etcd.LeaseRevokeRequest;
import io.brain.proto.etcd.PutRequest;

/** One operation: grants a lease, puts a key with it, keeps it alive, and revokes it. */
final class LeaseScript implements Script {

    private static final int TTL_SECONDS = 60;

    private static final byte[] GRANT =
            LeaseGrantRequest.newBuilder().setTTL(TTL_SECONDS).build().toByteArray();

    private final KeySpace keys;
    private final KvScripts.Numbers numbers;
    private final byte[] value;
    private Rpc last;
    private long lease;

    LeaseScript(KeySpace keys, KvScripts.Numbers numbers, byte[] value) {
        this.keys = keys;
        this.numbers = numbers;
        this.value = value;
    }

    @Override
    public Request begin() {
        return next(Rpc.LEASE_GRANT, GRANT);
    }

    @Override
    public Request proceed(Answer answer) throws UnexpectedAnswerException {
        switch (last) {
            case LEASE_GRANT -> {
                lease = answer.leaseId();
                require(lease != 0, "no lease granted");
                return next(Rpc.PUT, put());
            }
            case PUT -> {
                LeaseKeepAliveRequest keep =
                        LeaseKeepAliveRequest.newBuilder().setID(lease).build();
                return next(Rpc.LEASE_KEEP_ALIVE, keep.toByteArray());
            }
            case LEASE_KEEP_ALIVE -> {
                require(answer.ttl() > 0, "a lease does not exist");
                LeaseRevokeRequest revoke = LeaseRevokeRequest.newBuilder().setID(lease).build();
                return next(Rpc.LEASE_REVOKE, revoke.toByteArray());
            }
            default -> {
                return null;
            }
        }
    }

    private byte[] put() {
        return PutRequest.newBuilder()
                .setKey(ByteString.copyFrom(keys.key(numbers.take())))
                .setValue(ByteString.copyFrom(value))
                .setLease(lease)
                .build()
                .toByteArray();
    }

    private Request next(Rpc rpc, byte[] body) {
        last = rpc;
        return new Request(rpc, body);
    }
}
