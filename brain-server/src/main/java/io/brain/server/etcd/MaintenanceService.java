package io.brain.server.etcd;

import io.brain.backend.Backend;
import io.brain.proto.etcd.AlarmMember;
import io.brain.proto.etcd.AlarmRequest;
import io.brain.proto.etcd.AlarmResponse;
import io.brain.proto.etcd.AlarmType;
import io.brain.proto.etcd.DefragmentResponse;
import io.brain.proto.etcd.DowngradeInfo;
import io.brain.proto.etcd.DowngradeRequest;
import io.brain.proto.etcd.DowngradeResponse;
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
import java.util.Set;
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
     * @param capacity bytes that the store could grow to; shown as the quota where none is set
     */
    MaintenanceService(Backend backend, Headers headers, LongSupplier capacity) {
        this.backend = backend;
        this.headers = headers;
        this.capacity = capacity;
    }

    ServerServiceDefinition define(ServiceBuilder service) {
        return service.unary(MaintenanceGrpc.getAlarmMethod(), this::alarm, this::alarms)
                .immediate(MaintenanceGrpc.getStatusMethod(), request -> status(backend.status()))
                // The engine compacts itself: there is nothing to do, and etcd's answer is empty.
                .immediate(
                        MaintenanceGrpc.getDefragmentMethod(),
                        request -> DefragmentResponse.getDefaultInstance())
                .immediate(MaintenanceGrpc.getMoveLeaderMethod(), this::moveLeader)
                .immediate(MaintenanceGrpc.getDowngradeMethod(), this::downgrade)
                .refused(MaintenanceGrpc.getHashMethod(), request -> Errors.unsupported("Hash"))
                .refused(MaintenanceGrpc.getHashKVMethod(), request -> Errors.unsupported("HashKV"))
                .streaming(
                        MaintenanceGrpc.getSnapshotMethod(),
                        SnapshotResponse.getDefaultInstance(),
                        MaintenanceService::snapshot)
                .build();
    }

    private CompletableFuture<Collection<Backend.Alarm>> alarm(AlarmRequest request, int bytes) {
        Backend.Alarm alarm = alarm(request.getAlarm());
        return switch (request.getAction()) {
            case GET -> CompletableFuture.completedFuture(raised(request.getAlarm()));
            case ACTIVATE -> raise(request.getAlarm(), alarm);
            case DEACTIVATE ->
                    alarm == null
                            ? CompletableFuture.completedFuture(List.of())
                            : backend.disarmAlarm(alarm)
                                    .thenApply(was -> was ? Set.of(alarm) : Set.of());
            case UNRECOGNIZED -> throw Errors.invalid("etcdserver: unknown alarm action");
        };
    }

    private CompletableFuture<Collection<Backend.Alarm>> raise(
            AlarmType type, Backend.Alarm alarm) {
        if (type == AlarmType.NONE) {
            return CompletableFuture.completedFuture(List.of());
        }
        if (alarm == null) {
            throw Errors.invalid("etcdserver: unknown alarm type");
        }
        return backend.raiseAlarm(alarm).thenApply(all -> List.of(alarm));
    }

    private Collection<Backend.Alarm> raised(AlarmType type) {
        Set<Backend.Alarm> alarms = backend.status().alarms();
        if (type == AlarmType.NONE) {
            return alarms;
        }
        Backend.Alarm alarm = alarm(type);
        return alarm != null && alarms.contains(alarm) ? List.of(alarm) : List.of();
    }

    private AlarmResponse alarms(Collection<Backend.Alarm> alarms) {
        AlarmResponse.Builder answer = AlarmResponse.newBuilder().setHeader(headers.now());
        for (Backend.Alarm alarm : alarms) {
            answer.addAlarms(
                    AlarmMember.newBuilder().setMemberID(headers.memberId()).setAlarm(type(alarm)));
        }
        return answer.build();
    }

    private StatusResponse status(Backend.Status status) {
        List<String> errors = new ArrayList<>();
        if (status.leaderId() == 0) {
            errors.add("etcdserver: no leader");
        }
        for (Backend.Alarm alarm : status.alarms()) {
            errors.add(
                    "memberID:"
                            + Long.toUnsignedString(headers.memberId())
                            + " alarm:"
                            + type(alarm));
        }
        long quota = status.quotaBytes() == 0 ? capacity.getAsLong() : status.quotaBytes();
        return StatusResponse.newBuilder()
                .setHeader(headers.at(status.revision()))
                .setVersion(Versions.API)
                .setDbSize(status.storedBytes())
                .setDbSizeInUse(status.storedBytes())
                .setLeader(status.leaderId())
                .setRaftIndex(status.batch())
                .setRaftAppliedIndex(status.batch())
                .setRaftTerm(status.epoch())
                .addAllErrors(errors)
                .setStorageVersion(Versions.CLUSTER)
                .setDbSizeQuota(quota)
                .setDowngradeInfo(DowngradeInfo.getDefaultInstance())
                .build();
    }

    private MoveLeaderResponse moveLeader(MoveLeaderRequest request) {
        if (backend.status().leaderId() != headers.memberId()) {
            throw Errors.precondition("etcdserver: not leader");
        }
        if (request.getTargetID() != headers.memberId()) {
            throw Errors.precondition("etcdserver: bad leader transferee");
        }
        return MoveLeaderResponse.getDefaultInstance();
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

    /** Null for a type that cannot be raised. */
    private static Backend.Alarm alarm(AlarmType type) {
        return switch (type) {
            case NOSPACE -> Backend.Alarm.NO_SPACE;
            case CORRUPT -> Backend.Alarm.CORRUPT;
            case NONE, UNRECOGNIZED -> null;
        };
    }

    private static AlarmType type(Backend.Alarm alarm) {
        return switch (alarm) {
            case NO_SPACE -> AlarmType.NOSPACE;
            case CORRUPT -> AlarmType.CORRUPT;
        };
    }
}
