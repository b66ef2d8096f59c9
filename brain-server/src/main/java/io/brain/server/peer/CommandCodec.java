package io.brain.server.peer;

import io.brain.backend.auth.AuthCodec;
import io.brain.backend.auth.AuthState;
import io.brain.backend.auth.Caller;
import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.cluster.link.LeaderCommand.AuthAnswer;
import io.brain.backend.cluster.link.LeaderCommand.ChangeAuth;
import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.cluster.link.LeaderCommand.DisarmAlarm;
import io.brain.backend.cluster.link.LeaderCommand.GetAuth;
import io.brain.backend.cluster.link.LeaderCommand.GetLeaseTimes;
import io.brain.backend.cluster.link.LeaderCommand.GetReadPoint;
import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.cluster.link.LeaderCommand.KeepLeaseAlive;
import io.brain.backend.cluster.link.LeaderCommand.LeaderPoint;
import io.brain.backend.cluster.link.LeaderCommand.ListAlarms;
import io.brain.backend.cluster.link.LeaderCommand.ListLeases;
import io.brain.backend.cluster.link.LeaderCommand.RaiseAlarm;
import io.brain.backend.cluster.link.LeaderCommand.RevokeLease;
import io.brain.backend.cluster.link.LeaderCommand.RunTxn;
import io.brain.backend.cluster.link.RaisedAlarms;
import io.brain.backend.fair.Tenant;
import io.brain.backend.model.GrantedLease;
import io.brain.backend.model.LeaseTimes;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Reservation;
import io.brain.proto.peer.CallerId;
import io.brain.proto.peer.CommandRequest;
import io.brain.proto.peer.CommandResponse;
import io.brain.proto.peer.CompactRequest;
import io.brain.proto.peer.Empty;
import io.brain.proto.peer.GrantLeaseRequest;
import io.brain.proto.peer.LeaseGrant;
import io.brain.proto.peer.LeaseIds;
import io.brain.proto.peer.LeaseTimesRequest;
import io.brain.proto.peer.LeaseTimesResponse;
import io.brain.proto.peer.RunTxnRequest;
import io.brain.server.etcd.Responses;
import io.brain.server.grpc.ByteStrings;
import java.util.List;

/** Messages of commands to the leader, and of their results. Stored bytes are not copied. */
final class CommandCodec {
    private static final Empty EMPTY = Empty.getDefaultInstance();

    private CommandCodec() {}

    static CommandRequest encode(LeaderCommand<?> command) {
        CommandRequest.Builder request = encodePlain(command.plain());
        Caller caller = command.caller();
        if (!caller.equals(Caller.NONE)) {
            String client = caller.user().isEmpty() ? caller.tenant().name() : "";
            request.getCallerBuilder()
                    .setUser(caller.user())
                    .setAuthRevision(caller.authRevision())
                    .setClient(client);
        }
        return request.build();
    }

    private static CommandRequest.Builder encodePlain(LeaderCommand<?> command) {
        CommandRequest.Builder request = CommandRequest.newBuilder();
        if (command instanceof RunTxn run) {
            request.setRunTxn(
                    RunTxnRequest.newBuilder()
                            .setTxn(TxnCodec.encode(run.txn()))
                            .setWireBytes(run.wireBytes()));
        } else if (command instanceof Compact compact) {
            request.setCompact(
                    CompactRequest.newBuilder()
                            .setRevision(compact.revision())
                            .setPhysical(compact.physical()));
        } else if (command instanceof GrantLease grant) {
            request.setGrantLease(
                    GrantLeaseRequest.newBuilder().setId(grant.id()).setTtl(grant.ttl()));
        } else if (command instanceof RevokeLease revoke) {
            request.setRevokeLease(revoke.id());
        } else if (command instanceof KeepLeaseAlive renewal) {
            request.setKeepLeaseAlive(renewal.id());
        } else if (command instanceof GetLeaseTimes get) {
            request.setGetLeaseTimes(
                    LeaseTimesRequest.newBuilder().setId(get.id()).setWithKeys(get.withKeys()));
        } else if (command instanceof ListLeases) {
            request.setListLeases(EMPTY);
        } else if (command instanceof RaiseAlarm raise) {
            request.setRaiseAlarm(EventStreamCodec.encode(raise.alarm()));
        } else if (command instanceof DisarmAlarm disarm) {
            request.setDisarmAlarm(EventStreamCodec.encode(disarm.alarm()));
        } else if (command instanceof ListAlarms) {
            request.setListAlarms(EMPTY);
        } else if (command instanceof GetReadPoint) {
            request.setGetReadPoint(EMPTY);
        } else if (command instanceof ChangeAuth change) {
            request.setChangeAuth(AuthChangeCodec.encode(change.change()));
        } else if (command instanceof GetAuth) {
            request.setGetAuth(EMPTY);
        } else {
            throw new IllegalArgumentException("unknown command: " + command);
        }
        return request;
    }

    /**
     * Decodes a command.
     *
     * @throws IllegalArgumentException if it is unknown
     */
    static LeaderCommand<?> decode(CommandRequest request) {
        CallerId caller = request.getCaller();
        String client = caller.getClient();
        Tenant tenant =
                client.isEmpty() ? Tenant.SERVER : Tenant.connection(client, "another server");
        return decodePlain(request)
                .by(Caller.of(caller.getUser(), caller.getAuthRevision(), tenant));
    }

    private static LeaderCommand<?> decodePlain(CommandRequest request) {
        return switch (request.getCommandCase()) {
            case RUN_TXN -> {
                RunTxnRequest run = request.getRunTxn();
                yield new RunTxn(TxnCodec.decode(run.getTxn()), run.getWireBytes());
            }
            case COMPACT -> {
                CompactRequest compact = request.getCompact();
                yield new Compact(compact.getRevision(), compact.getPhysical());
            }
            case GRANT_LEASE -> {
                GrantLeaseRequest grant = request.getGrantLease();
                yield new GrantLease(grant.getId(), grant.getTtl());
            }
            case REVOKE_LEASE -> new RevokeLease(request.getRevokeLease());
            case KEEP_LEASE_ALIVE -> new KeepLeaseAlive(request.getKeepLeaseAlive());
            case GET_LEASE_TIMES -> {
                LeaseTimesRequest get = request.getGetLeaseTimes();
                yield new GetLeaseTimes(get.getId(), get.getWithKeys());
            }
            case LIST_LEASES -> new ListLeases();
            case RAISE_ALARM -> new RaiseAlarm(EventStreamCodec.decode(request.getRaiseAlarm()));
            case DISARM_ALARM -> new DisarmAlarm(EventStreamCodec.decode(request.getDisarmAlarm()));
            case LIST_ALARMS -> new ListAlarms();
            case GET_READ_POINT -> new GetReadPoint();
            case CHANGE_AUTH -> new ChangeAuth(AuthChangeCodec.decode(request.getChangeAuth()));
            case GET_AUTH -> new GetAuth();
            case COMMAND_NOT_SET -> throw new IllegalArgumentException("unknown command");
        };
    }

    /** Encodes the result of a command. */
    static CommandResponse encodeResult(Object result) {
        CommandResponse.Builder response = CommandResponse.newBuilder();
        if (result instanceof Reply<?> reply) {
            response.setTxn(Responses.forFollower((OpResult.Txn) reply.answer()));
        } else if (result instanceof Long revision) {
            response.setRevision(revision);
        } else if (result instanceof GrantedLease lease) {
            response.setLease(encode(lease));
        } else if (result instanceof LeaseTimes times) {
            response.setLeaseTimes(encode(times));
        } else if (result instanceof List<?> ids) {
            LeaseIds.Builder all = LeaseIds.newBuilder();
            ids.forEach(id -> all.addIds((Long) id));
            response.setLeaseIds(all);
        } else if (result instanceof Boolean changed) {
            response.setChanged(changed);
        } else if (result instanceof RaisedAlarms alarms) {
            response.setAlarms(EventStreamCodec.encode(alarms));
        } else if (result instanceof LeaderPoint point) {
            response.setReadPoint(
                    EventStreamCodec.encode(point.point()).toBuilder()
                            .setAuthVersion(point.authVersion()));
        } else if (result instanceof AuthAnswer answer) {
            response.getAuthAnswerBuilder()
                    .setRevision(answer.revision())
                    .setVersion(answer.version());
        } else if (result instanceof AuthState auth) {
            response.setAuth(ByteStrings.wrap(AuthCodec.encode(auth)));
        } else {
            throw new IllegalArgumentException("unknown result: " + result);
        }
        return response.build();
    }

    /**
     * Decodes the result of a command.
     *
     * @throws IllegalArgumentException if it is unknown
     */
    static Object decodeResult(CommandResponse response) {
        return switch (response.getResultCase()) {
            case TXN -> new Reply<>(TxnResultDecoder.decode(response.getTxn()), Reservation.NONE);
            case REVISION -> response.getRevision();
            case LEASE -> decode(response.getLease());
            case LEASE_TIMES -> decode(response.getLeaseTimes());
            case LEASE_IDS -> List.copyOf(response.getLeaseIds().getIdsList());
            case CHANGED -> response.getChanged();
            case ALARMS -> EventStreamCodec.decode(response.getAlarms());
            case READ_POINT ->
                    new LeaderPoint(
                            EventStreamCodec.decode(response.getReadPoint()),
                            response.getReadPoint().getAuthVersion());
            case AUTH_ANSWER ->
                    new AuthAnswer(
                            response.getAuthAnswer().getRevision(),
                            response.getAuthAnswer().getVersion());
            case AUTH -> AuthCodec.decode(ByteStrings.unwrap(response.getAuth()));
            case RESULT_NOT_SET -> throw new IllegalArgumentException("unknown result");
        };
    }

    private static LeaseGrant encode(GrantedLease lease) {
        return LeaseGrant.newBuilder()
                .setId(lease.id())
                .setTtl(lease.ttl())
                .setRevision(lease.revision())
                .build();
    }

    private static GrantedLease decode(LeaseGrant lease) {
        return new GrantedLease(lease.getId(), lease.getTtl(), lease.getRevision());
    }

    private static LeaseTimesResponse encode(LeaseTimes times) {
        LeaseTimesResponse.Builder response =
                LeaseTimesResponse.newBuilder()
                        .setId(times.id())
                        .setRemaining(times.remaining())
                        .setGranted(times.granted())
                        .setRevision(times.revision());
        times.keys().forEach(key -> response.addKeys(ByteStrings.wrap(key)));
        return response.build();
    }

    private static LeaseTimes decode(LeaseTimesResponse times) {
        return new LeaseTimes(
                times.getId(),
                times.getRemaining(),
                times.getGranted(),
                TxnResultDecoder.unwrap(times.getKeysList()),
                times.getRevision());
    }
}
