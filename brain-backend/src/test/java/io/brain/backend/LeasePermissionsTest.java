package io.brain.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.brain.backend.auth.AuthChange;
import io.brain.backend.auth.Caller;
import io.brain.backend.auth.Permission;
import io.brain.backend.cluster.election.TermContext.TermSettings;
import io.brain.backend.cluster.link.LeaderCommand.ChangeAuth;
import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.cluster.link.LeaderCommand.KeepLeaseAlive;
import io.brain.backend.cluster.link.LeaderCommand.RevokeLease;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Txn;
import io.brain.backend.read.CountingStorage;
import io.brain.backend.write.WriteSettings;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What it costs to check who may use a lease with many keys: eve writes "e..." and "g...". */
class LeasePermissionsTest {
    private static final int KEYS = 500;

    /** Keys that a revision may delete. */
    private static final int CHANGES_MAX = 100;

    /** Of a check that looks at a key per permission. */
    private static final int READS_MAX = 10;

    private static final long LARGE = 5;
    private static final long FOREIGN = 6;
    private static final long EMPTY = 7;

    private final NodeFixture fixture = new NodeFixture(1);
    private CountingStorage storage;

    @BeforeEach
    void enable() {
        fixture.faults = engine -> storage = new CountingStorage(engine);
        fixture.settings =
                fixture.settings.withTerm(
                        TermSettings.DEFAULTS.withWrite(
                                new WriteSettings(
                                        10_000,
                                        1 << 28,
                                        4 << 20,
                                        CHANGES_MAX,
                                        64 << 20,
                                        512 << 10,
                                        8 << 20,
                                        64 << 20)));
        fixture.open();
        for (long lease : new long[] {LARGE, FOREIGN, EMPTY}) {
            fixture.await(fixture.node.submit(new GrantLease(lease, 1000)));
        }
        for (int i = 0; i < KEYS; i++) {
            fixture.put((i % 2 == 0 ? "e" : "g") + i, "v", LARGE);
            fixture.put("e-" + i, "v", FOREIGN);
        }
        fixture.put("f", "v", FOREIGN);
        change(new AuthChange.AddUser("root", Bytes.EMPTY, false));
        change(new AuthChange.GrantRole("root", "root"));
        change(new AuthChange.AddUser("eve", Bytes.EMPTY, false));
        change(new AuthChange.AddUser("ann", Bytes.EMPTY, false));
        change(new AuthChange.AddRole("r"));
        change(new AuthChange.GrantRole("eve", "r"));
        grant("e", "f");
        grant("g", "h");
        change(new AuthChange.Enable(Bytes.utf8("key")));
    }

    private void change(AuthChange change) {
        fixture.await(fixture.node.submit(new ChangeAuth(change).by(caller("root"))));
    }

    private void grant(String key, String end) {
        Permission permission =
                new Permission(Permission.READ_WRITE, Bytes.utf8(key), Bytes.utf8(end));
        change(new AuthChange.GrantPermission("r", permission));
    }

    private Caller caller(String user) {
        return new Caller(user, fixture.node.auth().revision());
    }

    private CompletableFuture<?> renew(String user, long lease) {
        return fixture.node.submit(new KeepLeaseAlive(lease).by(caller(user)));
    }

    private CompletableFuture<?> put(int keys, long lease) {
        List<Op> puts = new ArrayList<>();
        for (int i = 0; i < keys; i++) {
            puts.add(NodeFixture.putOf("e" + i, "new", lease));
        }
        Txn txn = new Txn(List.of(), puts, List.of());
        return fixture.node.txn(txn, 100, caller("eve"));
    }

    private void permitted(CompletableFuture<?> call) {
        storage.reset();
        fixture.await(call);
        assertThat(storage.moves()).isLessThan(READS_MAX);
    }

    private void denied(CompletableFuture<?> call) {
        storage.reset();
        Throwable failure = catchThrowable(() -> fixture.await(call));
        assertThat(Failures.of(failure).kind()).isEqualTo(ErrorKind.PERMISSION_DENIED);
        assertThat(storage.moves()).isLessThan(READS_MAX);
    }

    @Test
    void aRenewalLooksAtFewKeys() {
        permitted(renew("eve", LARGE));
        denied(renew("eve", FOREIGN));
        denied(renew("ann", LARGE));
    }

    @Test
    void aWriteLooksAtFewKeysAndOncePerLease() {
        permitted(put(50, LARGE));
        denied(put(50, FOREIGN));
    }

    @Test
    void aLeaseMayHaveMoreKeysThanARevisionMayDelete() {
        permitted(put(1, LARGE));
        denied(fixture.node.submit(new RevokeLease(FOREIGN).by(caller("eve"))));
    }

    /** Detached and attached by writes that are not durable yet. */
    @Test
    void pendingWritesCount() {
        fixture.simulation.engine().hold();
        var detached = fixture.node.txn(putOf("f", 0), 10, caller("root"));
        var permitted = put(1, FOREIGN);
        var attached = fixture.node.txn(putOf("f", LARGE), 10, caller("root"));
        var denied = put(1, LARGE);
        fixture.simulation.run();
        fixture.simulation.engine().release();
        fixture.await(detached);
        fixture.await(permitted);
        fixture.await(attached);
        denied(denied);
    }

    private static Txn putOf(String key, long lease) {
        return Txn.of(NodeFixture.putOf(key, "v", lease));
    }

    /** The health probe is such a read. */
    @Test
    void renewalsOfAUserDelayNeitherTheServerNorOthers() {
        List<String> order = new ArrayList<>();
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            all.add(renew("eve", LARGE).thenRun(() -> order.add("eve")));
        }
        all.add(renew("ann", EMPTY).thenRun(() -> order.add("ann")));
        all.add(fixture.node.checkReadable(false).thenRun(() -> order.add("probe")));
        all.forEach(fixture::await);
        assertThat(order.subList(0, 10)).contains("ann", "probe");
    }

    /** A lease must not expire behind its user's lists. */
    @Test
    void aRenewalDoesNotWaitBehindItsUsersReads() {
        List<String> order = new ArrayList<>();
        List<CompletableFuture<?>> all = new ArrayList<>();
        RangeQuery list = RangeQuery.of(KeySpan.of(Bytes.utf8("e"), Bytes.utf8("f")));
        for (int i = 0; i < 20; i++) {
            all.add(
                    fixture.node
                            .range(list, caller("eve"))
                            .thenAccept(
                                    reply -> {
                                        reply.held().close();
                                        order.add("list");
                                    }));
        }
        all.add(renew("eve", LARGE).thenRun(() -> order.add("renewal")));
        all.forEach(fixture::await);
        assertThat(order.subList(0, 5)).contains("renewal");
    }
}
