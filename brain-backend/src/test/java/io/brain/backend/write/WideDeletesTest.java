package io.brain.backend.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.fair.Tenant;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.Txn;
import io.brain.backend.store.HistoryScan;
import io.brain.backend.store.LogEvent;
import io.brain.backend.store.Pins;
import io.brain.backend.store.VersionRecord;
import io.brain.backend.txn.Proposal.Answer;
import io.brain.backend.txn.TxnEvaluator;
import io.brain.backend.txn.TxnProposal;
import io.brain.storage.Bytes;
import io.brain.storage.Mutation;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.Fault;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WideDeletesTest {
    private static final int KEYS = 20;
    private static final Op ALL = new Op.Delete(KeySpan.prefix(Bytes.utf8("k")), false);

    private final WriteFixture fixture = fixture(KEYS + 2);

    private static WriteFixture fixture(int txnChangesMax) {
        return new WriteFixture(
                new WriteSettings(
                        999, 1 << 20, 2_000, txnChangesMax, 1 << 20, 1 << 10, 1 << 20, 64 << 20));
    }

    @BeforeEach
    void fill() {
        for (int i = 0; i < KEYS; i++) {
            assertThat(fixture.put(key(i), "v" + i)).isNotNull();
        }
        fixture.world.runOut();
        fixture.sent.clear();
    }

    @AfterEach
    void theStoreIsSound() {
        StoredState stored = fixture.stored();
        assertThat(stored.bytes).isEqualTo(stored.fence.bytes());
        fixture.memory.checkNoOpenSnapshots();
    }

    @Test
    void whatItReplacesIsWrittenBeforeIt() {
        var deleted = submit(ALL);
        fixture.world.runOut();
        assertThat(deleted.join()).isEqualTo(KEYS);
        assertThat(fixture.sent).hasSizeGreaterThan(4);
        WriteBatch last = fixture.sent.remove(fixture.sent.size() - 1);
        assertThat(written(last)).isZero();
        assertThat(fixture.sent).allMatch(part -> written(part) < 6);
        assertThat(fixture.sent.stream().mapToInt(this::written).sum()).isEqualTo(KEYS);
        assertThat(fixture.stored().keys.values())
                .allSatisfy(
                        stored -> {
                            assertThat(stored.head.isTombstone()).isTrue();
                            assertThat(stored.head.revision()).isEqualTo(KEYS + 2);
                            assertThat(stored.versions).hasSize(2);
                        });
        assertThat(fixture.watchEvents().subList(KEYS, 2 * KEYS))
                .allMatch(event -> event.isDelete() && event.prevKv() != null);
    }

    @Test
    void aPauseFollowsEachPart() {
        var deleted = submit(ALL);
        int pauses = 0;
        for (fixture.run(); fixture.world.fireTimer(); fixture.run()) {
            assertThat(fixture.sent.size()).isLessThanOrEqualTo(++pauses);
        }
        assertThat(deleted.join()).isEqualTo(KEYS);
        assertThat(pauses).isGreaterThan(fixture.sent.size());
    }

    @Test
    void thePausesTakeASecondAtMost() {
        WriteFixture wide = fixture(1000);
        for (int i = 0; i < 100; i++) {
            assertThat(wide.put(key(i), "v" + i)).isNotNull();
        }
        wide.world.runOut();
        Duration part = Duration.ofMillis(10);
        long began = wide.world.nanos();
        var deleted = submit(wide, ALL);
        int parts = 0;
        do {
            wide.world.pass(part);
            wide.run();
            parts++;
        } while (wide.world.fireTimer());
        assertThat(deleted.join()).isEqualTo(100);
        long took = wide.world.nanos() - began;
        assertThat(Duration.ofNanos(took).minus(part.multipliedBy(parts)))
                .isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void afterSomeSecondsItIsEvaluatedWithWhatIsPrepared() {
        var deleted = submit(ALL);
        var waiting = submit(ALL);
        awaitSent(1);
        fixture.world.pass(Duration.ofMillis(4500));
        fixture.world.runOut();
        assertThat(deleted.join()).isEqualTo(KEYS);
        assertThat(waiting.join()).isZero();
        assertThat(fixture.sent).hasSize(2);
        assertThat(fixture.sent.stream().mapToInt(this::written).sum()).isEqualTo(KEYS);
    }

    @Test
    void oneThatWaitsForItsTurnForTooLongIsNotExecuted() {
        var deleted = submit(ALL);
        var waiting = submit(ALL);
        awaitSent(1);
        fixture.world.pass(Duration.ofMillis(6500));
        assertThat(fixture.put(key(0), "newer")).isNotNull();
        fixture.world.runOut();
        assertThat(deleted.join()).isEqualTo(KEYS);
        assertThat(errorOf(waiting)).isEqualTo(ErrorKind.TIMEOUT);
        deleted = submit(ALL);
        fixture.world.runOut();
        assertThat(deleted).isCompleted();
    }

    @Test
    void keysThatChangeMeanwhileAreDeletedAsTheyAreThen() {
        var deleted = submit(ALL);
        awaitSent(2);
        var changed = fixture.put(key(0), "newer");
        var created = fixture.put("kk", "new");
        fixture.world.runOut();
        assertThat(deleted.join()).isEqualTo(KEYS + 1);
        assertThat(changed.join()).isEqualTo(KEYS + 2);
        assertThat(created.join()).isEqualTo(KEYS + 3);
        assertThat(fixture.stored().keys.get(Bytes.utf8(key(0))).versions.keySet())
                .containsExactly(2L, KEYS + 2L, KEYS + 4L);
    }

    @Test
    void nothingIsWrittenForADeleteThatIsRefused() {
        for (int i = 0; i < 5; i++) {
            assertThat(fixture.put("kk" + i, "v")).isNotNull();
        }
        fixture.world.runOut();
        fixture.sent.clear();
        var deleted = submit(ALL);
        fixture.world.runOut();
        assertThat(errorOf(deleted)).isEqualTo(ErrorKind.REQUEST_TOO_LARGE);
        assertThat(fixture.sent).isEmpty();
    }

    @Test
    void copiesOfADeleteThatFailedMeanNothing() {
        fixture.faults
                .then(Fault.NONE)
                .then(Fault.NONE)
                .then(Fault.unavailable(StorageException.Kind.NO_SPACE));
        var deleted = submit(ALL);
        fixture.world.runOut();
        assertThat(errorOf(deleted)).isEqualTo(ErrorKind.NO_SPACE);
        assertThat(fixture.stored().value(key(0))).isEqualTo("v0");
        assertThat(versions()).as("each once").hasSize(KEYS);
        var changed = fixture.put(key(0), "newer");
        fixture.world.runOut();
        assertThat(changed.join()).isEqualTo(KEYS + 2);
        assertThat(versions()).hasSize(KEYS + 1);
        theStoreIsSound();
        deleted = submit(ALL);
        fixture.world.runOut();
        assertThat(deleted.join()).isEqualTo(KEYS);
    }

    @Test
    void oneIsPreparedAtATime() {
        List<CompletableFuture<Integer>> deletes = new ArrayList<>();
        for (int i = 0; i < WideDeleteTurns.WAITING_MAX + 3; i++) {
            deletes.add(submit(ALL));
        }
        fixture.world.runOut();
        assertThat(deletes.remove(0).join()).isEqualTo(KEYS);
        List<CompletableFuture<Integer>> refused =
                deletes.subList(WideDeleteTurns.WAITING_MAX, deletes.size());
        assertThat(refused)
                .hasSize(2)
                .allMatch(delete -> errorOf(delete) == ErrorKind.TOO_MANY_REQUESTS);
        refused.clear();
        assertThat(deletes).allMatch(delete -> delete.join() == 0);
        assertThat(fixture.sent.stream().mapToInt(this::written).sum()).isEqualTo(KEYS);
        assertThat(submit(ALL)).isNotNull();
        fixture.world.runOut();
    }

    /** Runs until so many batches are sent. */
    private void awaitSent(int batches) {
        while (fixture.sent.size() < batches) {
            assertThat(fixture.world.step() || fixture.world.fireTimer()).isTrue();
        }
    }

    private CompletableFuture<Integer> submit(Op op) {
        return submit(fixture, op);
    }

    private static CompletableFuture<Integer> submit(WriteFixture on, Op op) {
        TxnEvaluator evaluator = new TxnEvaluator(lease -> false, new Pins(), on.coder);
        var proposal =
                new TxnProposal<>(
                        Txn.of(op),
                        evaluator,
                        answer -> {
                            var result = (OpResult.Delete) answer.result().results().get(0);
                            return Answer.of(result.deleted());
                        });
        return WideDeletes.submit(on.sequencer, proposal, Tenant.SERVER, 10)
                .thenApply(Math::toIntExact);
    }

    /** Number of history records of a batch. */
    private int written(WriteBatch batch) {
        return (int)
                batch.mutations().stream()
                        .map(Mutation::key)
                        .filter(fixture.coder.history()::contains)
                        .count();
    }

    private List<Bytes> versions() {
        List<Bytes> seen = new ArrayList<>();
        try (Snapshot snapshot = fixture.memory.snapshot()) {
            new HistoryScan(
                            snapshot,
                            fixture.coder,
                            -1,
                            fixture.stored().fence.revision(),
                            () -> {})
                    .run(
                            new HistoryScan.Visitor() {
                                @Override
                                public void version(
                                        Bytes key, VersionRecord version, boolean newest) {
                                    seen.add(key);
                                }

                                @Override
                                public void logged(LogEvent event) {}
                            });
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return seen;
    }

    private static ErrorKind errorOf(CompletableFuture<?> answer) {
        assertThat(answer).isCompletedExceptionally();
        return answer.handle((done, failure) -> ((BackendException) Failures.cause(failure)).kind())
                .join();
    }

    private static String key(int i) {
        return "k%02d".formatted(i);
    }
}
