package io.brain.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.brain.backend.auth.AuthChange;
import io.brain.backend.auth.AuthState;
import io.brain.backend.auth.Caller;
import io.brain.backend.auth.Permission;
import io.brain.backend.cluster.link.LeaderCommand.ChangeAuth;
import io.brain.backend.cluster.link.LeaderCommand.GetLeaseTimes;
import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.cluster.link.LeaderCommand.KeepLeaseAlive;
import io.brain.backend.cluster.link.LeaderCommand.ListLeases;
import io.brain.backend.cluster.link.LeaderCommand.RaiseAlarm;
import io.brain.backend.cluster.link.LeaderCommand.RevokeLease;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.Compare;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Txn;
import io.brain.storage.Bytes;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Permissions of the calls of a node: eve reads and writes "e...", and only writes "w...". */
class PermissionsTest {
    private final NodeFixture fixture = new NodeFixture(1);

    @BeforeEach
    void enable() {
        fixture.open();
        fixture.put("other", "v");
        fixture.await(fixture.node.submit(new GrantLease(5, 1000)));
        fixture.await(fixture.node.submit(new GrantLease(6, 1000)));
        fixture.put("other2", "v", 5);
        fixture.put("e2", "v", 6);
        change(new AuthChange.AddUser("root", Bytes.EMPTY, false));
        change(new AuthChange.GrantRole("root", "root"));
        change(new AuthChange.AddUser("eve", Bytes.EMPTY, false));
        change(new AuthChange.AddRole("r"));
        change(new AuthChange.GrantRole("eve", "r"));
        grant(Permission.READ_WRITE, "e", "f");
        grant(Permission.WRITE, "w", "x");
        change(new AuthChange.Enable(Bytes.utf8("key")));
    }

    private void change(AuthChange change) {
        fixture.await(fixture.node.submit(new ChangeAuth(change).by(root())));
    }

    private void grant(int type, String key, String end) {
        change(
                new AuthChange.GrantPermission(
                        "r", new Permission(type, Bytes.utf8(key), Bytes.utf8(end))));
    }

    private Caller root() {
        return new Caller("root", fixture.node.auth().revision());
    }

    private Caller eve() {
        return new Caller("eve", fixture.node.auth().revision());
    }

    private static Op put(String key, long lease, boolean prevKv) {
        return new Op.Put(Bytes.utf8(key), Bytes.utf8("n"), lease, prevKv, false, false);
    }

    private static Op delete(String key, boolean prevKv) {
        return new Op.Delete(KeySpan.of(Bytes.utf8(key)), prevKv);
    }

    private static Op range(String key, String end) {
        return new Op.Range(RangeQuery.of(KeySpan.of(Bytes.utf8(key), Bytes.utf8(end))));
    }

    private static Txn nested(Op op) {
        return Txn.of(new Op.Nested(Txn.of(op)));
    }

    private void run(Txn txn, Caller caller) {
        fixture.await(fixture.node.txn(txn, 100, caller)).held().close();
    }

    private void refused(Txn txn, Caller caller, ErrorKind kind) {
        refused(fixture.node.txn(txn, 100, caller), kind);
    }

    private void denied(Txn txn) {
        refused(txn, eve(), ErrorKind.PERMISSION_DENIED);
    }

    private void refused(CompletableFuture<?> call, ErrorKind kind) {
        Throwable failure = catchThrowable(() -> fixture.await(call));
        assertThat(Failures.of(failure).kind()).isEqualTo(kind);
    }

    @Test
    void nobodyMayReadOrWrite() {
        refused(Txn.of(put("e", 0, false)), Caller.NONE, ErrorKind.USER_EMPTY);
        refused(Txn.of(range("e", "")), Caller.NONE, ErrorKind.USER_EMPTY);
        RangeQuery query = RangeQuery.of(KeySpan.of(Bytes.utf8("e")));
        refused(fixture.node.range(query, Caller.NONE), ErrorKind.USER_EMPTY);
        refused(fixture.node.range(query, new Caller("eve", 1)), ErrorKind.AUTH_OLD_REVISION);
    }

    @Test
    void permittedCallsAreDone() {
        run(Txn.of(put("e1", 0, true)), eve());
        run(Txn.of(put("w1", 0, false)), eve());
        run(Txn.of(delete("w1", false)), eve());
        run(Txn.of(range("e", "f")), eve());
        run(Txn.of(put("other", 0, true)), root());
    }

    @Test
    void aWholeRangeMustBePermitted() {
        denied(Txn.of(range("e", "g")));
        denied(Txn.of(range("other", "")));
        RangeQuery query = RangeQuery.of(KeySpan.of(Bytes.utf8("\0"), Bytes.utf8("\0")));
        refused(fixture.node.range(query, eve()), ErrorKind.PERMISSION_DENIED);
    }

    /** CVE-2026-33343. */
    @Test
    void nestedTransactionsAreChecked() {
        denied(nested(put("other", 0, false)));
        denied(nested(delete("other", false)));
        denied(nested(range("other", "")));
        denied(new Txn(List.of(), List.of(), List.of(new Op.Nested(nested(range("other", ""))))));
    }

    /** CVE-2026-44283. */
    @Test
    void replacedValuesAndLeasesAreChecked() {
        denied(Txn.of(put("w1", 0, true)));
        denied(nested(put("w1", 0, true)));
        denied(Txn.of(delete("w1", true)));
        denied(Txn.of(put("e1", 5, false)));
        denied(nested(put("e1", 5, false)));
        run(Txn.of(put("e1", 6, false)), eve());
    }

    @Test
    void comparesAndBothBranchesAreChecked() {
        Compare compare =
                new Compare(
                        KeySpan.of(Bytes.utf8("other")),
                        Compare.Target.VERSION,
                        Compare.Relation.EQUAL,
                        0,
                        Bytes.EMPTY);
        denied(new Txn(List.of(compare), List.of(put("e1", 0, false)), List.of()));
        denied(new Txn(List.of(), List.of(put("e1", 0, false)), List.of(put("x", 0, false))));
    }

    /** etcd-io/etcd#22386. */
    @Test
    void anAlarmDropsNoCheck() {
        fixture.await(fixture.node.submit(new RaiseAlarm(new Alarm(1, Alarm.NO_SPACE))));
        denied(Txn.of(delete("other", false)));
        denied(nested(delete("other", false)));
        refused(fixture.node.submit(new RevokeLease(5).by(eve())), ErrorKind.PERMISSION_DENIED);
        run(Txn.of(delete("e2", false)), eve());
        refused(Txn.of(put("e", 0, false)), eve(), ErrorKind.NO_SPACE);
    }

    /** As in etcd: an operator may have to sign in, or to lock somebody out. */
    @Test
    void usersAreChangedUnderAnAlarm() {
        fixture.await(fixture.node.submit(new RaiseAlarm(new Alarm(1, Alarm.CORRUPT))));
        change(new AuthChange.RevokeRole("eve", "r"));
        refused(Txn.of(put("e1", 0, false)), root(), ErrorKind.CORRUPT);
        refused(Txn.of(put("e1", 0, false)), eve(), ErrorKind.CORRUPT);
        change(new AuthChange.Disable());
        refused(Txn.of(put("e1", 0, false)), Caller.NONE, ErrorKind.CORRUPT);
    }

    /** CVE-2026-33413, the part about leases. */
    @Test
    void leasesBelongToWhoMayUseAllTheirKeys() {
        refused(fixture.node.submit(new RevokeLease(5)), ErrorKind.USER_EMPTY);
        refused(fixture.node.submit(new KeepLeaseAlive(5)), ErrorKind.USER_EMPTY);
        refused(fixture.node.submit(new ListLeases()), ErrorKind.USER_EMPTY);
        refused(fixture.node.submit(new RevokeLease(5).by(eve())), ErrorKind.PERMISSION_DENIED);
        refused(fixture.node.submit(new KeepLeaseAlive(5).by(eve())), ErrorKind.PERMISSION_DENIED);
        refused(
                fixture.node.submit(new GetLeaseTimes(5, true).by(eve())),
                ErrorKind.PERMISSION_DENIED);
        refused(fixture.node.submit(new ListLeases().by(eve())), ErrorKind.PERMISSION_DENIED);
        assertThat(fixture.await(fixture.node.submit(new KeepLeaseAlive(6).by(eve()))).ttl())
                .isEqualTo(1000);
        assertThat(fixture.await(fixture.node.submit(new ListLeases().by(root())))).hasSize(2);
        fixture.await(fixture.node.submit(new RevokeLease(6).by(eve())));
        assertThat(
                        fixture.await(
                                        fixture.node.range(
                                                RangeQuery.of(KeySpan.of(Bytes.utf8("e2"))), eve()))
                                .answer()
                                .kvs())
                .isEmpty();
    }

    @Test
    void aWriteIsCheckedAtItsPlaceInTheOrder() {
        Caller before = eve();
        var revoked =
                fixture.node.submit(
                        new ChangeAuth(new AuthChange.RevokeRole("eve", "r")).by(root()));
        var late = fixture.node.txn(Txn.of(put("e1", 0, false)), 100, before);
        fixture.await(revoked);
        refused(late, ErrorKind.AUTH_OLD_REVISION);
    }

    @Test
    void changesNeedTheRoleRoot() {
        AuthChange change = new AuthChange.AddRole("mine");
        refused(fixture.node.submit(new ChangeAuth(change)), ErrorKind.USER_EMPTY);
        refused(fixture.node.submit(new ChangeAuth(change).by(eve())), ErrorKind.PERMISSION_DENIED);
        assertThat(fixture.node.auth().role("mine")).isNull();
    }

    @Test
    void theStateOutlivesTheProcess() {
        AuthState before = fixture.node.auth();
        fixture.crash();
        AuthState after = fixture.node.auth();
        assertThat(after.version()).isEqualTo(before.version());
        assertThat(after.users()).isEqualTo(before.users());
        assertThat(after.roles()).isEqualTo(before.roles());
        assertThat(after.tokenKey()).isEqualTo(before.tokenKey());
        denied(Txn.of(put("other", 0, false)));
    }
}
