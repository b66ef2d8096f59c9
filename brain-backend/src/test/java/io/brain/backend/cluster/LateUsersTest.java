package io.brain.backend.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.NodeFixture;
import io.brain.backend.auth.AuthChange;
import io.brain.backend.auth.AuthChanges;
import io.brain.backend.auth.AuthState;
import io.brain.backend.auth.Caller;
import io.brain.backend.auth.Permission;
import io.brain.backend.cluster.election.ScriptedLeader;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Reservation;
import io.brain.backend.model.Txn;
import io.brain.storage.Bytes;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Calls to a follower that does not know the newest users and roles of its leader. */
class LateUsersTest {
    private static final RangeQuery READ = RangeQuery.of(KeySpan.of(Bytes.utf8("a")));
    private static final Txn PUT = Txn.of(NodeFixture.putOf("a", "1", 0));

    private final ScriptedLeader leader = new ScriptedLeader();
    private AuthState leaders = AuthState.INITIAL;

    /** Refuses writes of callers whose revision is old, as a leader does. */
    LateUsersTest() {
        change(new AuthChange.AddUser("root", Bytes.EMPTY, false));
        change(new AuthChange.GrantRole("root", "root"));
        change(new AuthChange.AddUser("eve", Bytes.EMPTY, false));
        change(new AuthChange.AddRole("r"));
        change(new AuthChange.GrantRole("eve", "r"));
        change(
                new AuthChange.GrantPermission(
                        "r", new Permission(Permission.READ_WRITE, Bytes.utf8("a"), Bytes.EMPTY)));
        change(new AuthChange.Enable(Bytes.utf8("key")));
        leader.answers = this::answer;
        leader.sendStatus(5);
        var unused = read(Caller.NONE);
        assertThat(leader.node.auth().version()).isEqualTo(leaders.version());
        leader.calls.clear();
    }

    private void change(AuthChange change) {
        leaders = AuthChanges.apply(leaders, change);
    }

    private CompletableFuture<?> answer(String command) {
        return CompletableFuture.completedFuture(
                command.equals("GetAuth") ? leaders : leader.answer(5, leaders));
    }

    private CompletableFuture<Reply<OpResult.Range>> read(Caller caller) {
        var read = leader.node.range(READ, caller);
        leader.advanceInContact(Duration.ofMillis(100), 5);
        return read;
    }

    /** Eve by a token without a revision, valid as long as there is a user of that name. */
    private Caller eve() {
        AuthState now = leader.node.auth();
        if (now.user("eve") == null) {
            throw new BackendException(ErrorKind.INVALID_AUTH_TOKEN);
        }
        return new Caller("eve", now.revision()).verifiedBy(this::eve);
    }

    private Caller eveByTokenOfARevision() {
        Caller caller = new Caller("eve", leader.node.auth().revision());
        return caller.verifiedBy(() -> caller);
    }

    private static void assertFailed(CompletableFuture<?> call, ErrorKind kind) {
        assertThat(call).isCompletedExceptionally();
        Throwable failure = call.handle((value, thrown) -> thrown).join();
        assertThat(Failures.of(failure).kind()).isEqualTo(kind);
    }

    @Test
    void aReaderIsVerifiedByTheUsersOfTheReadPoint() {
        Caller early = eve();
        Caller ofARevision = eveByTokenOfARevision();
        change(new AuthChange.AddRole("unrelated"));
        assertThat(read(early)).isCompleted();
        assertThat(leader.calls).containsExactly("GetReadPoint", "GetAuth");
        assertFailed(read(ofARevision), ErrorKind.AUTH_OLD_REVISION);
    }

    @Test
    void aReadIsRepeatedIfTheLeaderGoesBeforeItTellsTheUsers() {
        Caller early = eve();
        change(new AuthChange.AddRole("unrelated"));
        AtomicInteger asked = new AtomicInteger();
        leader.answers =
                command ->
                        command.equals("GetAuth") && asked.getAndIncrement() == 0
                                ? CompletableFuture.failedFuture(
                                        new BackendException(ErrorKind.NOT_LEADER))
                                : answer(command);
        assertThat(read(early)).isCompleted();
        assertThat(leader.calls)
                .containsExactly("GetReadPoint", "GetAuth", "GetReadPoint", "GetAuth");
    }

    @Test
    void aReadOnlyTransactionIsToo() {
        Caller early = eve();
        change(new AuthChange.AddRole("unrelated"));
        var read = leader.node.txn(Txn.of(new Op.Range(READ)), 10, early);
        leader.advanceInContact(Duration.ofMillis(100), 5);
        assertThat(read).isCompleted();
    }

    @Test
    void whatAReaderHasLostIsRefused() {
        Caller early = eve();
        change(new AuthChange.RevokeRole("eve", "r"));
        assertFailed(read(early), ErrorKind.PERMISSION_DENIED);
        Caller last = eve();
        change(new AuthChange.DeleteUser("eve"));
        assertFailed(read(last), ErrorKind.INVALID_AUTH_TOKEN);
    }

    @Test
    void aWriterIsVerifiedAgainOnceIfTheLeaderKnowsNewerUsers() {
        Caller early = eve();
        change(new AuthChange.AddRole("unrelated"));
        assertThat(put(early, 1)).isCompleted();
        assertThat(leader.calls).containsExactly("RunTxn", "GetAuth", "RunTxn");
        leader.calls.clear();
        Caller late = eve();
        change(new AuthChange.AddRole("another"));
        assertFailed(put(late, 2), ErrorKind.AUTH_OLD_REVISION);
        assertThat(leader.calls).containsExactly("RunTxn", "GetAuth", "RunTxn");
    }

    @Test
    void aWriterWithATokenOfARevisionIsNot() {
        Caller ofARevision = eveByTokenOfARevision();
        change(new AuthChange.AddRole("unrelated"));
        assertFailed(put(ofARevision, 1), ErrorKind.AUTH_OLD_REVISION);
        assertThat(leader.calls).containsExactly("RunTxn", "GetAuth");
    }

    @Test
    void aWriterWhoseTokenEndedIsRefused() {
        Caller early = eve();
        change(new AuthChange.DeleteUser("eve"));
        assertFailed(put(early, 1), ErrorKind.INVALID_AUTH_TOKEN);
        assertThat(leader.calls).containsExactly("RunTxn", "GetAuth");
    }

    /** A write that the leader refuses some times because its caller's revision is old. */
    private CompletableFuture<?> put(Caller caller, int refusals) {
        int[] left = {refusals};
        leader.answers =
                command ->
                        !command.equals("RunTxn")
                                ? answer(command)
                                : left[0]-- > 0
                                        ? CompletableFuture.failedFuture(
                                                new BackendException(ErrorKind.AUTH_OLD_REVISION))
                                        : CompletableFuture.completedFuture(done());
        CompletableFuture<?> put = leader.node.txn(PUT, 10, caller);
        leader.advanceInContact(Duration.ofMillis(100), 5);
        return put;
    }

    private static Reply<OpResult.Txn> done() {
        OpResult.Txn answer = new OpResult.Txn(5, true, List.of(new OpResult.Put(5, null)));
        return new Reply<>(answer, Reservation.NONE);
    }
}
