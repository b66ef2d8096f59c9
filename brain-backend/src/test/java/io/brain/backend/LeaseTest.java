package io.brain.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.cluster.election.TermContext.TermSettings;
import io.brain.backend.cluster.link.LeaderCommand.DisarmAlarm;
import io.brain.backend.cluster.link.LeaderCommand.GetLeaseTimes;
import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.cluster.link.LeaderCommand.KeepLeaseAlive;
import io.brain.backend.cluster.link.LeaderCommand.ListLeases;
import io.brain.backend.cluster.link.LeaderCommand.RaiseAlarm;
import io.brain.backend.cluster.link.LeaderCommand.RevokeLease;
import io.brain.backend.lease.LeaseSettings;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.GrantedLease;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.LeaseTimes;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.wire.KeyValue;
import io.brain.backend.write.WriteSettings;
import io.brain.storage.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LeaseTest {
    private final NodeFixture fixture = new NodeFixture(2);

    @BeforeEach
    void open() {
        fixture.open();
    }

    @Test
    void theServerChoosesAPositiveId() {
        GrantedLease lease = grant(0, 10);
        assertThat(lease.id()).isPositive();
        assertThat(lease.ttl()).isEqualTo(10);
        assertThat(lease.revision()).isEqualTo(1);
    }

    @Test
    void anyOtherIdIsTakenAndOnlyOnce() {
        assertThat(grant(-5, 10).id()).isEqualTo(-5);
        assertFailed(fixture.node.submit(new GrantLease(-5, 10)), ErrorKind.LEASE_EXISTS);
        // The time to live is looked at first, as in etcd.
        assertFailed(
                fixture.node.submit(new GrantLease(-5, 9_000_000_001L)),
                ErrorKind.LEASE_TTL_TOO_LARGE);
    }

    @Test
    void shortTimesToLiveAreRaisedToTwoSecondsAndHugeOnesRefused() {
        assertThat(grant(1, 0).ttl()).isEqualTo(2);
        assertThat(grant(2, -5).ttl()).isEqualTo(2);
        assertThat(grant(3, 1).ttl()).isEqualTo(2);
        assertThat(grant(4, 9_000_000_000L).ttl()).isEqualTo(9_000_000_000L);
        assertThat(status(4, false).remaining()).isBetween(8_999_999_998L, 9_000_000_000L);
        assertFailed(
                fixture.node.submit(new GrantLease(5, 9_000_000_001L)),
                ErrorKind.LEASE_TTL_TOO_LARGE);
    }

    @Test
    void anUnknownLeaseCannotBeRevokedOrPutWith() {
        assertFailed(fixture.node.submit(new RevokeLease(77)), ErrorKind.LEASE_NOT_FOUND);
        assertFailed(fixture.node.submit(new RevokeLease(0)), ErrorKind.LEASE_NOT_FOUND);
        assertFailed(fixture.submit(NodeFixture.putOf("a", "1", 77)), ErrorKind.LEASE_NOT_FOUND);
    }

    @Test
    void revokingDeletesTheKeysInOneRevision() {
        grant(7, 60);
        fixture.put("b", "1", 7);
        fixture.put("a", "1", 7);
        fixture.put("c", "1");
        assertThat(fixture.await(fixture.node.submit(new RevokeLease(7)))).isEqualTo(5);
        assertThat(fixture.get("a")).isNull();
        assertThat(fixture.get("b")).isNull();
        assertThat(fixture.get("c")).isEqualTo("1");
        assertThat(fixture.node.status().revision()).isEqualTo(5);
        assertFailed(fixture.node.submit(new RevokeLease(7)), ErrorKind.LEASE_NOT_FOUND);
    }

    @Test
    void revokingALeaseWithoutKeysTakesNoRevision() {
        grant(7, 60);
        assertThat(fixture.await(fixture.node.submit(new RevokeLease(7)))).isEqualTo(1);
        assertThat(grant(7, 60).id()).isEqualTo(7);
    }

    @Test
    void aKeyBelongsToTheLeaseOfItsLastPut() {
        grant(7, 60);
        grant(8, 60);
        fixture.put("a", "1", 7);
        fixture.put("a", "2", 8);
        fixture.put("b", "1", 7);
        fixture.put("b", "2");
        fixture.put("c", "1", 7);
        fixture.delete("c");
        fixture.put("c", "2");
        assertThat(status(7, true).keys()).isEmpty();
        assertThat(status(8, true).keys()).containsExactly(Bytes.utf8("a"));
        fixture.await(fixture.node.submit(new RevokeLease(7)));
        assertThat(fixture.get("a")).isEqualTo("2");
        assertThat(fixture.get("b")).isEqualTo("2");
        assertThat(fixture.get("c")).isEqualTo("2");
    }

    @Test
    void aLeaseExpiresAndTakesItsKeysAlong() {
        grant(7, 2);
        fixture.put("a", "1", 7);
        fixture.advance(Duration.ofMillis(1900));
        assertThat(fixture.get("a")).isEqualTo("1");
        fixture.advance(Duration.ofMillis(700));
        assertThat(fixture.get("a")).isNull();
        assertThat(fixture.node.status().revision()).isEqualTo(3);
        assertThat(status(7, false)).isEqualTo(new LeaseTimes(7, -1, 0, List.of(), 3));
    }

    @Test
    void keepAliveRestartsTheTtl() {
        grant(7, 2);
        fixture.put("a", "1", 7);
        for (int i = 0; i < 10; i++) {
            fixture.advance(Duration.ofMillis(1500));
            assertThat(keepAlive(7)).isEqualTo(new GrantedLease(7, 2, 2));
        }
        assertThat(fixture.get("a")).isEqualTo("1");
        fixture.advance(Duration.ofSeconds(3));
        assertThat(fixture.get("a")).isNull();
        assertThat(keepAlive(7)).isEqualTo(new GrantedLease(7, 0, 3));
        assertThat(keepAlive(12345).ttl()).isZero();
    }

    @Test
    void keepAliveDoesNotWaitForWrites() {
        grant(7, 10);
        fixture.advance(Duration.ofSeconds(6));
        var write = fixture.submit(NodeFixture.putOf("a", "1", 0));
        CompletableFuture<GrantedLease> renewal = fixture.node.submit(new KeepLeaseAlive(7));
        assertThat(renewal).isCompleted();
        assertThat(renewal.join().ttl()).isEqualTo(10);
        assertThat(write).isNotDone();
        fixture.advance(Duration.ofSeconds(9));
        assertThat(status(7, false).remaining()).isLessThanOrEqualTo(1);
        fixture.advance(Duration.ofSeconds(3));
        assertThat(status(7, false).remaining()).isEqualTo(-1);
    }

    @Test
    void aLeaseWhoseRevokeIsDecidedIsNotRenewed() {
        grant(7, 10);
        var revoked = fixture.node.submit(new RevokeLease(7));
        CompletableFuture<GrantedLease> renewal = fixture.node.submit(new KeepLeaseAlive(7));
        fixture.await(revoked);
        assertThat(fixture.await(renewal).ttl()).isIn(0L, 10L);
        assertThat(keepAlive(7).ttl()).isZero();
    }

    @Test
    void theTimeLeftIsRoundedDownAndKeysComeOnlyIfAskedFor() {
        grant(7, 60);
        fixture.put("b", "1", 7);
        fixture.put("a", "1", 7);
        fixture.advance(Duration.ofMillis(3500));
        assertThat(status(7, false)).isEqualTo(new LeaseTimes(7, 56, 60, List.of(), 3));
        assertThat(status(7, true).keys()).containsExactly(Bytes.utf8("a"), Bytes.utf8("b"));
        assertThat(status(99, true)).isEqualTo(new LeaseTimes(99, -1, 0, List.of(), 3));
    }

    @Test
    void leasesAreListedByTheirExpiry() {
        grant(1, 300);
        grant(2, 100);
        grant(3, 200);
        assertThat(fixture.await(fixture.node.submit(new ListLeases())))
                .containsExactly(2L, 3L, 1L);
    }

    @Test
    void aGrantThatIsNotDurableIsNeitherListedNorRenewed() {
        fixture.simulation.engine().hold();
        CompletableFuture<GrantedLease> grant = fixture.node.submit(new GrantLease(7, 2));
        CompletableFuture<GrantedLease> renewal = fixture.node.submit(new KeepLeaseAlive(7));
        CompletableFuture<List<Long>> list = fixture.node.submit(new ListLeases());
        fixture.advance(Duration.ofSeconds(5));
        assertThat(grant).isNotDone();
        assertThat(renewal).isNotDone();
        assertThat(list).isNotDone();
        fixture.simulation.engine().release();
        // Its time begins only now, five seconds after it was asked for.
        assertThat(fixture.await(grant).ttl()).isEqualTo(2);
        assertThat(fixture.await(renewal).ttl()).isEqualTo(2);
        assertThat(fixture.await(list)).containsExactly(7L);
        fixture.advance(Duration.ofMillis(1900));
        assertThat(keepAlive(7).ttl()).isEqualTo(2);
    }

    @Test
    void keepAliveOfAnExpiredLeaseWaitsForItsRevoke() {
        grant(7, 2);
        fixture.put("a", "1", 7);
        fixture.simulation.engine().hold();
        fixture.advance(Duration.ofMillis(2400));
        CompletableFuture<GrantedLease> renewal = fixture.node.submit(new KeepLeaseAlive(7));
        fixture.advance(Duration.ofSeconds(2));
        assertThat(renewal).isNotDone();
        fixture.simulation.engine().release();
        assertThat(fixture.await(renewal).ttl()).isZero();
        assertThat(fixture.get("a")).isNull();
    }

    @Test
    void keepAliveOfAnExpiredLeaseWaitsWhileAnAlarmPreventsItsRevoke() {
        grant(7, 2);
        Alarm corrupt = new Alarm(0, Alarm.CORRUPT);
        fixture.await(fixture.node.submit(new RaiseAlarm(corrupt)));
        fixture.advance(Duration.ofMillis(2400));
        CompletableFuture<GrantedLease> renewal = fixture.node.submit(new KeepLeaseAlive(7));
        fixture.advance(Duration.ofSeconds(2));
        assertThat(renewal).isNotDone();
        fixture.await(fixture.node.submit(new DisarmAlarm(corrupt)));
        fixture.advance(Duration.ofSeconds(4));
        assertThat(keepAlive(7).ttl()).isZero();
    }

    @Test
    void anExpiredLeaseIsNotRenewedEvenBeforeAScan() {
        fixture.advance(Duration.ofMillis(100));
        grant(7, 2);
        fixture.put("a", "1", 7);
        fixture.advance(Duration.ofMillis(2010));
        assertThat(fixture.get("a")).isEqualTo("1");
        assertThat(keepAlive(7).ttl()).isZero();
        assertThat(fixture.get("a")).isNull();
    }

    @Test
    void aRestartGivesEveryLeaseItsFullTimeAgain() {
        grant(7, 60);
        grant(8, 30);
        fixture.put("a", "1", 7);
        fixture.advance(Duration.ofSeconds(25));
        fixture.await(fixture.node.submit(new RevokeLease(8)));
        fixture.crash();
        assertThat(fixture.await(fixture.node.submit(new ListLeases()))).containsExactly(7L);
        assertThat(status(7, true).remaining()).isBetween(58L, 60L);
        assertThat(status(7, true).keys()).containsExactly(Bytes.utf8("a"));
        fixture.advance(Duration.ofSeconds(58));
        assertThat(fixture.get("a")).isEqualTo("1");
        fixture.advance(Duration.ofSeconds(3));
        assertThat(fixture.get("a")).isNull();
    }

    @Test
    void aStormOfExpiriesLeavesRoomForOtherWrites() {
        int leases = 50_000;
        List<CompletableFuture<GrantedLease>> grants = new ArrayList<>();
        for (int i = 1; i <= leases; i++) {
            grants.add(fixture.node.submit(new GrantLease(i, 10)));
            if (i % 5000 == 0) {
                fixture.simulation.run();
            }
        }
        assertThat(grants).allSatisfy(grant -> assertThat(grant).isCompleted());
        fixture.advance(Duration.ofSeconds(12));
        long before = fixture.node.status().batch();
        CompletableFuture<?> put = fixture.submit(NodeFixture.putOf("a", "1", 0));
        fixture.simulation.run();
        assertThat(put).isCompleted();
        assertThat(fixture.node.status().batch() - before).isLessThanOrEqualTo(2);
        fixture.advance(Duration.ofSeconds(1));
        int left = fixture.await(fixture.node.submit(new ListLeases())).size();
        assertThat(left).isBetween(leases - 5000, leases - 1);
        fixture.advance(Duration.ofSeconds(60));
        assertThat(fixture.await(fixture.node.submit(new ListLeases()))).isEmpty();
    }

    @Test
    void thereMayBeOnlySoManyLeases() {
        NodeFixture small = new NodeFixture(3);
        small.settings =
                small.settings.withTerm(
                        new TermSettings(
                                WriteSettings.DEFAULTS,
                                new LeaseSettings(
                                        2,
                                        2,
                                        Duration.ofMillis(500),
                                        500,
                                        Duration.ofSeconds(3),
                                        Duration.ZERO),
                                TermSettings.DEFAULTS.compact()));
        small.open();
        small.await(small.node.submit(new GrantLease(1, 10)));
        small.await(small.node.submit(new GrantLease(2, 10)));
        assertThatThrownBy(() -> small.await(small.node.submit(new GrantLease(3, 10))))
                .isInstanceOf(BackendException.class);
        small.await(small.node.submit(new RevokeLease(1)));
        assertThat(small.await(small.node.submit(new GrantLease(3, 10))).id()).isEqualTo(3);
    }

    @Test
    void aLeaseWithMoreKeysThanATurnMayChangeExpiresInPieces() {
        NodeFixture small = new NodeFixture(4);
        WriteSettings write =
                new WriteSettings(
                        10_000, 1 << 28, 4 << 20, 10, 64 << 20, 512 << 10, 8 << 20, 64 << 20);
        small.settings =
                small.settings.withTerm(
                        new TermSettings(
                                write,
                                TermSettings.DEFAULTS.lease(),
                                TermSettings.DEFAULTS.compact()));
        small.open();
        small.await(small.node.submit(new GrantLease(7, 2)));
        for (int i = 0; i < 25; i++) {
            small.put("key" + i, "v", 7);
        }
        assertThatThrownBy(() -> small.await(small.node.submit(new RevokeLease(7))))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure ->
                                assertThat(failure.kind()).isEqualTo(ErrorKind.REQUEST_TOO_LARGE));
        small.advance(Duration.ofSeconds(12));
        assertThat(
                        small.range(RangeQuery.of(KeySpan.of(Bytes.utf8("key"), Bytes.utf8("kez"))))
                                .count())
                .isZero();
        assertThat(small.await(small.node.submit(new ListLeases()))).isEmpty();
        assertThat(small.node.status().revision()).isEqualTo(26 + 3);
    }

    @Test
    void aLeaseWithMoreBytesThanARevisionMayReplaceExpiresInPieces() {
        NodeFixture small = new NodeFixture(4);
        small.settings =
                small.settings.withTerm(
                        small.settings
                                .term()
                                .withWrite(
                                        small.settings
                                                .term()
                                                .write()
                                                .within(1 << 28, 64 << 20, 9_000)));
        small.open();
        small.await(small.node.submit(new GrantLease(7, 2)));
        for (int i = 0; i < 25; i++) {
            small.put("key" + i, "v".repeat(1_000), 7);
        }
        assertThatThrownBy(() -> small.await(small.node.submit(new RevokeLease(7))))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure ->
                                assertThat(failure.kind()).isEqualTo(ErrorKind.REQUEST_TOO_LARGE));
        small.advance(Duration.ofSeconds(20));
        assertThat(
                        small.range(RangeQuery.of(KeySpan.of(Bytes.utf8("key"), Bytes.utf8("kez"))))
                                .count())
                .isZero();
        assertThat(small.await(small.node.submit(new ListLeases()))).isEmpty();
        assertThat(small.node.status().revision()).isEqualTo(26 + 4);
    }

    @Test
    void theLeaseIsShownInTheKeyValue() {
        grant(7, 60);
        fixture.put("a", "1", 7);
        Bytes kv = fixture.range(RangeQuery.of(KeySpan.of(Bytes.utf8("a")))).kvs().get(0);
        assertThat(KeyValue.decode(kv).lease()).isEqualTo(7);
    }

    private GrantedLease grant(long id, long ttl) {
        return fixture.await(fixture.node.submit(new GrantLease(id, ttl)));
    }

    private GrantedLease keepAlive(long id) {
        return fixture.await(fixture.node.submit(new KeepLeaseAlive(id)));
    }

    private LeaseTimes status(long id, boolean withKeys) {
        return fixture.await(fixture.node.submit(new GetLeaseTimes(id, withKeys)));
    }

    private void assertFailed(CompletableFuture<?> future, ErrorKind kind) {
        assertThatThrownBy(() -> fixture.await(future))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(kind));
    }
}
