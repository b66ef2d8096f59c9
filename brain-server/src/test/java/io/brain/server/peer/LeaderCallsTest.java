package io.brain.server.peer;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.brain.backend.cluster.link.LeaderLink;
import io.brain.backend.cluster.link.RaisedAlarms;
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
import io.brain.server.etcd.Eventually;
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

@Timeout(30)
class LeaderCallsTest {
    private static final Txn PUT =
            Txn.of(new Op.Put(Bytes.utf8("k"), Bytes.utf8("v"), 0, false, false, false));
    private static final OpResult.Txn DONE =
            new OpResult.Txn(7, true, List.of(new OpResult.Put(7, null)));

    private final Set<Class<?>> sent = new HashSet<>();
    private PeerNode node;
    private LeaderLink link;

    @BeforeEach
    void start() throws Exception {
        node = new PeerNode();
        link = node.link();
    }

    @AfterEach
    void stop() {
        node.close();
    }

    @Test
    void everyCallArrivesAndIsAnswered() throws Exception {
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
        check(new GetReadPoint(), new ReadPoint(12, 1L << 60));
        sent.add(RunTxn.class); // it has tests of its own
        assertThat(sent).containsExactlyInAnyOrder(LeaderCommand.class.getPermittedSubclasses());
    }

    private <T> void check(LeaderCommand<T> command, T answer) throws Exception {
        sent.add(command.getClass());
        CompletableFuture<T> call = link.submit(command);
        FakeLeader.Asked seen = node.leader.next();
        assertThat(seen.command()).isEqualTo(command);
        seen.answer().complete(answer);
        assertThat(call.get(10, TimeUnit.SECONDS)).isEqualTo(answer);
    }

    @Test
    void aTransactionArrivesAndWhatItsAnswerHoldsIsGivenBack() throws Exception {
        CompletableFuture<Reply<OpResult.Txn>> call = link.submit(new RunTxn(PUT, 123));
        FakeLeader.Asked seen = node.leader.next();
        assertThat(seen.command()).isEqualTo(new RunTxn(PUT, 123));
        AtomicBoolean closed = new AtomicBoolean();
        seen.answer().complete(new Reply<>(DONE, () -> closed.set(true)));
        assertThat(call.get(10, TimeUnit.SECONDS).answer()).isEqualTo(DONE);
        Eventually.holds(closed::get);
    }

    @ParameterizedTest
    @EnumSource
    void everyKindOfErrorArrives(ErrorKind kind) throws Exception {
        CompletableFuture<?> call = link.submit(new RunTxn(PUT, 1));
        node.leader.next().answer().completeExceptionally(new BackendException(kind));
        assertThat(kindOf(call)).isEqualTo(kind);
    }

    @Test
    void anUnexpectedErrorIsAnInternalOne() throws Exception {
        CompletableFuture<?> call = link.submit(new ListLeases());
        node.leader.next().answer().completeExceptionally(new IllegalStateException("test"));
        assertThat(kindOf(call)).isEqualTo(ErrorKind.INTERNAL);
    }

    @Test
    void aCancelledFutureIsCancelledOnTheLeader() throws Exception {
        CompletableFuture<?> call = link.submit(new RunTxn(PUT, 1));
        FakeLeader.Asked seen = node.leader.next();
        call.cancel(false);
        Eventually.holds(seen.answer()::isCancelled);
        check(new ListLeases(), List.of());
    }

    @Test
    void whatIsAnsweredAfterACancellationIsGivenBack() throws Exception {
        CompletableFuture<?> call = link.submit(new RunTxn(PUT, 1));
        FakeLeader.Asked seen = node.leader.next();
        AtomicBoolean closed = new AtomicBoolean();
        Reservation held = () -> closed.set(true);
        CompletableFuture<Object> answer = seen.answer();
        call.cancel(false);
        Eventually.holds(answer::isDone);
        if (!answer.complete(new Reply<>(DONE, held))) {
            held.close(); // as a backend does whose answer nobody takes
        }
        assertThat(closed).isTrue();
    }

    @Test
    void theCallEndsWithTheClientItIsMadeFor() throws Exception {
        Context.CancellableContext client = Context.current().withCancellation();
        CompletableFuture<?> call = client.call(() -> link.submit(new RunTxn(PUT, 1)));
        FakeLeader.Asked seen = node.leader.next();
        client.cancel(null);
        Eventually.holds(seen.answer()::isCancelled);
        Eventually.holds(call::isDone);
        assertThat(call.isCancelled()).isTrue();
    }

    @Test
    void aReadPointThatManyWaitForOutlivesTheClientThatCameFirst() throws Exception {
        Context.CancellableContext client = Context.current().withCancellation();
        CompletableFuture<?> call = client.call(() -> link.submit(new GetReadPoint()));
        FakeLeader.Asked seen = node.leader.next();
        client.cancel(null);
        seen.answer().complete(new ReadPoint(3, 4));
        assertThat(call.get(10, TimeUnit.SECONDS)).isEqualTo(new ReadPoint(3, 4));
    }

    @Test
    void theClientsDeadlineEndsTheCall() throws Exception {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        try {
            Context client =
                    Context.current()
                            .withDeadline(Deadline.after(200, TimeUnit.MILLISECONDS), timer);
            CompletableFuture<?> call = client.call(() -> link.submit(new RunTxn(PUT, 1)));
            FakeLeader.Asked seen = node.leader.next();
            Eventually.holds(call::isDone);
            Eventually.holds(seen.answer()::isCancelled);
        } finally {
            timer.shutdownNow();
        }
    }

    @Test
    void aCallHasADeadlineOfItsOwn() throws Exception {
        LeaderLink hasty = node.link(Duration.ofMillis(200), node.url());
        CompletableFuture<?> call = hasty.submit(new RunTxn(PUT, 1));
        FakeLeader.Asked seen = node.leader.next();
        assertThat(kindOf(call)).isEqualTo(ErrorKind.TIMEOUT);
        Eventually.holds(seen.answer()::isCancelled);
    }

    @Test
    void aPhysicalCompactionTakesAsLongAsItTakes() throws Exception {
        LeaderLink hasty = node.link(Duration.ofMillis(100), node.url());
        CompletableFuture<Long> call = hasty.submit(new Compact(5, true));
        FakeLeader.Asked seen = node.leader.next();
        Thread.sleep(500);
        seen.answer().complete(6L);
        assertThat(call.get(10, TimeUnit.SECONDS)).isEqualTo(6);
    }

    @Test
    void aLargeTransactionAndALargeAnswerPass() throws Exception {
        Bytes large = Bytes.wrap(new byte[1_572_864]);
        Txn txn = Txn.of(new Op.Put(Bytes.utf8("k"), large, 0, true, false, false));
        CompletableFuture<Reply<OpResult.Txn>> call = link.submit(new RunTxn(txn, large.length()));
        FakeLeader.Asked seen = node.leader.next();
        assertThat(((RunTxn) seen.command()).txn()).isEqualTo(txn);
        Bytes larger = Bytes.wrap(new byte[20 << 20]);
        OpResult.Txn answer =
                new OpResult.Txn(
                        1, true, List.of(new OpResult.Range(1, List.of(larger), false, 1)));
        seen.answer().complete(new Reply<>(answer, Reservation.NONE));
        assertThat(call.get(10, TimeUnit.SECONDS).answer()).isEqualTo(answer);
    }

    @Test
    void aDeepTransactionPasses() throws Exception {
        Txn txn = Txn.of(new Op.Delete(KeySpan.of(Bytes.utf8("k")), false));
        OpResult.Txn answer =
                new OpResult.Txn(5, true, List.of(new OpResult.Delete(5, 0, List.of())));
        for (int i = 0; i < 128; i++) {
            txn = Txn.of(new Op.Nested(txn));
            answer = new OpResult.Txn(5, true, List.of(answer));
        }
        CompletableFuture<Reply<OpResult.Txn>> call = link.submit(new RunTxn(txn, 1));
        FakeLeader.Asked seen = node.leader.next();
        assertThat(((RunTxn) seen.command()).txn()).isEqualTo(txn);
        seen.answer().complete(new Reply<>(answer, Reservation.NONE));
        assertThat(call.get(10, TimeUnit.SECONDS).answer()).isEqualTo(answer);
    }

    static ErrorKind kindOf(CompletableFuture<?> call) throws Exception {
        try {
            Object answer = call.get(20, TimeUnit.SECONDS);
            throw new AssertionError("answered: " + answer);
        } catch (java.util.concurrent.ExecutionException failed) {
            return ((BackendException) failed.getCause()).kind();
        }
    }
}
