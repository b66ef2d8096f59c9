package io.brain.server.etcd;

import io.brain.backend.Backend;
import io.brain.backend.cluster.link.LeaderCommand.DisarmAlarm;
import io.brain.backend.cluster.link.LeaderCommand.ListAlarms;
import io.brain.backend.cluster.link.LeaderCommand.RaiseAlarm;
import io.brain.backend.hash.KvHash;
import io.brain.backend.hash.StoreHash;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.NodeStatus;
import io.brain.proto.etcd.AlarmRequest;
import io.brain.proto.etcd.AlarmResponse;
import io.brain.proto.etcd.AlarmType;
import io.brain.proto.etcd.DefragmentResponse;
import io.brain.proto.etcd.DowngradeInfo;
import io.brain.proto.etcd.DowngradeRequest;
import io.brain.proto.etcd.DowngradeResponse;
import io.brain.proto.etcd.HashKVResponse;
import io.brain.proto.etcd.HashResponse;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.MoveLeaderRequest;
import io.brain.proto.etcd.MoveLeaderResponse;
import io.brain.proto.etcd.SnapshotResponse;
import io.brain.proto.etcd.StatusResponse;
import io.brain.server.config.Versions;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/** etcdserverpb.Maintenance. */
final class MaintenanceService {
    private final Backend backend;
    private final Headers headers;
    private final LongSupplier capacity;

    /**
     * The service.
     *
     * @param capacity bytes that the store could grow to; shown as the quota where none is set.
     *     Negative where that is not known
     */
    MaintenanceService(Backend backend, Headers headers, LongSupplier capacity) {
        this.backend = backend;
        this.headers = headers;
        this.capacity = capacity;
    }

    ServerServiceDefinition define(ServiceBuilder service) {
        return service.unary(MaintenanceGrpc.getAlarmMethod(), this::alarm, this::alarms)
                .immediate(MaintenanceGrpc.getStatusMethod(), request -> status(backend.status()))
                .immediate(MaintenanceGrpc.getDefragmentMethod(), request -> defragment())
                .unary(
                        MaintenanceGrpc.getMoveLeaderMethod(),
                        this::moveLeader,
                        moved -> MoveLeaderResponse.getDefaultInstance())
                .immediate(MaintenanceGrpc.getDowngradeMethod(), this::downgrade)
                .unary(
                        MaintenanceGrpc.getHashMethod(),
                        (request, bytes) -> backend.hashStore(),
                        this::hash)
                .unary(
                        MaintenanceGrpc.getHashKVMethod(),
                        (request, bytes) -> backend.hashHistory(request.getRevision()),
                        this::hashKv)
                .streaming(
                        MaintenanceGrpc.getSnapshotMethod(),
                        AnswerForm.of(SnapshotResponse.getDefaultInstance()),
                        MaintenanceService::snapshot)
                .build();
    }

    /** The engine has work for it only at times, and does it behind the answer; etcd's is empty. */
    private DefragmentResponse defragment() {
        backend.reclaim();
        return DefragmentResponse.getDefaultInstance();
    }

    private CompletableFuture<Collection<Alarm>> alarm(AlarmRequest request, int bytes) {
        Alarm alarm = new Alarm(request.getMemberID(), request.getAlarmValue());
        boolean none = request.getAlarm() == AlarmType.NONE;
        return switch (request.getAction()) {
            case GET ->
                    backend.submit(new ListAlarms())
                            .thenApply(all -> ofKind(request.getAlarmValue(), all.alarms()));
            case ACTIVATE ->
                    none
                            ? CompletableFuture.completedFuture(List.of())
                            : backend.submit(new RaiseAlarm(alarm))
                                    .thenApply(done -> List.of(alarm));
            case DEACTIVATE ->
                    backend.submit(new DisarmAlarm(alarm))
                            .thenApply(was -> was ? List.of(alarm) : List.of());
            // It kills an etcd.
            case UNRECOGNIZED -> throw Errors.invalid("etcdserver: unknown alarm action");
        };
    }

    private static Collection<Alarm> ofKind(int kind, Collection<Alarm> all) {
        return kind == AlarmType.NONE_VALUE
                ? all
                : all.stream().filter(alarm -> alarm.kind() == kind).toList();
    }

    private AlarmResponse alarms(Collection<Alarm> alarms) {
        AlarmResponse.Builder answer = AlarmResponse.newBuilder().setHeader(headers.now());
        for (Alarm alarm : alarms) {
            answer.addAlarmsBuilder().setMemberID(alarm.memberId()).setAlarmValue(alarm.kind());
        }
        return answer.build();
    }

    private StatusResponse status(NodeStatus status) {
        List<String> errors = new ArrayList<>();
        if (status.leaderId() == 0) {
            errors.add("etcdserver: no leader");
        }
        for (Alarm alarm : status.alarms()) {
            errors.add(text(alarm));
        }
        // Batches are counted from 0, entries of raft from 1.
        long index = status.batch() + 1;
        // An etcd's file is never empty, and etcdctl divides by its size.
        long stored = Math.max(status.storedBytes(), 1);
        // etcd shows a negative quota for one that is off; 0 would read as a store that is full.
        long quota =
                status.quotaBytes() == 0 ? Math.max(-1, capacity.getAsLong()) : status.quotaBytes();
        return StatusResponse.newBuilder()
                .setHeader(headers.at(status.revision()))
                .setVersion(Versions.API)
                .setDbSize(stored)
                .setDbSizeInUse(stored)
                .setLeader(status.leaderId())
                .setRaftIndex(index)
                .setRaftAppliedIndex(index)
                .setRaftTerm(status.epoch())
                .addAllErrors(errors)
                .setStorageVersion(Versions.CLUSTER)
                .setDbSizeQuota(quota)
                .setDowngradeInfo(DowngradeInfo.getDefaultInstance())
                .build();
    }

    private HashResponse hash(StoreHash hash) {
        return HashResponse.newBuilder()
                .setHeader(headers.at(hash.newest()))
                .setHash(hash.hash())
                .build();
    }

    private HashKVResponse hashKv(KvHash hash) {
        return HashKVResponse.newBuilder()
                .setHeader(headers.at(hash.newest()))
                .setHash(hash.hash())
                .setCompactRevision(hash.compactRevision())
                .setHashRevision(hash.revision())
                .build();
    }

    private CompletableFuture<Void> moveLeader(MoveLeaderRequest request, int bytes) {
        if (backend.status().leaderId() != headers.memberId()) {
            throw Errors.precondition("etcdserver: not leader");
        }
        long target = request.getTargetID();
        return backend.cluster()
                .members()
                .thenCompose(
                        all -> {
                            if (all.stream().noneMatch(m -> m.id() == target && m.isStarted())) {
                                throw Errors.precondition("etcdserver: bad leader transferee");
                            }
                            return backend.cluster().moveLeader(target);
                        });
    }

    private DowngradeResponse downgrade(DowngradeRequest request) {
        switch (request.getAction()) {
            case VALIDATE -> Downgrades.requireOneBelow(request.getVersion());
            case ENABLE -> {
                Downgrades.requireOneBelow(request.getVersion());
                throw Errors.unsupported("a downgrade");
            }
            // There never is one, and etcd does not mind.
            case CANCEL -> {}
            case UNRECOGNIZED -> throw Errors.unknown("etcdserver: unknown method");
        }
        return DowngradeResponse.newBuilder()
                .setHeader(headers.now())
                .setVersion(Downgrades.CURRENT)
                .build();
    }

    private static <Q> ServerCall.Listener<Q> snapshot(
            ServerCall<Q, SnapshotResponse> call, Metadata md) {
        call.close(Errors.unsupported("Snapshot").getStatus(), new Metadata());
        return new ServerCall.Listener<>() {};
    }

    /** As etcd prints its message: a field that is 0 is left out. */
    private static String text(Alarm alarm) {
        String kind = "alarm:" + alarm.kindName();
        return alarm.memberId() == 0
                ? kind
                : "memberID:" + Long.toUnsignedString(alarm.memberId()) + " " + kind;
    }
}
