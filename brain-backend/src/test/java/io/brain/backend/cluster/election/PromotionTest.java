package io.brain.backend.cluster.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.runtime.SimulatedRuntime;
import io.brain.backend.store.Fence;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LeaderRecord;
import io.brain.backend.store.Store;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.MemoryStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PromotionTest {
    private static final List<String> URLS = List.of("http://127.0.0.1:2380");

    private static final long TOKEN = 100;
    private static final Fence NONE = new Fence(0, 0, 0, 0);

    private final SimulatedRuntime simulation = new SimulatedRuntime(1);
    private final MemoryStorage storage = new MemoryStorage();
    private final KeyCoder coder = new KeyCoder(Bytes.EMPTY);
    private long token = TOKEN;

    @AfterEach
    void nothingLeaks() {
        storage.checkNoOpenSnapshots();
    }

    @Test
    void theFirstPromotionHasEpochOne() {
        Promotion.Acquired acquired = promote(storage);
        assertThat(acquired.fence()).isEqualTo(new Fence(1, 0, 1, 0, 0, TOKEN));
        assertThat(stored(coder.fenceKey())).isEqualTo(acquired.fence().encode());
        assertThat(LeaderRecord.decode(stored(coder.leaderKey())))
                .isEqualTo(new LeaderRecord(7, 1, 0, Duration.ofSeconds(3), 1, URLS, 5, null));
    }

    @Test
    void aPromotionIncrementsTheEpochAndKeepsTheRest() {
        promote(storage);
        Fence written = new Fence(1, 9, 40, 5000, 12, TOKEN);
        storage.commit(WriteBatch.builder().put(coder.fenceKey(), written.encode()).build());
        Promotion.Acquired second = promote(storage);
        assertThat(second.fence()).isEqualTo(new Fence(2, 10, 40, 5000, 12, TOKEN + 1));
        assertThat(second.point().revision()).isEqualTo(40);
        assertThat(StoreState.read(storage, coder).fence()).isEqualTo(second.fence());
    }

    @Test
    void promotionsFromTheSameStateWriteDifferentFences() {
        List<Bytes> written = new ArrayList<>();
        KvStorage dropsTheBatch =
                new ForwardingKvStorage(storage) {
                    @Override
                    public CompletionStage<CommitResult> commit(WriteBatch batch) {
                        written.add(batch.resolvingValue());
                        return CompletableFuture.completedFuture(
                                new CommitResult.Conflict(coder.fenceKey(), Optional.empty()));
                    }
                };
        assertThatThrownBy(() -> promote(dropsTheBatch)).isInstanceOf(BackendException.class);
        assertThatThrownBy(() -> promote(dropsTheBatch)).isInstanceOf(BackendException.class);
        assertThat(written).hasSize(2).doesNotHaveDuplicates();
    }

    @Test
    void theSlowerOfTwoPromotionsFails() {
        promote(storage);
        Fence theirs = new Fence(2, 1, 1, 0);
        KvStorage contested =
                new ForwardingKvStorage(storage) {
                    @Override
                    public CompletionStage<CommitResult> commit(WriteBatch batch) {
                        super.commit(
                                WriteBatch.builder()
                                        .put(coder.fenceKey(), theirs.encode())
                                        .build());
                        return super.commit(batch);
                    }
                };
        assertThatThrownBy(() -> promote(contested))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(ErrorKind.LEADER_CHANGED));
        assertThat(stored(coder.fenceKey())).isEqualTo(theirs.encode());
    }

    @Test
    void aPromotionFailsIfTheLeaderRecordHasChanged() {
        promote(storage);
        ResolvingCommit commits = new ResolvingCommit(storage, simulation.runtime());
        LeaderRecord candidate = new LeaderRecord(8, 0, 0, Duration.ofSeconds(3), 0, URLS, 5, null);
        Bytes renewed = LeaderRecord.decode(stored(coder.leaderKey())).renewed(1).encode();
        assertThatThrownBy(
                        () ->
                                simulation.await(
                                        new Promotion(
                                                        new Store(storage, coder, null),
                                                        commits,
                                                        candidate,
                                                        token++)
                                                .run(renewed, NONE)))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(ErrorKind.LEADER_CHANGED));
        assertThat(StoreState.read(storage, coder).fence().epoch()).isEqualTo(1);
    }

    @Test
    void aStoreThatHasLostCommitsIsRefused() {
        Fence stored = promote(storage).fence();
        LeaderRecord candidate = new LeaderRecord(8, 0, 0, Duration.ofSeconds(3), 0, URLS, 6, null);
        for (Fence known :
                List.of(new Fence(1, 1, 1, 0), new Fence(2, 0, 1, 0), new Fence(1, 0, 2, 0))) {
            assertThatThrownBy(() -> takeOver(candidate, known))
                    .isInstanceOfSatisfying(
                            StorageException.class,
                            lost ->
                                    assertThat(lost.kind())
                                            .isEqualTo(StorageException.Kind.REFUSED))
                    .hasMessageStartingWith("the store has lost commits: its revision is 1 ");
        }
        assertThat(takeOver(candidate, stored).fence().epoch()).isEqualTo(2);
    }

    @Test
    void aGivenLeadershipIsCheckedWithoutReads() {
        Promotion.Acquired given = promote(storage);
        KvStorage unused =
                new ForwardingKvStorage(storage) {
                    @Override
                    public Snapshot snapshot() {
                        throw new AssertionError("read");
                    }

                    @Override
                    public CompletionStage<CommitResult> commit(WriteBatch batch) {
                        throw new AssertionError("commit");
                    }
                };
        Promotion promotion =
                new Promotion(
                        new Store(unused, coder, null),
                        new ResolvingCommit(unused, simulation.runtime()),
                        given.record(),
                        token++);
        assertThat(
                        simulation.await(
                                promotion
                                        .acquire(given, null, given.fence(), Runnable::run)
                                        .toCompletableFuture()))
                .isSameAs(given);
        Fence newer = new Fence(1, 1, 1, 0);
        assertThatThrownBy(
                        () ->
                                simulation.await(
                                        promotion
                                                .acquire(given, null, newer, Runnable::run)
                                                .toCompletableFuture()))
                .isInstanceOf(StorageException.class)
                .hasMessageStartingWith("the store has lost commits");
    }

    private Promotion.Acquired takeOver(LeaderRecord candidate, Fence known) {
        ResolvingCommit commits = new ResolvingCommit(storage, simulation.runtime());
        return simulation.await(
                new Promotion(new Store(storage, coder, null), commits, candidate, token++)
                        .acquire(null, stored(coder.leaderKey()), known, Runnable::run)
                        .toCompletableFuture());
    }

    @Test
    void commitsOfTheLastLeaderInFlightAreEnded() {
        promote(storage);
        Set<Bytes> ended = new HashSet<>();
        KvStorage recording =
                new ForwardingKvStorage(storage) {
                    @Override
                    public CompletionStage<Void> fenceOff(List<Bytes> primaries) {
                        ended.addAll(primaries);
                        return super.fenceOff(primaries);
                    }
                };
        ResolvingCommit commits = new ResolvingCommit(recording, simulation.runtime());
        LeaderRecord candidate = new LeaderRecord(8, 0, 0, Duration.ofSeconds(3), 0, URLS, 6, null);
        simulation.await(
                new Promotion(new Store(recording, coder, null), commits, candidate, token++)
                        .acquire(null, stored(coder.leaderKey()), NONE, Runnable::run)
                        .toCompletableFuture());
        assertThat(ended).containsExactlyInAnyOrder(coder.fenceKey(), coder.leaderKey());
    }

    @Test
    void anUncertainCommittedPromotionSucceeds() {
        KvStorage losesTheAnswer =
                new ForwardingKvStorage(storage) {
                    @Override
                    public CompletionStage<CommitResult> commit(WriteBatch batch) {
                        return super.commit(batch).thenApply(committed -> uncertain());
                    }
                };
        assertThat(promote(losesTheAnswer).fence().epoch()).isEqualTo(1);
    }

    @Test
    void anUncertainRolledBackPromotionFails() {
        KvStorage dropsTheBatch =
                new ForwardingKvStorage(storage) {
                    private int tries;

                    @Override
                    public CompletionStage<CommitResult> commit(WriteBatch batch) {
                        return CompletableFuture.completedFuture(uncertain());
                    }

                    @Override
                    public CompletionStage<CommitResult> resolve(WriteBatch batch) {
                        tries++;
                        return tries < 3
                                ? CompletableFuture.completedFuture(uncertain())
                                : super.resolve(batch);
                    }
                };
        assertThatThrownBy(() -> promote(dropsTheBatch)).isInstanceOf(StorageException.class);
        assertThat(stored(coder.fenceKey())).isNull();
    }

    @Test
    void anUnresolvablePromotionFails() {
        StorageException damage = new StorageException(StorageException.Kind.CORRUPT, "damaged");
        KvStorage damaged =
                new ForwardingKvStorage(storage) {
                    @Override
                    public CompletionStage<CommitResult> commit(WriteBatch batch) {
                        return CompletableFuture.completedFuture(
                                new CommitResult.Uncertain(damage));
                    }

                    @Override
                    public CompletionStage<CommitResult> resolve(WriteBatch batch) {
                        return commit(batch);
                    }
                };
        assertThatThrownBy(() -> promote(damaged)).isSameAs(damage);
    }

    @Test
    void aPromotionFailsOnADamagedFence() {
        promote(storage);
        byte[] damaged = stored(coder.fenceKey()).array().clone();
        damaged[10] ^= 1;
        storage.commit(WriteBatch.builder().put(coder.fenceKey(), Bytes.wrap(damaged)).build());
        assertThatThrownBy(() -> promote(storage))
                .isInstanceOfSatisfying(
                        StorageException.class,
                        failure ->
                                assertThat(failure.kind())
                                        .isEqualTo(StorageException.Kind.CORRUPT));
    }

    @Test
    void aLogWithoutAFenceIsRefused() {
        storage.commit(WriteBatch.builder().put(coder.logKey(2, 0), Bytes.utf8("events")).build());
        assertThatThrownBy(() -> StoreState.read(storage, coder))
                .isInstanceOfSatisfying(
                        StorageException.class,
                        failure ->
                                assertThat(failure.kind())
                                        .isEqualTo(StorageException.Kind.REFUSED));
    }

    private Promotion.Acquired promote(KvStorage on) {
        ResolvingCommit commits = new ResolvingCommit(on, simulation.runtime());
        LeaderRecord candidate = new LeaderRecord(7, 0, 0, Duration.ofSeconds(3), 0, URLS, 5, null);
        return simulation.await(
                new Promotion(new Store(on, coder, null), commits, candidate, token++)
                        .run(stored(coder.leaderKey()), NONE));
    }

    private Bytes stored(Bytes key) {
        try (Snapshot snapshot = storage.snapshot()) {
            return snapshot.get(key);
        }
    }

    private static CommitResult uncertain() {
        return new CommitResult.Uncertain(
                new StorageException(StorageException.Kind.UNAVAILABLE, "no answer"));
    }
}
