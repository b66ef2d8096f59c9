package io.brain.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.cluster.link.LeaderCommand.GetLeaseTimes;
import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.cluster.link.LeaderCommand.KeepLeaseAlive;
import io.brain.backend.cluster.link.LeaderCommand.ListLeases;
import io.brain.backend.cluster.link.LeaderCommand.RevokeLease;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.GrantedLease;
import io.brain.backend.store.LeaseRecord;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is left of long leases outlives a restart: a checkpoint every five minutes. */
class LeaseCheckpointTest {
    private static final Duration INTERVAL = Duration.ofSeconds(301);

    private final NodeFixture fixture = new NodeFixture(6);
    private boolean full;

    @BeforeEach
    void open() {
        fixture.settings = fixture.settings.withLeaseCheckpoints(true);
        fixture.faults =
                storage ->
                        new ForwardingKvStorage(storage) {
                            @Override
                            public CompletionStage<CommitResult> commit(WriteBatch batch) {
                                return full ? tooLarge() : super.commit(batch);
                            }
                        };
        fixture.open();
    }

    @Test
    void aRestartContinuesFromTheLastCheckpoint() {
        grant(7, 1000);
        fixture.put("a", "1", 7);
        fixture.advance(INTERVAL);
        assertThat(stored(7)).isBetween(699L, 700L);
        fixture.crash();
        assertThat(left(7)).isBetween(698L, 700L);
        fixture.advance(Duration.ofSeconds(697));
        assertThat(fixture.get("a")).isEqualTo("1");
        fixture.advance(Duration.ofSeconds(5));
        assertThat(fixture.get("a")).isNull();
    }

    @Test
    void checkpointsFollowEachOtherWhileMoreThanAnIntervalIsLeft() {
        grant(7, 1000);
        fixture.advance(INTERVAL.multipliedBy(2));
        assertThat(stored(7)).isBetween(398L, 400L);
        fixture.advance(INTERVAL);
        assertThat(stored(7)).isBetween(97L, 100L);
        long batch = fixture.node.status().batch();
        fixture.advance(Duration.ofSeconds(90));
        assertThat(fixture.node.status().batch()).isEqualTo(batch);
        fixture.advance(Duration.ofSeconds(10));
        assertThat(fixture.await(fixture.node.submit(new ListLeases()))).isEmpty();
    }

    @Test
    void aRestartedLeaseIsCheckpointedOn() {
        grant(7, 1000);
        fixture.advance(INTERVAL);
        fixture.crash();
        fixture.advance(INTERVAL);
        assertThat(stored(7)).isBetween(397L, 400L);
        fixture.crash();
        assertThat(left(7)).isBetween(396L, 400L);
    }

    @Test
    void keepAliveTakesTheRestBackBeforeItIsAnswered() {
        grant(7, 1000);
        fixture.advance(INTERVAL);
        fixture.simulation.engine().hold();
        CompletableFuture<GrantedLease> renewed = fixture.node.submit(new KeepLeaseAlive(7));
        fixture.simulation.run();
        assertThat(renewed).isNotDone();
        fixture.simulation.engine().release();
        assertThat(fixture.await(renewed).ttl()).isEqualTo(1000);
        assertThat(stored(7)).isZero();
        fixture.crash();
        assertThat(left(7)).isBetween(998L, 1000L);
        fixture.advance(INTERVAL);
        assertThat(stored(7)).isBetween(698L, 700L);
    }

    @Test
    void aLeaseWithoutACheckpointIsRenewedInMemory() {
        grant(7, 1000);
        fixture.advance(Duration.ofSeconds(200));
        long batch = fixture.node.status().batch();
        assertThat(keepAlive(7)).isEqualTo(1000);
        assertThat(fixture.node.status().batch()).isEqualTo(batch);
    }

    @Test
    void aBusyLeaseCostsTwoWritesAnInterval() {
        grant(7, 1000);
        long batch = fixture.node.status().batch();
        for (int i = 0; i < 400; i++) {
            fixture.advance(Duration.ofSeconds(3));
            assertThat(keepAlive(7)).isEqualTo(1000);
        }
        assertThat(fixture.node.status().batch() - batch).isBetween(4L, 8L);
    }

    @Test
    void shortLeasesHaveNoCheckpoints() {
        grant(7, 300);
        long batch = fixture.node.status().batch();
        fixture.advance(Duration.ofSeconds(299));
        assertThat(fixture.node.status().batch()).isEqualTo(batch);
        fixture.crash();
        assertThat(left(7)).isBetween(298L, 300L);
    }

    @Test
    void aRevokedLeaseIsNotStoredAgain() {
        grant(7, 1000);
        fixture.advance(Duration.ofSeconds(299));
        fixture.await(fixture.node.submit(new RevokeLease(7)));
        fixture.advance(INTERVAL);
        try (Snapshot snapshot = fixture.storage.snapshot()) {
            assertThat(snapshot.get(fixture.coder.leaseKey(7))).isNull();
        }
        grant(7, 2000);
        fixture.advance(INTERVAL);
        assertThat(stored(7)).isBetween(1699L, 1700L);
    }

    @Test
    void withoutCheckpointsARestIsNotUsedAndARenewalForgetsIt() {
        grant(7, 1000);
        grant(8, 1000);
        fixture.advance(INTERVAL);
        fixture.settings = fixture.settings.withLeaseCheckpoints(false);
        fixture.crash();
        assertThat(left(7)).isBetween(998L, 1000L);
        fixture.advance(INTERVAL);
        assertThat(keepAlive(7)).isEqualTo(1000);
        fixture.settings = fixture.settings.withLeaseCheckpoints(true);
        fixture.crash();
        assertThat(left(7)).isBetween(998L, 1000L);
        // Nobody has renewed this one since.
        assertThat(left(8)).isBetween(698L, 700L);
    }

    @Test
    void manyLeasesAreStoredInFewWrites() {
        for (int id = 1; id <= 2500; id++) {
            var unused = fixture.node.submit(new GrantLease(id, 1000));
        }
        fixture.simulation.run();
        long batch = fixture.node.status().batch();
        fixture.advance(INTERVAL);
        assertThat(fixture.node.status().batch() - batch).isBetween(3L, 6L);
        for (int id = 1; id <= 2500; id++) {
            assertThat(stored(id)).isBetween(699L, 700L);
        }
    }

    @Test
    void aCheckpointThatFailsIsTriedAgainSoon() {
        grant(7, 1000);
        fixture.advance(Duration.ofSeconds(299));
        full = true;
        fixture.advance(Duration.ofSeconds(3));
        assertThat(stored(7)).isZero();
        full = false;
        fixture.advance(Duration.ofSeconds(4));
        assertThat(stored(7)).isBetween(694L, 700L);
    }

    @Test
    void aRenewalThatFailsLeavesTheRestToBeTakenBack() {
        grant(7, 1000);
        fixture.advance(INTERVAL);
        full = true;
        assertThatThrownBy(() -> fixture.await(fixture.node.submit(new KeepLeaseAlive(7))))
                .isInstanceOf(BackendException.class);
        assertThat(stored(7)).isBetween(699L, 700L);
        full = false;
        assertThat(keepAlive(7)).isEqualTo(1000);
        assertThat(stored(7)).isZero();
    }

    private void grant(long id, long ttl) {
        assertThat(fixture.await(fixture.node.submit(new GrantLease(id, ttl))).ttl())
                .isEqualTo(ttl);
    }

    private long keepAlive(long id) {
        return fixture.await(fixture.node.submit(new KeepLeaseAlive(id))).ttl();
    }

    private long left(long id) {
        return fixture.await(fixture.node.submit(new GetLeaseTimes(id, false))).remaining();
    }

    private long stored(long id) {
        try (Snapshot snapshot = fixture.storage.snapshot()) {
            Bytes record = snapshot.get(fixture.coder.leaseKey(id));
            return LeaseRecord.decode(record).remaining();
        }
    }

    private static CompletionStage<CommitResult> tooLarge() {
        return CompletableFuture.completedFuture(
                new CommitResult.Unavailable(
                        new StorageException(
                                StorageException.Kind.TOO_LARGE, "expected by the test")));
    }
}
