package io.brain.backend.cluster.election;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.NodeFixture;
import io.brain.backend.cluster.link.LeaderUpdate;
import io.brain.backend.cluster.link.LeaderUpdate.LeaderStatus;
import io.brain.backend.cluster.link.RaisedAlarms;
import io.brain.backend.model.Member;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.Txn;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.store.Fence;
import io.brain.backend.store.LeaderRecord;
import io.brain.backend.store.MemberRecord;
import io.brain.backend.store.MemberRecord.Instance;
import io.brain.backend.store.ReadPoint;
import io.brain.storage.Bytes;
import io.brain.storage.WriteBatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FollowerTest {
    private final ScriptedLeader leader = new ScriptedLeader();

    @Test
    void aLinkWithoutUpdatesForALeaseIsReplaced() {
        leader.sendStatus(5);
        assertThat(leader.node.status().leaderId()).isEqualTo(77);
        leader.advance(Duration.ofMillis(800));
        assertThat(leader.streams).hasSize(1);
        leader.advance(Duration.ofMillis(800));
        assertThat(leader.streams.size()).isGreaterThan(1);
        assertThat(leader.node.status().leaderId()).isZero();
        leader.sendStatus(5);
        assertThat(leader.node.status().leaderId()).isEqualTo(77);
    }

    @Test
    void aBrokenLinkIsReplacedAfterAPause() {
        leader.sendStatus(5);
        leader.streams.get(0).ended();
        leader.simulation.run();
        leader.advance(Duration.ofMillis(400));
        assertThat(leader.streams).hasSize(1);
        leader.advance(Duration.ofMillis(200));
        assertThat(leader.streams).hasSize(2);
    }

    @Test
    void anUpdateBeforeTheEndOfTheStreamIsProcessed() {
        leader.sendStatus(5);
        leader.streams.get(0).update(new LeaderUpdate(List.of(), leader.status(9)), () -> {});
        leader.streams.get(0).ended();
        leader.simulation.run();
        assertThat(leader.node.status().revision()).isEqualTo(9);
    }

    @Test
    void theStartStateOfATermIsReadOnceWhenThereIsContact() {
        LeaderStatus status = leader.status(5);
        leader.advance(Duration.ofMillis(50)); // later reads of the record have later timestamps
        int before = leader.opened.size();
        for (int i = 0; i < 20; i++) {
            leader.streams.get(0).update(new LeaderUpdate(List.of(), status), () -> {});
            leader.advance(Duration.ofMillis(50));
        }
        assertThat(leader.opened.stream().skip(before))
                .containsOnlyOnce(status.point().timestamp());
    }

    @Test
    void aSuccessorIsConnectedBeforeItLeads() {
        leader.handOver(leader.successor());
        assertThat(leader.streams).hasSize(2);
        assertThat(leader.node.status().leaderId()).isZero();
    }

    @Test
    void aSuccessorThatDoesNotConfirmIsReplacedSoon() {
        leader.handOver(leader.successor());
        leader.simulation.advance(Duration.ofMillis(480));
        assertThat(leader.node.status().leaderId()).isZero();
        leader.simulation.advance(Duration.ofMillis(120));
        assertThat(leader.node.status().leaderId()).isEqualTo(leader.node.status().memberId());
        assertThat(leader.storedFence().epoch()).isEqualTo(3);
    }

    @Test
    void aSuccessorLeadsInTheEpochThatItIsGiven() {
        MemberRecord self = leader.self();
        Member elsewhere = new Member(self.member().id(), "f", List.of("http://x:1"), List.of());
        leader.record = leader.record.with(Duration.ofSeconds(30), leader.record.peerUrls());
        leader.handOver(new MemberRecord(elsewhere, self.edition(), self.instance()));
        leader.simulation.advance(Duration.ofMillis(50));
        assertThat(leader.node.status().leaderId()).isEqualTo(self.member().id());
        assertThat(leader.storedFence().epoch()).isEqualTo(2);
        LeaderRecord confirmed = leader.storedRecord();
        assertThat(confirmed.renewal()).isEqualTo(1);
        assertThat(confirmed.lease()).isEqualTo(Duration.ofSeconds(1));
        assertThat(confirmed.peerUrls()).as("its own").containsExactly("http://f:1");
        leader.simulation.await(leader.node.txn(Txn.of(NodeFixture.putOf("a", "1", 0)), 10));
        assertThat(leader.node.status().revision()).isEqualTo(6);
    }

    @Test
    void anotherProcessOfTheSuccessorIsNotGivenTheLeadership() {
        MemberRecord self = leader.self();
        Instance other = new Instance(self.instance().id() + 1, self.instance().lease(), "");
        leader.handOver(new MemberRecord(self.member(), self.edition(), other));
        leader.simulation.advance(Duration.ofMillis(400));
        assertThat(leader.node.status().leaderId()).isZero();
        leader.simulation.advance(Duration.ofMillis(200));
        assertThat(leader.storedFence().epoch()).isEqualTo(3);
    }

    @Test
    void aTermThatWasLostIsNotBegunAgain() {
        leader.handOver(leader.self());
        assertThat(leader.node.status().leaderId()).isEqualTo(leader.node.status().memberId());
        // As if no renewal had been stored, but a batch of this term that seemed to fail.
        Bytes unconfirmed = leader.record.encode();
        leader.storage.commit(
                WriteBatch.builder().put(leader.coder.leaderKey(), unconfirmed).build());
        leader.store(new Fence(2, 9, 5, 0));
        var unused = leader.node.txn(Txn.of(NodeFixture.putOf("a", "1", 0)), 10);
        leader.simulation.advance(Duration.ofMillis(600));
        assertThat(leader.node.status().leaderId()).isEqualTo(leader.node.status().memberId());
        assertThat(leader.storedFence().epoch()).isEqualTo(3);
    }

    @Test
    void aLostLeaderIsReportedUntilAnotherCanLead() {
        leader.sendStatus(5);
        leader.streams.get(0).ended();
        leader.simulation.run();
        assertThat(leader.node.status().leaderId()).isEqualTo(77);
        List<Long> reported = new ArrayList<>();
        leader.onConnect = () -> reported.add(leader.node.status().leaderId());
        leader.advance(Duration.ofMillis(900));
        assertThat(leader.streams).as("opened again").hasSize(2);
        assertThat(reported).containsExactly(77L);
        assertThat(leader.node.status().leaderId()).isEqualTo(77);
        leader.advance(Duration.ofMillis(200));
        assertThat(leader.node.status().leaderId()).isZero();
    }

    @Test
    void aLeaderWithoutUpdatesIsNotReported() {
        leader.advance(Duration.ofMillis(100));
        assertThat(leader.node.status().leaderId()).isZero();
    }

    @Test
    void withoutUpdatesTheStoreIsShownUpToTheRevisionInTheLeaderRecord() {
        leader.store(new Fence(1, 1, 9, 0));
        leader.advance(Duration.ofMillis(1200));
        assertThat(leader.node.status().revision()).isEqualTo(5);
        leader.renew(8);
        leader.advance(Duration.ofMillis(400));
        assertThat(leader.node.status().revision()).isEqualTo(8);
        leader.sendStatus(9);
        assertThat(leader.node.status().revision()).isEqualTo(9);
    }

    @Test
    void afterAResignationAllOfTheStoreIsShown() {
        leader.store(new Fence(1, 1, 9, 0));
        Bytes resigned = leader.record.resigned().encode();
        leader.storage.commit(WriteBatch.builder().put(leader.coder.leaderKey(), resigned).build());
        leader.simulation.advance(Duration.ofMillis(450));
        assertThat(leader.node.status().revision()).isEqualTo(9);
    }

    @Test
    void theNextUpdateIsRequestedAfterThisOneIsProcessed() {
        leader.sendStatus(5);
        assertThat(leader.from).containsExactly(6L);
        assertThat(leader.processed).isEqualTo(1);
        Bytes key = Bytes.utf8("k");
        WatchEvent event = new WatchEvent(key, 6, true, key, null);
        leader.storage.commit(WriteBatch.builder().put(Bytes.utf8("x"), key).build());
        leader.simulation.run();
        leader.streams
                .get(0)
                .update(
                        new LeaderUpdate(
                                List.of(new RevisionEvents(6, List.of(event), false)),
                                leader.status(6)),
                        () -> leader.processed++);
        assertThat(leader.processed).isEqualTo(1);
        leader.simulation.run();
        assertThat(leader.processed).isEqualTo(2);
        assertThat(leader.node.status().revision()).isEqualTo(6);
    }

    @Test
    void updatesWithTheSameTimestampAreAllPublished() {
        leader.sendStatus(5);
        ReadPoint whole = leader.point(7);
        leader.update(6, new ReadPoint(6, whole.timestamp()), -1);
        leader.update(7, whole, -1);
        assertThat(leader.node.status().revision()).isEqualTo(7);
    }

    @Test
    void aNewerTimestampFromTheStoreDoesNotHideTheLeadersNewerRevision() {
        leader.sendStatus(5);
        ReadPoint committed = leader.point(6);
        leader.storage.commit(
                WriteBatch.builder().put(Bytes.utf8("x"), Bytes.utf8("later")).build());
        leader.advance(Duration.ofMillis(1200)); // out of contact, the follower reads the store
        leader.update(6, committed, -1);
        assertThat(leader.node.status().revision()).isEqualTo(6);
    }

    @Test
    void anUpdateOfAnotherEpochIsRefused() {
        leader.sendStatus(5);
        assertThat(leader.node.status().leaderId()).isEqualTo(77);
        leader.renew(5); // so that the store's clock has moved on
        LeaderStatus foreign =
                new LeaderStatus(
                        leader.point(900), new Fence(2, 70, 900, 0), -1, RaisedAlarms.UNKNOWN);
        leader.streams
                .get(0)
                .update(new LeaderUpdate(List.of(), foreign), () -> leader.processed++);
        leader.simulation.run();
        assertThat(leader.node.status().revision()).isEqualTo(5);
        assertThat(leader.node.status().batch()).isZero();
    }
}
