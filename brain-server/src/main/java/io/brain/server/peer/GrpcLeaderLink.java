package io.brain.server.peer;

import io.brain.backend.lease.GrantedLease;
import io.brain.backend.lease.LeaseTimes;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.Txn;
import io.brain.backend.peer.LeaderLink;
import io.brain.backend.peer.RaisedAlarms;
import io.brain.backend.peer.TailSink;
import io.brain.backend.read.Reply;
import io.brain.backend.read.Reservation;
import io.brain.backend.revision.ReadPoint;
import io.brain.proto.peer.Changed;
import io.brain.proto.peer.CompactCall;
import io.brain.proto.peer.GrantLeaseCall;
import io.brain.proto.peer.LeaseId;
import io.brain.proto.peer.LeaseIds;
import io.brain.proto.peer.LeaseTimesAnswer;
import io.brain.proto.peer.LeaseTimesCall;
import io.brain.proto.peer.Nothing;
import io.brain.proto.peer.ReadPointAnswer;
import io.brain.proto.peer.Revision;
import io.brain.proto.peer.TxnCall;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A way to the leader over gRPC. Futures are completed by the transport's threads. Calls have a
 * connection of their own, so that a stream that is not read does not keep answers from coming.
 */
final class GrpcLeaderLink implements LeaderLink {
    private final PeerRoute calls;
    private final PeerRoute tail;
    private final RttProbe roundTrips;
    private final Duration timeout;

    /**
     * A way to the leader; what it is made of is closed with it.
     *
     * @param timeout of a call
     */
    GrpcLeaderLink(PeerRoute calls, PeerRoute tail, RttProbe roundTrips, Duration timeout) {
        this.roundTrips = roundTrips;
        this.calls = calls;
        this.tail = tail;
        this.timeout = timeout;
    }

    @Override
    public CompletableFuture<Reply<OpResult.Txn>> txn(Txn txn, int wireBytes) {
        TxnCall request =
                TxnCall.newBuilder().setTxn(TxnCodec.encode(txn)).setWireBytes(wireBytes).build();
        return call(
                PeerMethods.TXN,
                request,
                answer -> new Reply<>(ResultCodec.decode(answer), Reservation.NONE));
    }

    /** As in etcd, who waits for a physical one waits for as long as it takes. */
    @Override
    public CompletableFuture<Long> compact(long revision, boolean physical) {
        CompactCall request =
                CompactCall.newBuilder().setRevision(revision).setPhysical(physical).build();
        Deadline deadline = physical ? null : deadline();
        return new OutgoingCall<>(
                        calls, PeerMethods.COMPACT, request, Revision::getRevision, deadline)
                .start();
    }

    @Override
    public CompletableFuture<GrantedLease> grantLease(long id, long ttl) {
        GrantLeaseCall request = GrantLeaseCall.newBuilder().setId(id).setTtl(ttl).build();
        return call(PeerMethods.GRANT_LEASE, request, GrpcLeaderLink::granted);
    }

    @Override
    public CompletableFuture<Long> revokeLease(long id) {
        return call(PeerMethods.REVOKE_LEASE, lease(id), Revision::getRevision);
    }

    @Override
    public CompletableFuture<GrantedLease> keepLeaseAlive(long id) {
        return call(PeerMethods.KEEP_LEASE_ALIVE, lease(id), GrpcLeaderLink::granted);
    }

    @Override
    public CompletableFuture<LeaseTimes> leaseTimes(long id, boolean withKeys) {
        LeaseTimesCall request =
                LeaseTimesCall.newBuilder().setId(id).setWithKeys(withKeys).build();
        return call(PeerMethods.LEASE_TIMES, request, GrpcLeaderLink::times);
    }

    @Override
    public CompletableFuture<List<Long>> leases() {
        return call(
                PeerMethods.LEASES,
                Nothing.getDefaultInstance(),
                (LeaseIds answer) -> List.copyOf(answer.getIdsList()));
    }

    @Override
    public CompletableFuture<Boolean> raise(Alarm alarm) {
        return call(PeerMethods.RAISE_ALARM, TailCodec.encode(alarm), Changed::getChanged);
    }

    @Override
    public CompletableFuture<Boolean> disarm(Alarm alarm) {
        return call(PeerMethods.DISARM_ALARM, TailCodec.encode(alarm), Changed::getChanged);
    }

    @Override
    public CompletableFuture<RaisedAlarms> alarms() {
        return call(
                PeerMethods.ALARMS,
                Nothing.getDefaultInstance(),
                (io.brain.proto.peer.RaisedAlarms answer) -> TailCodec.decode(answer));
    }

    /** Many reads may wait for one read point: it does not end with the client that came first. */
    @Override
    public CompletableFuture<ReadPoint> readPoint() {
        Context client = Context.ROOT.attach();
        try {
            return call(
                    PeerMethods.READ_POINT,
                    Nothing.getDefaultInstance(),
                    (ReadPointAnswer answer) -> TailCodec.decode(answer));
        } finally {
            Context.ROOT.detach(client);
        }
    }

    @Override
    public void tail(long from, TailSink sink) {
        IncomingTail.open(tail, from, sink);
    }

    @Override
    public void close() {
        roundTrips.close();
        tail.close();
        calls.close();
    }

    private <Q, A, T> CompletableFuture<T> call(
            MethodDescriptor<Q, A> method, Q request, Function<A, T> reader) {
        return new OutgoingCall<>(calls, method, request, reader, deadline()).start();
    }

    private Deadline deadline() {
        return Deadline.after(timeout.toNanos(), TimeUnit.NANOSECONDS);
    }

    private static LeaseId lease(long id) {
        return LeaseId.newBuilder().setId(id).build();
    }

    private static GrantedLease granted(io.brain.proto.peer.GrantedLease answer) {
        return new GrantedLease(answer.getId(), answer.getTtl(), answer.getRevision());
    }

    private static LeaseTimes times(LeaseTimesAnswer answer) {
        return new LeaseTimes(
                answer.getId(),
                answer.getRemaining(),
                answer.getGranted(),
                ResultCodec.all(answer.getKeysList()),
                answer.getRevision());
    }
}
