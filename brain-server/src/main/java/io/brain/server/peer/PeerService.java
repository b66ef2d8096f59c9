package io.brain.server.peer;

import io.brain.backend.lease.GrantedLease;
import io.brain.backend.lease.LeaseTimes;
import io.brain.backend.peer.LeaderSide;
import io.brain.proto.peer.Changed;
import io.brain.proto.peer.LeaseIds;
import io.brain.proto.peer.LeaseTimesAnswer;
import io.brain.proto.peer.PeerGrpc;
import io.brain.proto.peer.Revision;
import io.grpc.ServerServiceDefinition;
import java.util.concurrent.CompletableFuture;

/** What other nodes may ask, as a gRPC service. Handlers run on the transport's threads. */
final class PeerService {
    private final LeaderSide side;

    PeerService(LeaderSide side) {
        this.side = side;
    }

    ServerServiceDefinition define() {
        ServerServiceDefinition.Builder service =
                ServerServiceDefinition.builder(PeerGrpc.SERVICE_NAME);
        addWrites(service);
        addLeases(service);
        return service.addMethod(
                        PeerMethods.READ_POINT,
                        ServedCall.handler(
                                side, (leader, q) -> leader.readPoint(), TailCodec::encode))
                .addMethod(
                        PeerMethods.PING,
                        ServedCall.handler(
                                side,
                                (leader, q) -> CompletableFuture.completedFuture(q),
                                answer -> answer))
                .addMethod(PeerMethods.TAIL, ServedTail.handler(side))
                .build();
    }

    private void addWrites(ServerServiceDefinition.Builder service) {
        service.addMethod(
                PeerMethods.TXN,
                ServedCall.handler(
                        side,
                        (leader, q) -> leader.txn(TxnCodec.decode(q.getTxn()), q.getWireBytes()),
                        reply -> ResultCodec.encode(reply.answer())));
        service.addMethod(
                PeerMethods.COMPACT,
                ServedCall.handler(
                        side,
                        (leader, q) -> leader.compact(q.getRevision(), q.getPhysical()),
                        PeerService::revision));
        service.addMethod(
                PeerMethods.RAISE_ALARM,
                ServedCall.handler(
                        side,
                        (leader, q) -> leader.raise(TailCodec.decode(q)),
                        PeerService::changed));
        service.addMethod(
                PeerMethods.DISARM_ALARM,
                ServedCall.handler(
                        side,
                        (leader, q) -> leader.disarm(TailCodec.decode(q)),
                        PeerService::changed));
        service.addMethod(
                PeerMethods.ALARMS,
                ServedCall.handler(side, (leader, q) -> leader.alarms(), TailCodec::encode));
    }

    private void addLeases(ServerServiceDefinition.Builder service) {
        service.addMethod(
                PeerMethods.GRANT_LEASE,
                ServedCall.handler(
                        side,
                        (leader, q) -> leader.grantLease(q.getId(), q.getTtl()),
                        PeerService::granted));
        service.addMethod(
                PeerMethods.REVOKE_LEASE,
                ServedCall.handler(
                        side, (leader, q) -> leader.revokeLease(q.getId()), PeerService::revision));
        service.addMethod(
                PeerMethods.KEEP_LEASE_ALIVE,
                ServedCall.handler(
                        side,
                        (leader, q) -> leader.keepLeaseAlive(q.getId()),
                        PeerService::granted));
        service.addMethod(
                PeerMethods.LEASE_TIMES,
                ServedCall.handler(
                        side,
                        (leader, q) -> leader.leaseTimes(q.getId(), q.getWithKeys()),
                        PeerService::times));
        service.addMethod(
                PeerMethods.LEASES,
                ServedCall.handler(
                        side,
                        (leader, q) -> leader.leases(),
                        ids -> LeaseIds.newBuilder().addAllIds(ids).build()));
    }

    private static Revision revision(long revision) {
        return Revision.newBuilder().setRevision(revision).build();
    }

    private static Changed changed(boolean changed) {
        return Changed.newBuilder().setChanged(changed).build();
    }

    private static io.brain.proto.peer.GrantedLease granted(GrantedLease lease) {
        return io.brain.proto.peer.GrantedLease.newBuilder()
                .setId(lease.id())
                .setTtl(lease.ttl())
                .setRevision(lease.revision())
                .build();
    }

    private static LeaseTimesAnswer times(LeaseTimes times) {
        LeaseTimesAnswer.Builder answer =
                LeaseTimesAnswer.newBuilder()
                        .setId(times.id())
                        .setRemaining(times.remaining())
                        .setGranted(times.granted())
                        .setRevision(times.revision());
        times.keys().forEach(key -> answer.addKeys(StoredBytes.wrap(key)));
        return answer.build();
    }
}
