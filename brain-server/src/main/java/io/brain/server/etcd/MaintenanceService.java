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
import io.brain.proto.etcd.AlarmRequest.AlarmAction;
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
import io.brain.server.auth.Callers;
import io.brain.server.config.Versions;
import io.brain.server.grpc.ServiceBuilder;
import io.brain.server.grpc.ServiceBuilder.Encoding;
import io.grpc.ServerServiceDefinition;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** etcdserverpb.Maintenance. */
final class MaintenanceService {
    /** The cluster version in responses to Downgrade. */
    private static final String DOWNGRADE_VERSION = "3.7";

    /** Suffix of a version: dot-separated parts, or nothing. Possessive: needs no deep stack. */
    private static final String LABELS = "(?:[0-9A-Za-z-]++(?:\\.[0-9A-Za-z-]++)*+)?+";

    private static final Pattern VERSION =
            Pattern.compile(
                    "(\\d+)\\.(\\d+)(?:\\.(\\d+)(?:-" + LABELS + ")?(?:\\+" + LABELS + ")?)?");

    private static final long TARGET_MAJOR = 3;
    private static final long TARGET_MINOR = 6;

    private final Backend backend;
    private final Responses responses;
    private final Snapshots snapshots;
    private final LongSupplier capacity;

    /**
     * Creates the service.
     *
     * @param capacity maximum bytes of the store, shown as the quota if none is set; negative if
     *     unknown
     */
    MaintenanceService(
            Backend backend, Responses responses, Snapshots snapshots, LongSupplier capacity) {
        this.backend = backend;
        this.responses = responses;
        this.snapshots = snapshots;
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
                .unary(MaintenanceGrpc.getHashMethod(), request -> backend.hashStore(), this::hash)
                .unary(
                        MaintenanceGrpc.getHashKVMethod(),
                        request -> backend.hashHistory(request.getRevision()),
                        this::hashKv)
                .calls(
                        MaintenanceGrpc.getSnapshotMethod(),
                        Encoding.of(SnapshotResponse.getDefaultInstance()),
                        call -> new SnapshotCall(call, snapshots))
                .build();
    }

    /** Only a hint to the engine, which works after the response. */
    private DefragmentResponse defragment() {
        backend.reclaim();
        return DefragmentResponse.getDefaultInstance();
    }

    private CompletableFuture<Collection<Alarm>> alarm(AlarmRequest request) {
        Alarm alarm = new Alarm(request.getMemberID(), request.getAlarmValue());
        boolean none = request.getAlarm() == AlarmType.NONE;
        if (request.getAction() != AlarmAction.GET) {
            backend.auth().requireAdmin(Callers.current());
        }
        return switch (request.getAction()) {
            case GET ->
                    backend.submit(new ListAlarms())
                            .thenApply(all -> ofKind(request.getAlarmValue(), all.alarms()));
            case ACTIVATE ->
                    none
                            ? CompletableFuture.completedFuture(List.of())
                            : backend.submit(new RaiseAlarm(alarm).by(Callers.current()))
                                    .thenApply(done -> List.of(alarm));
            case DEACTIVATE ->
                    backend.submit(new DisarmAlarm(alarm).by(Callers.current()))
                            .thenApply(was -> was ? List.of(alarm) : List.of());
            // etcd panics.
            case UNRECOGNIZED -> throw Errors.invalid("etcdserver: unknown alarm action");
        };
    }

    private static Collection<Alarm> ofKind(int kind, Collection<Alarm> all) {
        return kind == AlarmType.NONE_VALUE
                ? all
                : all.stream().filter(alarm -> alarm.kind() == kind).toList();
    }

    private AlarmResponse alarms(Collection<Alarm> alarms) {
        AlarmResponse.Builder response = AlarmResponse.newBuilder().setHeader(responses.header());
        for (Alarm alarm : alarms) {
            response.addAlarmsBuilder().setMemberID(alarm.memberId()).setAlarmValue(alarm.kind());
        }
        return response.build();
    }

    private StatusResponse status(NodeStatus status) {
        List<String> errors = new ArrayList<>();
        if (status.leaderId() == 0) {
            errors.add("etcdserver: no leader");
        }
        for (Alarm alarm : status.alarms()) {
            errors.add(text(alarm));
        }
        // Batches count from 0, Raft entries from 1.
        long index = status.batch() + 1;
        // etcd's file is never empty, and etcdctl divides by its size.
        long stored = Math.max(status.storedBytes(), 1);
        // etcd shows a disabled quota as negative; 0 would mean a full store.
        long quota =
                status.quotaBytes() == 0 ? Math.max(-1, capacity.getAsLong()) : status.quotaBytes();
        return StatusResponse.newBuilder()
                .setHeader(responses.header(status.revision()))
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
                .setHeader(responses.header(hash.newest()))
                .setHash(hash.hash())
                .build();
    }

    private HashKVResponse hashKv(KvHash hash) {
        return HashKVResponse.newBuilder()
                .setHeader(responses.header(hash.newest()))
                .setHash(hash.hash())
                .setCompactRevision(hash.compactRevision())
                .setHashRevision(hash.revision())
                .build();
    }

    private CompletableFuture<Void> moveLeader(MoveLeaderRequest request) {
        if (backend.status().leaderId() != responses.memberId()) {
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
            case VALIDATE -> requirePrevious(request.getVersion());
            case ENABLE -> {
                requirePrevious(request.getVersion());
                throw Errors.precondition(
                        "brain: the store has no older format; move its data with brain export"
                                + " --etcd-version 3.6");
            }
            // None is ever in progress, which etcd accepts.
            case CANCEL -> {}
            case UNRECOGNIZED -> throw Errors.unknown("etcdserver: unknown method");
        }
        return DowngradeResponse.newBuilder()
                .setHeader(responses.header())
                .setVersion(DOWNGRADE_VERSION)
                .build();
    }

    /** etcd allows a downgrade to the previous minor version only. */
    private static void requirePrevious(String version) {
        Matcher target = VERSION.matcher(version);
        if (!target.matches()) {
            throw malformed();
        }
        long major = number(target.group(1));
        long minor = number(target.group(2));
        number(target.group(3) == null ? "0" : target.group(3));
        if (major != TARGET_MAJOR || minor != TARGET_MINOR) {
            throw Errors.invalid("etcdserver: invalid downgrade target version");
        }
    }

    private static long number(String digits) {
        try {
            return Long.parseLong(digits);
        } catch (NumberFormatException tooLong) {
            throw malformed();
        }
    }

    private static StatusRuntimeException malformed() {
        return Errors.invalid("etcdserver: wrong downgrade target version format");
    }

    /** As etcd prints the message: fields that are 0 are omitted. */
    private static String text(Alarm alarm) {
        String kind = "alarm:" + alarm.kindName();
        return alarm.memberId() == 0
                ? kind
                : "memberID:" + Long.toUnsignedString(alarm.memberId()) + " " + kind;
    }
}
