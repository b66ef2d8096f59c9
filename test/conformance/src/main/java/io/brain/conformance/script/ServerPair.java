package io.brain.conformance.script;

import io.brain.conformance.compare.Names;
import io.brain.conformance.compare.Transcript;
import io.brain.conformance.server.Server;
import io.brain.conformance.server.ServerCommand;
import io.brain.proto.etcd.AlarmRequest;
import io.brain.proto.etcd.AlarmRequest.AlarmAction;
import io.brain.proto.etcd.AlarmType;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.LeaseLeasesRequest;
import io.brain.proto.etcd.LeaseRevokeRequest;
import io.brain.proto.etcd.LeaseStatus;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.grpc.Channel;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;

/**
 * Two servers that get the same requests and stay in lock step: as long as they agree, they are at
 * the same revision, and are emptied and used again. Used by one thread at a time.
 */
public final class ServerPair implements AutoCloseable {
    /** How often a scenario that is left to chance is played again. */
    private static final int AGAIN_MAX = 3;

    private final ServerCommand leftCommand;
    private final ServerCommand rightCommand;
    private final UnaryOperator<Channel> rightVia;
    private final ExecutorService players = Executors.newFixedThreadPool(2);
    private List<String> flags = List.of();
    private Server left;
    private Server right;

    public ServerPair(ServerCommand left, ServerCommand right) {
        this(left, right, UnaryOperator.identity());
    }

    /**
     * @param rightVia what the calls to the second server go through: tests of the comparison
     *     itself put something there that changes answers
     */
    public ServerPair(ServerCommand left, ServerCommand right, UnaryOperator<Channel> rightVia) {
        this.leftCommand = left;
        this.rightCommand = right;
        this.rightVia = rightVia;
    }

    /** Plays the scenario to both; one that is left to chance again, if need be. */
    public Verdict play(Scenario scenario) throws InterruptedException {
        Verdict verdict = playOnce(scenario);
        for (int i = 0; i < AGAIN_MAX && scenario.isLeftToChance() && !verdict.passed(); i++) {
            verdict = playOnce(scenario);
        }
        return verdict;
    }

    private Verdict playOnce(Scenario scenario) throws InterruptedException {
        if (scenario.fresh() || !readyAgain(scenario.flags())) {
            startFresh(scenario.flags());
        }
        Transcript leftTranscript = new Transcript();
        Transcript rightTranscript = new Transcript();
        boolean completed =
                both(
                        () -> play(scenario, left, UnaryOperator.identity(), leftTranscript),
                        () -> play(scenario, right, rightVia, rightTranscript));
        String differences =
                Transcript.differences(
                        leftCommand.name(), leftTranscript, rightCommand.name(), rightTranscript);
        differences += deaths();
        if (scenario.fresh() || !completed || !differences.isEmpty()) {
            stop();
        }
        if (!completed && differences.isEmpty()) {
            differences = "  ! the scenario stopped on both sides: " + leftTranscript.entries();
        }
        return new Verdict(scenario, leftTranscript, differences);
    }

    /** Which server has died, and its last words; empty if both live. */
    public String deaths() {
        StringBuilder text = new StringBuilder();
        for (Server server : List.of(left, right)) {
            String words = server.lastWords();
            if (words != null) {
                text.append("  ! ").append(server.name()).append(" has died").append(words);
                text.append('\n');
            }
        }
        return text.toString();
    }

    /** Runs one action per server at the same time; true if both return true. */
    public boolean both(Callable<Boolean> onLeft, Callable<Boolean> onRight)
            throws InterruptedException {
        // Both end before either's failure is passed on: nothing is left under way.
        List<Future<Boolean>> ended = players.invokeAll(List.of(onLeft, onRight));
        try {
            boolean firstDone = ended.get(0).get();
            return ended.get(1).get() && firstDone;
        } catch (ExecutionException e) {
            throw new IllegalStateException("a player fell over", e.getCause());
        }
    }

    /** Replaces both servers by new ones on empty directories. */
    public void startFresh(List<String> serverFlags) throws InterruptedException {
        stop();
        flags = List.copyOf(serverFlags);
        both(
                () -> {
                    left = Server.start(leftCommand, flags);
                    return true;
                },
                () -> {
                    right = Server.start(rightCommand, flags);
                    return true;
                });
    }

    /** Stops both servers; the next scenario gets new ones. */
    public void stop() {
        if (left != null) {
            left.close();
            left = null;
        }
        if (right != null) {
            right.close();
            right = null;
        }
    }

    public String leftName() {
        return leftCommand.name();
    }

    public String rightName() {
        return rightCommand.name();
    }

    /** Calls to the first server, as long as it is not restarted. */
    public Wire leftWire(Names names) {
        return new Wire(left.channel(), names);
    }

    /** As {@link #leftWire}, to the second. */
    public Wire rightWire(Names names) {
        return new Wire(rightVia.apply(right.channel()), names);
    }

    /** Kills both servers without warning and starts them again on the same directories. */
    public void killAndRestart() throws InterruptedException {
        both(
                () -> {
                    left.killAndRestart();
                    return true;
                },
                () -> {
                    right.killAndRestart();
                    return true;
                });
    }

    /**
     * Empties both servers; false if they are not running with these flags, or do not agree any
     * more.
     */
    public boolean readyAgain(List<String> wantedFlags) throws InterruptedException {
        if (left == null || right == null || !flags.equals(wantedFlags)) {
            return false;
        }
        try {
            return both(() -> empty(leftWire(new Names())), () -> empty(rightWire(new Names())))
                    && revision(leftWire(new Names())) == revision(rightWire(new Names()));
        } catch (IllegalStateException e) {
            return false; // one of them answers no more
        }
    }

    @Override
    public void close() {
        stop();
        players.shutdownNow();
    }

    private static boolean play(
            Scenario scenario, Server server, UnaryOperator<Channel> via, Transcript transcript) {
        try (Session session = new Session(server, via, transcript)) {
            scenario.script().play(session);
            return true;
        } catch (Exception e) {
            transcript.add("the scenario stops", e.toString());
            return false;
        }
    }

    private static boolean empty(Wire wire) {
        for (AlarmType type : List.of(AlarmType.NOSPACE, AlarmType.CORRUPT)) {
            AlarmRequest off =
                    AlarmRequest.newBuilder()
                            .setAction(AlarmAction.DEACTIVATE)
                            .setAlarm(type)
                            .build();
            wire.call(MaintenanceGrpc.getAlarmMethod(), off);
        }
        List<LeaseStatus> leases =
                wire.call(LeaseGrpc.getLeaseLeasesMethod(), LeaseLeasesRequest.getDefaultInstance())
                        .get()
                        .getLeasesList();
        // Keys first: revoking a lease then changes no revision, whatever the order.
        wire.call(
                        KVGrpc.getDeleteRangeMethod(),
                        Requests.delete(Requests.ZERO, Requests.ZERO).build())
                .get();
        for (LeaseStatus lease : leases) {
            wire.call(
                    LeaseGrpc.getLeaseRevokeMethod(),
                    LeaseRevokeRequest.newBuilder().setID(lease.getID()).build());
        }
        return true;
    }

    private static long revision(Wire wire) {
        return wire.call(KVGrpc.getRangeMethod(), Requests.get("?").build())
                .get()
                .getHeader()
                .getRevision();
    }
}
