package io.brain.server.peer;

import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.cluster.link.LeaderCommand.DisarmAlarm;
import io.brain.backend.cluster.link.LeaderCommand.GetLeaseTimes;
import io.brain.backend.cluster.link.LeaderCommand.GetReadPoint;
import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.cluster.link.LeaderCommand.KeepLeaseAlive;
import io.brain.backend.cluster.link.LeaderCommand.ListAlarms;
import io.brain.backend.cluster.link.LeaderCommand.ListLeases;
import io.brain.backend.cluster.link.LeaderCommand.RaiseAlarm;
import io.brain.backend.cluster.link.LeaderCommand.RevokeLease;
import io.brain.backend.cluster.link.LeaderCommand.RunTxn;
import io.brain.backend.cluster.link.RaisedAlarms;
import io.brain.backend.model.GrantedLease;
import io.brain.backend.model.LeaseTimes;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Reservation;
import io.brain.backend.store.ReadPoint;
import io.brain.proto.peer.CommandAnswer;
import io.brain.proto.peer.CommandCall;
import io.brain.proto.peer.CompactCall;
import io.brain.proto.peer.GrantLeaseCall;
import io.brain.proto.peer.LeaseIds;
import io.brain.proto.peer.LeaseTimesAnswer;
import io.brain.proto.peer.LeaseTimesCall;
import io.brain.proto.peer.Nothing;
import io.brain.proto.peer.TxnCall;
import java.util.List;

/** Commands to the leader and their results, as messages and back. Stored bytes are not copied. */
final class CommandCodec {
    private static final Nothing NOTHING = Nothing.getDefaultInstance();

    private CommandCodec() {}

    static CommandCall encode(LeaderCommand<?> command) {
        CommandCall.Builder call = CommandCall.newBuilder();
        if (command instanceof RunTxn run) {
            call.setRunTxn(
                    TxnCall.newBuilder()
                            .setTxn(TxnCodec.encode(run.txn()))
                            .setWireBytes(run.wireBytes()));
        } else if (command instanceof Compact compact) {
            call.setCompact(
                    CompactCall.newBuilder()
                            .setRevision(compact.revision())
                            .setPhysical(compact.physical()));
        } else if (command instanceof GrantLease grant) {
            call.setGrantLease(GrantLeaseCall.newBuilder().setId(grant.id()).setTtl(grant.ttl()));
        } else if (command instanceof RevokeLease revoke) {
            call.setRevokeLease(revoke.id());
        } else if (command instanceof KeepLeaseAlive renewal) {
            call.setKeepLeaseAlive(renewal.id());
        } else if (command instanceof GetLeaseTimes get) {
            call.setGetLeaseTimes(
                    LeaseTimesCall.newBuilder().setId(get.id()).setWithKeys(get.withKeys()));
        } else if (command instanceof ListLeases) {
            call.setListLeases(NOTHING);
        } else if (command instanceof RaiseAlarm raise) {
            call.setRaiseAlarm(TailCodec.encode(raise.alarm()));
        } else if (command instanceof DisarmAlarm disarm) {
            call.setDisarmAlarm(TailCodec.encode(disarm.alarm()));
        } else if (command instanceof ListAlarms) {
            call.setListAlarms(NOTHING);
        } else if (command instanceof GetReadPoint) {
            call.setGetReadPoint(NOTHING);
        } else {
            throw new IllegalArgumentException("unknown command: " + command);
        }
        return call.build();
    }

    /**
     * The command that {@link #encode} made a message of.
     *
     * @throws IllegalArgumentException if this version does not know it
     */
    static LeaderCommand<?> decode(CommandCall call) {
        return switch (call.getCommandCase()) {
            case RUN_TXN -> {
                TxnCall run = call.getRunTxn();
                yield new RunTxn(TxnCodec.decode(run.getTxn()), run.getWireBytes());
            }
            case COMPACT -> {
                CompactCall compact = call.getCompact();
                yield new Compact(compact.getRevision(), compact.getPhysical());
            }
            case GRANT_LEASE -> {
                GrantLeaseCall grant = call.getGrantLease();
                yield new GrantLease(grant.getId(), grant.getTtl());
            }
            case REVOKE_LEASE -> new RevokeLease(call.getRevokeLease());
            case KEEP_LEASE_ALIVE -> new KeepLeaseAlive(call.getKeepLeaseAlive());
            case GET_LEASE_TIMES -> {
                LeaseTimesCall get = call.getGetLeaseTimes();
                yield new GetLeaseTimes(get.getId(), get.getWithKeys());
            }
            case LIST_LEASES -> new ListLeases();
            case RAISE_ALARM -> new RaiseAlarm(TailCodec.decode(call.getRaiseAlarm()));
            case DISARM_ALARM -> new DisarmAlarm(TailCodec.decode(call.getDisarmAlarm()));
            case LIST_ALARMS -> new ListAlarms();
            case GET_READ_POINT -> new GetReadPoint();
            case COMMAND_NOT_SET -> throw new IllegalArgumentException("unknown command");
        };
    }

    /** The message of a command's result; each type of result has its own. */
    static CommandAnswer encodeResult(Object result) {
        CommandAnswer.Builder answer = CommandAnswer.newBuilder();
        if (result instanceof Reply<?> reply) {
            answer.setTxn(ResultCodec.encode((OpResult.Txn) reply.answer()));
        } else if (result instanceof Long revision) {
            answer.setRevision(revision);
        } else if (result instanceof GrantedLease lease) {
            answer.setLease(encode(lease));
        } else if (result instanceof LeaseTimes times) {
            answer.setLeaseTimes(encode(times));
        } else if (result instanceof List<?> ids) {
            LeaseIds.Builder all = LeaseIds.newBuilder();
            ids.forEach(id -> all.addIds((Long) id));
            answer.setLeaseIds(all);
        } else if (result instanceof Boolean changed) {
            answer.setChanged(changed);
        } else if (result instanceof RaisedAlarms alarms) {
            answer.setAlarms(TailCodec.encode(alarms));
        } else if (result instanceof ReadPoint point) {
            answer.setReadPoint(TailCodec.encode(point));
        } else {
            throw new IllegalArgumentException("unknown result: " + result);
        }
        return answer.build();
    }

    /**
     * The result that {@link #encodeResult} made a message of.
     *
     * @throws IllegalArgumentException if this version does not know it
     */
    static Object decodeResult(CommandAnswer answer) {
        return switch (answer.getAnswerCase()) {
            case TXN -> new Reply<>(ResultCodec.decode(answer.getTxn()), Reservation.NONE);
            case REVISION -> answer.getRevision();
            case LEASE -> decode(answer.getLease());
            case LEASE_TIMES -> decode(answer.getLeaseTimes());
            case LEASE_IDS -> List.copyOf(answer.getLeaseIds().getIdsList());
            case CHANGED -> answer.getChanged();
            case ALARMS -> TailCodec.decode(answer.getAlarms());
            case READ_POINT -> TailCodec.decode(answer.getReadPoint());
            case ANSWER_NOT_SET -> throw new IllegalArgumentException("unknown result");
        };
    }

    private static io.brain.proto.peer.GrantedLease encode(GrantedLease lease) {
        return io.brain.proto.peer.GrantedLease.newBuilder()
                .setId(lease.id())
                .setTtl(lease.ttl())
                .setRevision(lease.revision())
                .build();
    }

    private static GrantedLease decode(io.brain.proto.peer.GrantedLease lease) {
        return new GrantedLease(lease.getId(), lease.getTtl(), lease.getRevision());
    }

    private static LeaseTimesAnswer encode(LeaseTimes times) {
        LeaseTimesAnswer.Builder answer =
                LeaseTimesAnswer.newBuilder()
                        .setId(times.id())
                        .setRemaining(times.remaining())
                        .setGranted(times.granted())
                        .setRevision(times.revision());
        times.keys().forEach(key -> answer.addKeys(StoredBytes.wrap(key)));
        return answer.build();
    }

    private static LeaseTimes decode(LeaseTimesAnswer times) {
        return new LeaseTimes(
                times.getId(),
                times.getRemaining(),
                times.getGranted(),
                ResultCodec.all(times.getKeysList()),
                times.getRevision());
    }
}
