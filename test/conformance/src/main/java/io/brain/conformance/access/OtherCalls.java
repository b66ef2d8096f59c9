package io.brain.conformance.access;

import io.brain.proto.etcd.AlarmRequest;
import io.brain.proto.etcd.AlarmRequest.AlarmAction;
import io.brain.proto.etcd.AlarmType;
import io.brain.proto.etcd.ClusterGrpc;
import io.brain.proto.etcd.CompactionRequest;
import io.brain.proto.etcd.DefragmentRequest;
import io.brain.proto.etcd.DowngradeRequest;
import io.brain.proto.etcd.HashKVRequest;
import io.brain.proto.etcd.HashRequest;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.LeaseKeepAliveRequest;
import io.brain.proto.etcd.LeaseLeasesRequest;
import io.brain.proto.etcd.LeaseRevokeRequest;
import io.brain.proto.etcd.LeaseTimeToLiveRequest;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.MemberAddRequest;
import io.brain.proto.etcd.MemberListRequest;
import io.brain.proto.etcd.MemberPromoteRequest;
import io.brain.proto.etcd.MemberRemoveRequest;
import io.brain.proto.etcd.MemberUpdateRequest;
import io.brain.proto.etcd.MoveLeaderRequest;
import io.brain.proto.etcd.SnapshotRequest;
import io.brain.proto.etcd.StatusRequest;
import java.util.Random;

/** Made-up calls of leases, members and maintenance. None changes the members. */
final class OtherCalls {
    private static final long UNKNOWN_MEMBER = 999;
    private static final long TTL_SECONDS = 6_000;

    private final Random random;
    private final KeyCalls keys;

    OtherCalls(Random random, KeyCalls keys) {
        this.random = random;
        this.keys = keys;
    }

    Call<?, ?> lease() {
        return switch (random.nextInt(6)) {
            case 0, 1 ->
                    new Call<>(
                            LeaseGrpc.getLeaseGrantMethod(),
                            LeaseGrantRequest.newBuilder()
                                    .setID(keys.lease())
                                    .setTTL(TTL_SECONDS)
                                    .build());
            case 2 ->
                    new Call<>(
                            LeaseGrpc.getLeaseRevokeMethod(),
                            LeaseRevokeRequest.newBuilder().setID(keys.lease()).build());
            case 3 ->
                    new Call<>(
                            LeaseGrpc.getLeaseTimeToLiveMethod(),
                            LeaseTimeToLiveRequest.newBuilder()
                                    .setID(keys.lease())
                                    .setKeys(random.nextBoolean())
                                    .build());
            case 4 ->
                    new Call<>(
                            LeaseGrpc.getLeaseLeasesMethod(),
                            LeaseLeasesRequest.getDefaultInstance());
            default ->
                    new Call<>(
                            LeaseGrpc.getLeaseKeepAliveMethod(),
                            LeaseKeepAliveRequest.newBuilder().setID(keys.lease()).build());
        };
    }

    /**
     * A call.
     *
     * @param root whether root makes it
     */
    Call<?, ?> next(boolean root) {
        return random.nextInt(4) == 0 ? member(root) : maintenance(root);
    }

    /** Of a member that may not be added by this caller, or not by anybody. */
    private Call<?, ?> member(boolean root) {
        return switch (random.nextInt(5)) {
            case 0 ->
                    new Call<>(
                            ClusterGrpc.getMemberListMethod(),
                            MemberListRequest.newBuilder()
                                    .setLinearizable(random.nextBoolean())
                                    .build());
            case 1 ->
                    new Call<>(
                            ClusterGrpc.getMemberAddMethod(),
                            MemberAddRequest.newBuilder()
                                    .addPeerURLs(root ? "not a url" : "http://127.0.0.1:1")
                                    .build());
            case 2 ->
                    new Call<>(
                            ClusterGrpc.getMemberRemoveMethod(),
                            MemberRemoveRequest.newBuilder().setID(UNKNOWN_MEMBER).build());
            case 3 ->
                    new Call<>(
                            ClusterGrpc.getMemberUpdateMethod(),
                            MemberUpdateRequest.newBuilder()
                                    .setID(UNKNOWN_MEMBER)
                                    .addPeerURLs("http://127.0.0.1:1")
                                    .build());
            default ->
                    new Call<>(
                            ClusterGrpc.getMemberPromoteMethod(),
                            MemberPromoteRequest.newBuilder().setID(UNKNOWN_MEMBER).build());
        };
    }

    /** To root's MoveLeader, a follower answers that it is not the leader. */
    private Call<?, ?> maintenance(boolean root) {
        int kind = random.nextInt(11);
        return switch (root && kind == 8 ? 0 : kind) {
            case 0 ->
                    new Call<>(
                            MaintenanceGrpc.getStatusMethod(), StatusRequest.getDefaultInstance());
            case 1, 2, 3 -> new Call<>(MaintenanceGrpc.getAlarmMethod(), alarm());
            case 4 ->
                    new Call<>(
                            MaintenanceGrpc.getDefragmentMethod(),
                            DefragmentRequest.getDefaultInstance());
            case 5 -> new Call<>(MaintenanceGrpc.getHashMethod(), HashRequest.getDefaultInstance());
            case 6 ->
                    new Call<>(
                            MaintenanceGrpc.getHashKVMethod(), HashKVRequest.getDefaultInstance());
            case 7 ->
                    new Call<>(
                            MaintenanceGrpc.getSnapshotMethod(),
                            SnapshotRequest.getDefaultInstance());
            case 8 ->
                    new Call<>(
                            MaintenanceGrpc.getMoveLeaderMethod(),
                            MoveLeaderRequest.newBuilder().setTargetID(UNKNOWN_MEMBER).build());
            case 9 ->
                    new Call<>(
                            MaintenanceGrpc.getDowngradeMethod(),
                            DowngradeRequest.newBuilder().setVersion("3.5.0").build());
            default ->
                    new Call<>(
                            KVGrpc.getCompactMethod(),
                            CompactionRequest.newBuilder()
                                    .setRevision(random.nextInt(5))
                                    .setPhysical(random.nextBoolean())
                                    .build());
        };
    }

    private AlarmRequest alarm() {
        return AlarmRequest.newBuilder()
                .setActionValue(random.nextInt(3))
                .setAlarm(random.nextInt(3) == 0 ? AlarmType.NONE : AlarmType.NOSPACE)
                .build();
    }

    /** Takes back an alarm that a call has raised. */
    static Call<?, ?> disarm() {
        return new Call<>(
                MaintenanceGrpc.getAlarmMethod(),
                AlarmRequest.newBuilder()
                        .setAction(AlarmAction.DEACTIVATE)
                        .setAlarm(AlarmType.NOSPACE)
                        .build());
    }
}
