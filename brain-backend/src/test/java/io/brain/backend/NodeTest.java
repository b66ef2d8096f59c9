package io.brain.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.cluster.link.LeaderCommand.DisarmAlarm;
import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.cluster.link.LeaderCommand.KeepLeaseAlive;
import io.brain.backend.cluster.link.LeaderCommand.RaiseAlarm;
import io.brain.backend.cluster.link.LeaderCommand.RevokeLease;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.Compare;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Member;
import io.brain.backend.model.NodeStatus;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Txn;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.MemoryStorage;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class NodeTest {
    private final NodeFixture fixture = new NodeFixture(1);

    @Test
    void aFreshStoreIsAtRevisionOneAndItsFirstWriteMakesTwo() {
        fixture.open();
        assertThat(fixture.node.status().revision()).isEqualTo(1);
        assertThat(fixture.node.status().compactRevision()).isEqualTo(-1);
        assertThat(fixture.put("a", "1")).isEqualTo(2);
        assertThat(fixture.get("a")).isEqualTo("1");
    }

    @Test
    void aRestartKeepsDataRevisionAndIdsAndRaisesTheEpoch() {
        fixture.open();
        fixture.put("a", "1");
        NodeStatus before = fixture.node.status();
        fixture.crash();
        NodeStatus after = fixture.node.status();
        assertThat(after.revision()).isEqualTo(2);
        assertThat(after.storedBytes()).isEqualTo(before.storedBytes()).isPositive();
        assertThat(after.keys()).isEqualTo(before.keys()).isPositive();
        assertThat(after.clusterId()).isEqualTo(before.clusterId()).isNotZero();
        assertThat(after.memberId()).isEqualTo(before.memberId()).isNotZero();
        assertThat(after.leaderId()).isEqualTo(after.memberId());
        assertThat(after.epoch()).isEqualTo(before.epoch() + 1);
        assertThat(fixture.put("a", "2")).isEqualTo(3);
    }

    @Test
    void aReadOnlyTransactionSeesOneStateAndTakesNoRevision() {
        fixture.open();
        fixture.put("a", "1");
        Txn txn =
                new Txn(
                        List.of(
                                new Compare(
                                        KeySpan.of(Bytes.utf8("a")),
                                        Compare.Target.VERSION,
                                        Compare.Relation.EQUAL,
                                        1,
                                        Bytes.EMPTY)),
                        List.of(new Op.Range(RangeQuery.of(KeySpan.of(Bytes.utf8("a"))))),
                        List.of());
        Reply<OpResult.Txn> reply = fixture.await(fixture.node.txn(txn, 10));
        reply.held().close();
        assertThat(reply.answer().succeeded()).isTrue();
        assertThat(reply.answer().revision()).isEqualTo(2);
        assertThat(((OpResult.Range) reply.answer().results().get(0)).kvs()).hasSize(1);
        assertThat(fixture.node.status().revision()).isEqualTo(2);
    }

    @Test
    void aWriteTransactionSeesItsOwnChangesInALaterRange() {
        fixture.open();
        fixture.put("a", "1");
        KeySpan all = KeySpan.of(Bytes.utf8("a"), Bytes.utf8("z"));
        Reply<OpResult.Txn> reply =
                fixture.await(
                        fixture.submit(
                                NodeFixture.putOf("b", "2", 0), new Op.Range(RangeQuery.of(all))));
        OpResult.Range range = (OpResult.Range) reply.answer().results().get(1);
        assertThat(range.kvs()).extracting(NodeFixture::valueOf).containsExactly("1", "2");
        assertThat(range.revision()).isEqualTo(3);
    }

    @Test
    void whatAWriteTransactionReadsCountsAgainstTheResponseBudget() {
        fixture.settings = NodeSettings.defaults(1 << 20);
        fixture.open();
        fixture.put("a", "x".repeat(700_000));
        RangeQuery all = RangeQuery.of(KeySpan.of(Bytes.utf8("a"), Bytes.utf8("z")));
        Reply<OpResult.Txn> reply =
                fixture.await(fixture.submit(NodeFixture.putOf("b", "2", 0), new Op.Range(all)));
        CompletableFuture<Reply<OpResult.Range>> next = fixture.node.range(all);
        fixture.simulation.run();
        assertThat(next).isNotDone();
        reply.held().close();
        fixture.await(next).held().close();
    }

    @Test
    void aRequestThatIsNotDurableInTimeEndsWithATimeout() {
        fixture.open();
        fixture.simulation.engine().hold();
        CompletableFuture<?> put = fixture.submit(NodeFixture.putOf("a", "1", 0));
        fixture.advance(Duration.ofMillis(6900));
        assertThat(put).isNotDone();
        fixture.advance(Duration.ofMillis(700));
        assertFailed(put, ErrorKind.TIMEOUT);
        fixture.simulation.engine().release();
        fixture.simulation.run();
        assertThat(fixture.get("a")).isEqualTo("1");
    }

    @Test
    void closingEndsWhatWaitsAndRefusesWhatComes() {
        fixture.open();
        fixture.simulation.engine().hold();
        CompletableFuture<?> put = fixture.submit(NodeFixture.putOf("a", "1", 0));
        fixture.simulation.run();
        fixture.node.close();
        assertFailed(put, ErrorKind.STOPPED);
        assertFailed(fixture.submit(NodeFixture.putOf("a", "1", 0)), ErrorKind.STOPPED);
        assertFailed(
                fixture.node.range(RangeQuery.of(KeySpan.of(Bytes.utf8("a")))), ErrorKind.STOPPED);
        assertFailed(fixture.node.checkReadable(false), ErrorKind.STOPPED);
    }

    @Test
    void requestsAreCheckedInEtcdsOrder() {
        fixture.settings =
                fixture.settings.withLimits(
                        new NodeSettings.Limits(1000, 500, 2, Duration.ofSeconds(7)));
        fixture.open();
        Op large = NodeFixture.putOf("", "x".repeat(800), 0);
        // The quota comes before the request's form, that before its size.
        assertFailed(fixture.submit(large), ErrorKind.NO_SPACE);
        assertFailed(
                fixture.node.txn(Txn.of(NodeFixture.putOf("", "x", 0)), 2000),
                ErrorKind.KEY_NOT_PROVIDED);
        assertFailed(
                fixture.node.txn(Txn.of(NodeFixture.putOf("a", "x", 0)), 2000),
                ErrorKind.REQUEST_TOO_LARGE);
        Op delete = NodeFixture.deleteOf("a");
        assertFailed(fixture.submit(delete, delete, delete), ErrorKind.TOO_MANY_OPS);
        assertFailed(
                fixture.node.range(RangeQuery.of(KeySpan.of(Bytes.EMPTY))),
                ErrorKind.KEY_NOT_PROVIDED);
    }

    @Test
    void aWriteBeyondTheQuotaRaisesAnAlarmThatStopsOnlyWhatNeedsRoom() {
        fixture.settings =
                fixture.settings.withLimits(
                        new NodeSettings.Limits(4000, 1 << 20, 128, Duration.ofSeconds(7)));
        fixture.open();
        fixture.put("a", "x".repeat(2000));
        assertFailed(
                fixture.submit(NodeFixture.putOf("b", "x".repeat(2000), 0)), ErrorKind.NO_SPACE);
        Alarm alarm = new Alarm(fixture.node.status().memberId(), Alarm.NO_SPACE);
        assertThat(fixture.node.status().alarms()).containsExactly(alarm);
        // Small enough, but the alarm holds until it is disarmed, over a restart too.
        fixture.crash();
        assertFailed(fixture.submit(NodeFixture.putOf("b", "x", 0)), ErrorKind.NO_SPACE);
        assertFailed(fixture.node.submit(new GrantLease(0, 10)), ErrorKind.NO_SPACE);
        Txn putInUntakenBranch =
                new Txn(List.of(), List.of(), List.of(NodeFixture.putOf("b", "x", 0)));
        assertFailed(fixture.node.txn(putInUntakenBranch, 10), ErrorKind.NO_SPACE);
        assertThat(fixture.get("a")).hasSize(2000);
        assertThat(fixture.delete("a")).isEqualTo(3);
        assertThat(fixture.await(fixture.node.submit(new Compact(3, true)))).isEqualTo(3);
        assertThat(fixture.await(fixture.node.submit(new DisarmAlarm(alarm)))).isTrue();
        assertThat(fixture.await(fixture.node.submit(new DisarmAlarm(alarm)))).isFalse();
        assertThat(fixture.put("b", "x")).isEqualTo(4);
    }

    @Test
    void thePeerUrlsOfAnUpdateStayOverARestart() {
        fixture.open();
        Member member = fixture.await(fixture.node.cluster().members()).get(0);
        Member updated = member.withPeerUrls(List.of("http://10.0.0.1:2380"));
        fixture.await(fixture.node.cluster().update(updated));
        fixture.crash();
        assertThat(fixture.await(fixture.node.cluster().members())).containsExactly(updated);
    }

    @Test
    void aCorruptAlarmStopsEveryWriteAndNoRead() {
        fixture.open();
        fixture.put("a", "1");
        long lease = fixture.await(fixture.node.submit(new GrantLease(7, 60))).id();
        Alarm corrupt = new Alarm(0, Alarm.CORRUPT);
        assertThat(fixture.await(fixture.node.submit(new RaiseAlarm(corrupt)))).isTrue();
        assertThat(fixture.await(fixture.node.submit(new RaiseAlarm(corrupt)))).isFalse();
        assertFailed(fixture.submit(NodeFixture.putOf("a", "2", 0)), ErrorKind.CORRUPT);
        assertFailed(fixture.submit(NodeFixture.deleteOf("a")), ErrorKind.CORRUPT);
        assertFailed(fixture.node.submit(new Compact(2, false)), ErrorKind.CORRUPT);
        assertFailed(fixture.node.submit(new GrantLease(0, 60)), ErrorKind.CORRUPT);
        assertFailed(fixture.node.submit(new RevokeLease(lease)), ErrorKind.CORRUPT);
        assertThat(fixture.await(fixture.node.submit(new KeepLeaseAlive(lease))).ttl())
                .isEqualTo(60);
        assertThat(fixture.get("a")).isEqualTo("1");
        fixture.await(fixture.node.checkReadable(false));
        // Both are shown, and CORRUPT is told first.
        Alarm space = new Alarm(7, Alarm.NO_SPACE);
        assertThat(fixture.await(fixture.node.submit(new RaiseAlarm(space)))).isTrue();
        assertThat(fixture.node.status().alarms()).containsExactly(space, corrupt);
        assertFailed(fixture.submit(NodeFixture.putOf("a", "2", 0)), ErrorKind.CORRUPT);
    }

    @Test
    void alarmsAreOfMembersAndEachHoldsUntilItIsDisarmed() {
        fixture.open();
        Alarm one = new Alarm(1, Alarm.NO_SPACE);
        Alarm other = new Alarm(-2, Alarm.NO_SPACE);
        Alarm unknown = new Alarm(1, 9);
        for (Alarm alarm : List.of(one, other, unknown)) {
            assertThat(fixture.await(fixture.node.submit(new RaiseAlarm(alarm)))).isTrue();
        }
        fixture.crash();
        assertThat(fixture.node.status().alarms()).containsExactly(one, other, unknown);
        assertThat(fixture.await(fixture.node.submit(new DisarmAlarm(one)))).isTrue();
        assertFailed(fixture.submit(NodeFixture.putOf("a", "1", 0)), ErrorKind.NO_SPACE);
        assertThat(fixture.await(fixture.node.submit(new DisarmAlarm(other)))).isTrue();
        assertThat(fixture.put("a", "1")).isEqualTo(2);
        assertThat(fixture.node.status().alarms()).containsExactly(unknown);
    }

    @Test
    void onlySoManyAlarmsAreKept() {
        fixture.open();
        for (int member = 0; member < 1000; member++) {
            fixture.await(fixture.node.submit(new RaiseAlarm(new Alarm(member, 9))));
        }
        assertFailed(
                fixture.node.submit(new RaiseAlarm(new Alarm(1000, 9))),
                ErrorKind.TOO_MANY_REQUESTS);
        assertThat(fixture.await(fixture.node.submit(new RaiseAlarm(new Alarm(7, 9))))).isFalse();
    }

    @Test
    void aNodeThatLostTheFenceSaysSoAndLeadsAgain() {
        fixture.open();
        fixture.put("a", "1");
        Node first = fixture.node;
        fixture.open();
        Node second = fixture.node;
        assertThat(second.status().epoch()).isEqualTo(first.status().epoch() + 1);
        fixture.put("a", "2");
        CompletableFuture<?> late = first.txn(Txn.of(NodeFixture.putOf("a", "never", 0)), 10);
        assertFailed(late, ErrorKind.LEADER_FAILED);
        assertThat(first.status().leaderId()).isZero();
        fixture.node = first;
        assertThat(fixture.put("b", "waits for a leader")).isEqualTo(4);
        assertThat(first.status().epoch()).isEqualTo(second.status().epoch() + 1);
        assertThat(fixture.get("a")).isEqualTo("2");
        assertThat(fixture.put("a", "3")).isEqualTo(5);
    }

    @Test
    void aBatchThatCannotBeResolvedEndsTheTermAndABrokenStoreIsReported() {
        AtomicBoolean damaged = new AtomicBoolean();
        StorageException damage = new StorageException(StorageException.Kind.CORRUPT, "damaged");
        fixture.faults =
                storage ->
                        new ForwardingKvStorage(storage) {
                            @Override
                            public CompletionStage<CommitResult> commit(WriteBatch batch) {
                                return damaged.get() ? resolve(batch) : super.commit(batch);
                            }

                            @Override
                            public CompletionStage<CommitResult> resolve(WriteBatch batch) {
                                return CompletableFuture.completedFuture(
                                        new CommitResult.Uncertain(damage));
                            }

                            @Override
                            public Snapshot snapshot() {
                                if (damaged.get()) {
                                    throw damage;
                                }
                                return super.snapshot();
                            }
                        };
        fixture.open();
        assertThat(fixture.put("a", "1")).isEqualTo(2);
        assertThat(fixture.node.broken()).isNotDone();
        damaged.set(true);
        assertFailed(fixture.submit(NodeFixture.putOf("a", "2", 0)), ErrorKind.STOPPED);
        fixture.advance(Duration.ofSeconds(2));
        assertThat(fixture.node.broken()).isCompletedWithValue(damage);
    }

    @Test
    void dataWithoutAFenceIsRefused() {
        Bytes key = fixture.coder.historyKey(Bytes.utf8("a"), 5);
        fixture.storage.commit(WriteBatch.builder().put(key, Bytes.utf8("x")).build());
        fixture.simulation.run();
        assertThatThrownBy(fixture::open)
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("no fence");
    }

    @Test
    void aSharedStorageIsRefused() {
        MemoryStorage shared =
                new MemoryStorage(Runnable::run, Set.of(StorageTrait.SNAPSHOT_AT_TIMESTAMP));
        assertThatThrownBy(() -> Node.open(shared, fixture.settings, fixture.simulation.runtime()))
                .isInstanceOf(StorageException.class);
        assertThatCode(shared::timestamp).doesNotThrowAnyException();
    }

    private void assertFailed(CompletableFuture<?> future, ErrorKind kind) {
        assertThatThrownBy(() -> fixture.await(future))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(kind));
    }
}
