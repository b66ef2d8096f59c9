package io.brain.server.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.auth.AuthChange;
import io.brain.backend.auth.AuthChanges;
import io.brain.backend.auth.AuthCodec;
import io.brain.backend.auth.AuthState;
import io.brain.backend.auth.Caller;
import io.brain.backend.auth.Permission;
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
import io.brain.backend.cluster.link.LeaderLink;
import io.brain.backend.cluster.link.RaisedAlarms;
import io.brain.backend.fair.Tenant;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.GrantedLease;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.LeaseTimes;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Reservation;
import io.brain.backend.model.Txn;
import io.brain.backend.store.ReadPoint;
import io.brain.server.Eventually;
import io.brain.storage.Bytes;
import io.grpc.Context;
import io.grpc.Deadline;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class LeaderCallsTest {
    private static final Txn PUT =
            Txn.of(new Op.Put(Bytes.utf8("k"), Bytes.utf8("v"), 0, false, false, false));
    private static final OpResult.Txn DONE =
            new OpResult.Txn(7, true, List.of(new OpResult.Put(7, null)));

    /** A call that has to reach the leader before its deadline does so within this. */
    private static final long ARRIVES_MILLIS = 2_000;

    private final Set<Class<?>> sent = new HashSet<>();

    /** Each kind of change, in an order in which all succeed. */
    private static final List<AuthChange> AUTH_CHANGES =
            List.of(
                    new AuthChange.AddUser("root", Bytes.utf8("hash"), false),
                    new AuthChange.AddUser("eve", Bytes.EMPTY, true),
                    new AuthChange.ChangePassword("root", Bytes.utf8("other")),
                    new AuthChange.GrantRole("root", "root"),
                    new AuthChange.AddRole("readers"),
                    new AuthChange.AddRole("none"),
                    new AuthChange.GrantPermission(
                            "readers", new Permission(0, Bytes.utf8("a"), Bytes.utf8("b"))),
                    new AuthChange.GrantPermission(
                            "readers", new Permission(2, Bytes.utf8("c"), Bytes.EMPTY)),
                    new AuthChange.RevokePermission("readers", Bytes.utf8("c"), Bytes.EMPTY),
                    new AuthChange.GrantRole("eve", "readers"),
                    new AuthChange.RevokeRole("eve", "readers"),
                    new AuthChange.DeleteRole("none"),
                    new AuthChange.DeleteUser("eve"),
                    new AuthChange.Enable(Bytes.utf8("key")),
                    new AuthChange.Disable());

    private PeerNode node;
    private LeaderLink link;

    @BeforeEach
    void start() throws Exception {
        node = new PeerNode();
        link = node.link();
        check(new ListLeases(), List.of()); // loads classes before calls with short deadlines
        sent.clear();
    }

    @AfterEach
    void stop() {
        node.close();
    }

    @Test
    void everyCommandReturnsItsResult() throws Exception {
        check(new Compact(9, true), 10L);
        check(new Compact(-3, false), -1L);
        check(new GrantLease(-5, 60), new GrantedLease(-5, 60, 4));
        check(new RevokeLease(5), 11L);
        check(new KeepLeaseAlive(6), new GrantedLease(6, 0, 4));
        check(
                new GetLeaseTimes(6, true),
                new LeaseTimes(6, -1, 0, List.of(Bytes.utf8("a"), Bytes.utf8("b")), 9));
        check(new ListLeases(), List.of(1L, -2L, Long.MAX_VALUE));
        Alarm alarm = new Alarm(-77, Alarm.NO_SPACE);
        check(new RaiseAlarm(alarm), true);
        check(new DisarmAlarm(new Alarm(0, 99)), false);
        RaisedAlarms raised = new RaisedAlarms(3, 1L << 40, new TreeSet<>(List.of(alarm)));
        check(new ListAlarms(), raised);
        check(new GetReadPoint(), new LeaderPoint(new ReadPoint(12, 1L << 60), 7));
        for (AuthChange change : AUTH_CHANGES) {
            check(new ChangeAuth(change), new AuthAnswer(5, 1L << 40));
        }
        check(new RevokeLease(5).by(new Caller("alice", 1L << 50)), 11L);
        Tenant client = Tenant.connection("10.0.0.1:5", "another server");
        check(new RevokeLease(5).by(Caller.of(client)), 11L);
        check(new RevokeLease(5).by(Caller.of("", 9, client)), 11L);
        sent.add(RunTxn.class); // tested below
        sent.add(GetAuth.class);
        assertThat(sent).containsExactlyInAnyOrder(LeaderCommand.class.getPermittedSubclasses());
    }

    @Test
    void theStateOfAuthenticationIsReturned() throws Exception {
        AuthState state = AuthState.INITIAL;
        for (AuthChange change : AUTH_CHANGES) {
            state = AuthChanges.apply(state, change);
        }
        CompletableFuture<AuthState> call = link.submit(new GetAuth());
        node.leader.next().result().complete(state);
        AuthState received = call.get(30, TimeUnit.SECONDS);
        assertThat(AuthCodec.encode(received)).isEqualTo(AuthCodec.encode(state));
        assertThat(received.version()).isEqualTo(state.version());
    }

    private <T> void check(LeaderCommand<T> command, T result) throws Exception {
        sent.add(command.getClass());
        CompletableFuture<T> call = link.submit(command);
        FakeLeader.Received received = node.leader.next();
        assertThat(received.command()).isEqualTo(command);
        received.result().complete(result);
        assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo(result);
    }

    @Test
    void aTransactionReturnsItsResultAndReleasesTheReservation() throws Exception {
        CompletableFuture<Reply<OpResult.Txn>> call = link.submit(new RunTxn(PUT, 123));
        FakeLeader.Received received = node.leader.next();
        assertThat(received.command()).isEqualTo(new RunTxn(PUT, 123));
        AtomicBoolean closed = new AtomicBoolean();
        received.result().complete(new Reply<>(DONE, () -> closed.set(true)));
        assertThat(call.get(30, TimeUnit.SECONDS).answer()).isEqualTo(DONE);
        Eventually.holds(closed::get);
    }

    @ParameterizedTest
    @EnumSource
    void everyKindOfErrorIsReturned(ErrorKind kind) throws Exception {
        CompletableFuture<?> call = link.submit(new RunTxn(PUT, 1));
        node.leader.next().result().completeExceptionally(new BackendException(kind));
        assertThat(kindOf(call)).isEqualTo(kind);
    }

    @Test
    void anUnexpectedErrorIsInternal() throws Exception {
        CompletableFuture<?> call = link.submit(new ListLeases());
        node.leader.next().result().completeExceptionally(new IllegalStateException("test"));
        assertThat(kindOf(call)).isEqualTo(ErrorKind.INTERNAL);
    }

    @Test
    void aCancelledFutureIsCancelledOnTheLeader() throws Exception {
        CompletableFuture<?> call = link.submit(new RunTxn(PUT, 1));
        FakeLeader.Received received = node.leader.next();
        call.cancel(false);
        Eventually.holds(received.result()::isCancelled);
        check(new ListLeases(), List.of());
    }

    @Test
    void aResultAfterCancellationIsReleased() throws Exception {
        CompletableFuture<?> call = link.submit(new RunTxn(PUT, 1));
        FakeLeader.Received received = node.leader.next();
        AtomicBoolean closed = new AtomicBoolean();
        Reservation held = () -> closed.set(true);
        CompletableFuture<Object> result = received.result();
        call.cancel(false);
        Eventually.holds(result::isDone);
        if (!result.complete(new Reply<>(DONE, held))) {
            held.close(); // as the backend does with unneeded results
        }
        assertThat(closed).isTrue();
    }

    @Test
    void cancellingTheClientsCallCancelsTheForwardedCall() throws Exception {
        Context.CancellableContext client = Context.current().withCancellation();
        CompletableFuture<?> call = client.call(() -> link.submit(new RunTxn(PUT, 1)));
        FakeLeader.Received received = node.leader.next();
        client.cancel(null);
        Eventually.holds(received.result()::isCancelled);
        Eventually.holds(call::isDone);
        assertThat(call.isCancelled()).isTrue();
    }

    @Test
    void aSharedReadPointSurvivesCancellationByTheFirstClient() throws Exception {
        Context.CancellableContext client = Context.current().withCancellation();
        CompletableFuture<?> call = client.call(() -> link.submit(new GetReadPoint()));
        FakeLeader.Received received = node.leader.next();
        client.cancel(null);
        LeaderPoint point = new LeaderPoint(new ReadPoint(3, 4), 2);
        received.result().complete(point);
        assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo(point);
    }

    @Test
    void theClientsDeadlineEndsTheCall() throws Exception {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        try {
            Context client =
                    Context.current()
                            .withDeadline(
                                    Deadline.after(ARRIVES_MILLIS, TimeUnit.MILLISECONDS), timer);
            CompletableFuture<?> call = client.call(() -> link.submit(new RunTxn(PUT, 1)));
            FakeLeader.Received received = node.leader.next();
            Eventually.holds(call::isDone);
            Eventually.holds(received.result()::isCancelled);
        } finally {
            timer.shutdownNow();
        }
    }

    @Test
    void aForwardedCallHasADeadline() throws Exception {
        LeaderLink hasty = node.link(Duration.ofMillis(ARRIVES_MILLIS), node.url());
        CompletableFuture<?> call = hasty.submit(new RunTxn(PUT, 1));
        FakeLeader.Received received = node.leader.next();
        assertThat(kindOf(call)).isEqualTo(ErrorKind.TIMEOUT);
        Eventually.holds(received.result()::isCancelled);
    }

    @Test
    void aPhysicalCompactionHasNoDeadline() throws Exception {
        LeaderLink hasty = node.link(Duration.ofMillis(ARRIVES_MILLIS), node.url());
        CompletableFuture<Long> call = hasty.submit(new Compact(5, true));
        FakeLeader.Received received = node.leader.next();
        Thread.sleep(2 * ARRIVES_MILLIS);
        received.result().complete(6L);
        assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo(6);
    }

    @Test
    void aLargeTransactionAndALargeResultAreReceived() throws Exception {
        Bytes large = Bytes.wrap(new byte[1_572_864]);
        Txn txn = Txn.of(new Op.Put(Bytes.utf8("k"), large, 0, true, false, false));
        CompletableFuture<Reply<OpResult.Txn>> call = link.submit(new RunTxn(txn, large.length()));
        FakeLeader.Received received = node.leader.next();
        assertThat(((RunTxn) received.command()).txn()).isEqualTo(txn);
        Bytes larger = Bytes.wrap(new byte[20 << 20]);
        OpResult.Txn result =
                new OpResult.Txn(
                        1, true, List.of(new OpResult.Range(1, List.of(larger), false, 1)));
        received.result().complete(new Reply<>(result, Reservation.NONE));
        assertThat(call.get(30, TimeUnit.SECONDS).answer()).isEqualTo(result);
    }

    @Test
    void aDeeplyNestedTransactionIsReceived() throws Exception {
        Txn txn = Txn.of(new Op.Delete(KeySpan.of(Bytes.utf8("k")), false));
        OpResult.Txn result =
                new OpResult.Txn(5, true, List.of(new OpResult.Delete(5, 0, List.of())));
        for (int i = 0; i < 128; i++) {
            txn = Txn.of(new Op.Nested(txn));
            result = new OpResult.Txn(5, true, List.of(result));
        }
        CompletableFuture<Reply<OpResult.Txn>> call = link.submit(new RunTxn(txn, 1));
        FakeLeader.Received received = node.leader.next();
        assertThat(((RunTxn) received.command()).txn()).isEqualTo(txn);
        received.result().complete(new Reply<>(result, Reservation.NONE));
        assertThat(call.get(30, TimeUnit.SECONDS).answer()).isEqualTo(result);
    }

    static ErrorKind kindOf(CompletableFuture<?> call) throws Exception {
        try {
            Object result = call.get(20, TimeUnit.SECONDS);
            throw new AssertionError("completed: " + result);
        } catch (java.util.concurrent.ExecutionException failed) {
            return ((BackendException) failed.getCause()).kind();
        }
    }
}
