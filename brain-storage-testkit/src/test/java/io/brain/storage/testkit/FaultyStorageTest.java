package io.brain.storage.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.Fault.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The contract through a decorator without faults, then every fault. */
final class FaultyStorageTest extends KvStorageContract implements SnapshotAtTimestampContract {
    private static final Duration SOON = Duration.ofMillis(10);

    private final ScriptedFaults script = new ScriptedFaults();
    private final TreeMap<Duration, Runnable> delayed = new TreeMap<>();
    private final WriteBatch batch =
            WriteBatch.builder().putIfAbsent(bytes("x"), bytes("1")).build();

    @Override
    protected KvStorage open() {
        return new FaultyStorage(new MemoryStorage(), script, delayed::put);
    }

    @Override
    public Set<StorageTrait> traits() {
        return Set.of(StorageTrait.SNAPSHOT_AT_TIMESTAMP);
    }

    private CommitResult commitWith(Fault fault) {
        script.then(fault);
        return await(store().commit(batch));
    }

    @Test
    void unavailableAppliesNothingAndHasACause() {
        CommitResult end = commitWith(Fault.unavailable(Kind.NO_SPACE));

        assertThat(((CommitResult.Unavailable) end).cause().kind()).isEqualTo(Kind.NO_SPACE);
        assertThat(get("x")).isNull();
        assertThat(await(store().commit(batch))).isInstanceOf(CommitResult.Committed.class);
    }

    @Test
    void conflictAppliesNothingAndShowsWhatIsThere() {
        assertThat(((CommitResult.Conflict) commitWith(Fault.of(Outcome.CONFLICT))).actual())
                .isEmpty();
        assertThat(get("x")).isNull();
        put("x", "0");
        assertThat(((CommitResult.Conflict) commitWith(Fault.of(Outcome.CONFLICT))).actual())
                .contains(bytes("0"));
    }

    @Test
    void aLostRequestIsResolvedAsNotCommitted() {
        assertThat(commitWith(Fault.of(Outcome.UNCERTAIN_NOT_APPLIED)))
                .isInstanceOf(CommitResult.Uncertain.class);
        assertThat(await(store().resolve(batch))).isInstanceOf(CommitResult.Unavailable.class);
        assertThat(get("x")).isNull();
        assertThat(await(store().commit(batch))).isInstanceOf(CommitResult.Committed.class);
    }

    @Test
    void aLostAnswerIsResolvedAsCommitted() {
        assertThat(commitWith(Fault.of(Outcome.UNCERTAIN_APPLIED)))
                .isInstanceOf(CommitResult.Uncertain.class);
        assertThat(get("x")).isEqualTo("1");
        assertThat(await(store().resolve(batch))).isInstanceOf(CommitResult.Committed.class);
    }

    @Test
    void aLostConflictIsResolvedAsNotCommitted() {
        put("x", "0");
        assertThat(commitWith(Fault.of(Outcome.UNCERTAIN_APPLIED)))
                .isInstanceOf(CommitResult.Uncertain.class);
        assertThat(await(store().resolve(batch))).isInstanceOf(CommitResult.Unavailable.class);
        assertThat(get("x")).isEqualTo("0");
    }

    @Test
    void resolvingMayTakeSeveralAttempts() {
        commitWith(Fault.of(Outcome.UNCERTAIN_APPLIED).resolvedAfter(2));

        assertThat(await(store().resolve(batch))).isInstanceOf(CommitResult.Uncertain.class);
        assertThat(await(store().resolve(batch))).isInstanceOf(CommitResult.Uncertain.class);
        assertThat(await(store().resolve(batch))).isInstanceOf(CommitResult.Committed.class);
    }

    @Test
    void aLateRequestTakesEffectUnlessItWasResolvedBefore() {
        Fault late = Fault.of(Outcome.UNCERTAIN_THEN_APPLIED).delayed(Duration.ZERO, SOON);
        assertThat(commitWith(late)).isInstanceOf(CommitResult.Uncertain.class);
        assertThat(await(store().resolve(batch))).isInstanceOf(CommitResult.Unavailable.class);
        delayed.remove(SOON).run();
        assertThat(get("x")).isNull();

        assertThat(commitWith(late)).isInstanceOf(CommitResult.Uncertain.class);
        assertThat(get("x")).isNull();
        delayed.remove(SOON).run();
        assertThat(get("x")).isEqualTo("1");
        assertThat(await(store().resolve(batch))).isInstanceOf(CommitResult.Committed.class);
    }

    @Test
    void requestAndAnswerMayTakeTime() {
        script.then(Fault.NONE.delayed(SOON, SOON.multipliedBy(2)));
        CompletableFuture<CommitResult> end = store().commit(batch).toCompletableFuture();

        assertThat(get("x")).isNull();
        delayed.remove(SOON).run();
        assertThat(get("x")).isEqualTo("1");
        assertThat(end).isNotDone();
        delayed.remove(SOON.multipliedBy(2)).run();
        assertThat(end).isCompletedWithValueMatching(CommitResult.Committed.class::isInstance);
    }

    @Test
    void randomFaultsAreTheSameForTheSameSeed() {
        List<Outcome> outcomes = List.of(Outcome.UNAVAILABLE, Outcome.UNCERTAIN_APPLIED);
        RandomFaults one = new RandomFaults(new Random(5), 0.5, SOON, outcomes);
        RandomFaults other = new RandomFaults(new Random(5), 0.5, SOON, outcomes);
        int failing = 0;
        for (int i = 0; i < 1000; i++) {
            Fault fault = one.apply(batch);
            assertThat(fault).isEqualTo(other.apply(batch));
            assertThat(fault.before()).isLessThanOrEqualTo(SOON);
            failing += fault.outcome() == Outcome.NONE ? 0 : 1;
        }
        assertThat(failing).isBetween(400, 600);
    }

    /** Whatever happens to commits, a client that resolves before it goes on is never misled. */
    @Test
    void underRandomFaultsEveryAnswerIsTrue() {
        RandomFaults faults =
                new RandomFaults(new Random(11), 0.6, Duration.ZERO, List.of(Outcome.values()));
        try (KvStorage faulty = new FaultyStorage(new MemoryStorage(), faults)) {
            int value = 0;
            for (int i = 0; i < 500; i++) {
                WriteBatch step = counter(value, value + 1);
                CommitResult end = await(faulty.commit(step));
                while (end instanceof CommitResult.Uncertain) {
                    end = await(faulty.resolve(step));
                }
                value += end instanceof CommitResult.Committed ? 1 : 0;
                try (var snapshot = faulty.snapshot()) {
                    assertThat(snapshot.get(bytes("n"))).isEqualTo(bytes("" + value));
                }
            }
            assertThat(value).isBetween(200, 480);
        }
    }

    private WriteBatch counter(int from, int to) {
        return from == 0
                ? batch().putIfAbsent(bytes("n"), bytes("" + to)).build()
                : batch().compareAndSet(bytes("n"), bytes("" + from), bytes("" + to)).build();
    }
}
