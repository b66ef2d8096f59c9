package io.brain.backend.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.brain.backend.fair.Tenant;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.txn.HeadRecord;
import io.brain.backend.txn.Proposal;
import io.brain.backend.txn.Proposal.Answer;
import io.brain.storage.Bytes;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

// Some writes only set the stage.
@SuppressWarnings("FutureReturnValueIgnored")
class SequencerTest {
    private final WriteFixture fixture = new WriteFixture();

    @AfterEach
    void nothingLeaks() {
        fixture.memory.checkNoOpenSnapshots();
    }

    @Test
    void writesGetContiguousRevisionsInOrderOfArrival() {
        var first = fixture.put("a", "1");
        var second = fixture.put("b", "1");
        fixture.run();
        var third = fixture.put("a", "2");
        fixture.run();
        assertThat(List.of(first.join(), second.join(), third.join())).containsExactly(2L, 3L, 4L);
        assertThat(fixture.stored().fence.revision()).isEqualTo(4);
        assertThat(fixture.stored().value("a")).isEqualTo("2");
        assertThat(fixture.sequencer.fence()).isEqualTo(fixture.stored().fence);
    }

    @Test
    void noAnswerIsSentBeforeItsBatchIsDurable() {
        var put = fixture.put("a", "1");
        fixture.evaluate();
        assertThat(fixture.sent).hasSize(1);
        assertThat(put).isNotDone();
        fixture.run();
        assertThat(put).isCompletedWithValue(2L);
    }

    @Test
    void writesDuringACommitShareTheNextBatch() {
        fixture.put("a", "1");
        fixture.evaluate();
        List<CompletableFuture<Long>> puts = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            puts.add(fixture.put("k" + i, "v"));
            fixture.evaluate();
        }
        assertThat(fixture.sent).hasSize(1);
        fixture.run();
        assertThat(fixture.sent).hasSize(2);
        assertThat(puts).allMatch(CompletableFuture::isDone);
        assertThat(puts.get(31).join()).isEqualTo(34);
    }

    @Test
    void duringACommitRequestsWakeTheSequencerInGroups() {
        fixture.put("a", "1");
        fixture.evaluate();
        int before = fixture.world.sequencer().taken();
        for (int i = 0; i < 15; i++) {
            fixture.put("k" + i, "v");
        }
        assertThat(fixture.world.sequencer().taken()).isEqualTo(before);
        fixture.put("k15", "v");
        assertThat(fixture.world.sequencer().taken()).isEqualTo(before + 1);
        fixture.run();
        assertThat(fixture.stored().fence.revision()).isEqualTo(18);
    }

    @Test
    void anErrorWaitsForTheBatchesThatItDependsOn() {
        fixture.put("a", "1");
        CompletableFuture<Object> refused =
                fixture.submit(
                        context -> {
                            assertThat(context.get(Bytes.utf8("a")).exists()).isTrue();
                            throw new BackendException(ErrorKind.KEY_NOT_FOUND);
                        });
        var read = fixture.get("a");
        fixture.evaluate();
        assertThat(refused).isNotDone();
        assertThat(read).isNotDone();
        fixture.run();
        assertThat(errorOf(refused)).isEqualTo(ErrorKind.KEY_NOT_FOUND);
        assertThat(read.join().revision()).isEqualTo(2);
        assertThat(fixture.sent).hasSize(1);
    }

    @Test
    void drainingAnswersWhatWasSubmittedAndRefusesTheRest() {
        var inFlight = fixture.put("a", "1");
        fixture.evaluate();
        var queued = fixture.put("b", "1");
        CompletableFuture<Void> drained = fixture.sequencer.drain();
        var refused = fixture.put("c", "1");
        assertThat(errorOf(refused)).isEqualTo(ErrorKind.NOT_LEADER);
        fixture.evaluate();
        assertThat(drained).isNotDone();
        fixture.run();
        assertThat(drained).isCompleted();
        assertThat(List.of(inFlight.join(), queued.join())).containsExactly(2L, 3L);
        assertThat(fixture.sequencer.fence().revision()).isEqualTo(3);
        assertThat(fixture.sequencer.isOpen()).isTrue();
    }

    @Test
    void drainingAnIdleSequencerSendsNothing() {
        CompletableFuture<Void> drained = fixture.sequencer.drain();
        fixture.evaluate();
        assertThat(drained).isCompleted();
        assertThat(fixture.sent).isEmpty();
        CompletableFuture<Void> closed = fixture.sequencer.close(ErrorKind.LEADER_CHANGED);
        fixture.evaluate();
        assertThat(closed).isCompleted();
        assertThat(fixture.sequencer.drain()).isCompleted();
    }

    @Test
    void aProposalWithoutChangesIsAnsweredAtOnceAndWritesNothing() {
        var read = fixture.get("a");
        fixture.evaluate();
        assertThat(read).isCompletedWithValue(HeadRecord.ABSENT);
        assertThat(fixture.sent).isEmpty();
    }

    @Test
    void anUnsureLeaderSendsABatchWithTheFenceAlone() {
        fixture.sure = false;
        var read = fixture.get("a");
        fixture.evaluate();
        assertThat(read).isNotDone();
        fixture.run();
        assertThat(read).isDone();
        assertThat(fixture.sent).hasSize(1);
        assertThat(fixture.sent.get(0).mutations()).hasSize(1);
        assertThat(fixture.stored().fence.revision()).isEqualTo(1);
        assertThat(fixture.stored().fence.batch()).isEqualTo(1);
    }

    @Test
    void aBatchSentBeforeIsNoProofForAnUnsureLeader() {
        fixture.put("a", "1");
        fixture.evaluate();
        fixture.sure = false;
        var read = fixture.get("b");
        fixture.run();
        assertThat(read).isDone();
        assertThat(fixture.sent).hasSize(2);
    }

    @Test
    void aFailedProposalChangesNothing() {
        List<String> undone = new ArrayList<>();
        CompletableFuture<Object> failed =
                fixture.submit(
                        context -> {
                            context.put(Bytes.utf8("a"), Bytes.utf8("1"), 0);
                            context.putRecord(fixture.coder.alarmKey(), Bytes.utf8("x"));
                            context.onPublished(() -> undone.add("published"));
                            context.onFailed(() -> undone.add("first"));
                            context.onFailed(() -> undone.add("second"));
                            throw new IllegalStateException("broken");
                        });
        var read = fixture.get("a");
        fixture.run();
        assertThat(errorOf(failed)).isEqualTo(ErrorKind.INTERNAL);
        assertThat(read.join()).isEqualTo(HeadRecord.ABSENT);
        assertThat(undone).containsExactly("second", "first");
        assertThat(fixture.sent).isEmpty();
    }

    @Test
    void eventsAreSentBeforeTheRevisionIsPublishedAndAnswered() {
        CompletableFuture<Long> put =
                fixture.submit(
                        context -> {
                            context.put(Bytes.utf8("a"), Bytes.utf8("1"), 0);
                            context.onPublished(() -> fixture.calls.add("published"));
                            return Answer.of(context.headerRevision());
                        });
        put.thenAccept(
                revision ->
                        fixture.calls.add(
                                "answered at " + fixture.revisions.committed().revision()));
        fixture.run();
        assertThat(fixture.calls)
                .containsExactly("events 2", "committed 2", "published", "answered at 2");
    }

    @Test
    void anErrorDuringPublicationEndsTheTermButUndoesNothingDurable() {
        List<String> undone = new ArrayList<>();
        CompletableFuture<Long> put =
                fixture.submit(
                        context -> {
                            context.put(Bytes.utf8("a"), Bytes.utf8("1"), 0);
                            context.onFailed(() -> undone.add("a"));
                            context.onPublished(
                                    () -> {
                                        throw new IllegalStateException("broken");
                                    });
                            return Answer.of(context.headerRevision());
                        });
        fixture.run();
        assertThat(errorOf(put)).isEqualTo(ErrorKind.INTERNAL);
        assertThat(fixture.calls).contains("lost INTERNAL");
        assertThat(undone).isEmpty();
        assertThat(fixture.stored().value("a")).isEqualTo("1");
    }

    @Test
    void anAnswerFromTheStoreIsReadAfterPublication() {
        CompletableFuture<Long> answer =
                fixture.submit(
                        context -> {
                            context.put(Bytes.utf8("a"), Bytes.utf8("1"), 0);
                            return Answer.afterwards(
                                    () ->
                                            CompletableFuture.supplyAsync(
                                                    () -> fixture.revisions.committed().revision(),
                                                    fixture.world.readers()));
                        });
        fixture.evaluate();
        fixture.world.engine().runAll();
        fixture.evaluate();
        assertThat(answer).isNotDone();
        fixture.world.readers().runAll();
        assertThat(answer).isCompletedWithValue(2L);
    }

    @Test
    void anAnswerFromTheStoreFailsIfTheReadersAreFull() {
        fixture.world.readers().limit(0);
        CompletableFuture<String> answer =
                fixture.submit(
                        context ->
                                Answer.afterwards(
                                        () ->
                                                CompletableFuture.supplyAsync(
                                                        () -> "read", fixture.world.readers())));
        fixture.run();
        assertThat(errorOf(answer)).isEqualTo(ErrorKind.TOO_MANY_REQUESTS);
    }

    @Test
    void onlyBatchesWithPutsNeedSpace() {
        fixture.put("a", "1");
        fixture.run();
        fixture.delete("a");
        fixture.run();

        assertThat(fixture.sent).extracting(WriteBatch::needsSpace).containsExactly(true, false);
    }

    @Test
    void anUncertainBatchThatWasCommittedIsPublished() {
        fixture.faults.then(Fault.of(Fault.Outcome.UNCERTAIN_APPLIED).resolvedAfter(2));
        var put = fixture.put("a", "1");
        fixture.run();
        assertThat(put).isNotDone();
        fixture.world.runOut();
        assertThat(put).isCompletedWithValue(2L);
        assertThat(fixture.sent).hasSize(1);
        assertThat(fixture.calls).containsExactly("events 2", "committed 2");
    }

    @Test
    void anUncertainBatchThatWasNotCommittedIsSentAgainUnchanged() {
        fixture.faults.then(Fault.of(Fault.Outcome.UNCERTAIN_NOT_APPLIED));
        var put = fixture.put("a", "1");
        fixture.world.runOut();
        assertThat(put).isCompletedWithValue(2L);
        assertThat(fixture.sent).hasSize(2);
        assertThat(fixture.sent.get(1)).isSameAs(fixture.sent.get(0));
        assertThat(fixture.calls).containsExactly("events 2", "committed 2");
    }

    @Test
    void laterWritesWaitForAnUncertainBatch() {
        fixture.faults.then(
                Fault.of(Fault.Outcome.UNCERTAIN_THEN_APPLIED)
                        .delayed(Duration.ZERO, Duration.ofMillis(1))
                        .resolvedAfter(3));
        var first = fixture.put("a", "1");
        fixture.evaluate();
        var second = fixture.put("a", "2");
        fixture.run();
        assertThat(first).isNotDone();
        assertThat(second).isNotDone();
        fixture.world.runOut();
        assertThat(first).isCompletedWithValue(2L);
        assertThat(second).isCompletedWithValue(3L);
        assertThat(fixture.stored().value("a")).isEqualTo("2");
    }

    @Test
    void anUnavailableEngineIsRetriedWithBackoff() {
        for (int i = 0; i < 6; i++) {
            fixture.faults.then(Fault.of(Fault.Outcome.UNAVAILABLE));
        }
        var put = fixture.put("a", "1");
        fixture.world.advance(Duration.ofMillis(5 + 10 + 20 + 40 + 80 + 159));
        assertThat(put).isNotDone();
        assertThat(fixture.sent).hasSize(6);
        fixture.world.advance(Duration.ofMillis(2));
        assertThat(put).isCompletedWithValue(2L);
    }

    @Test
    void aLostFenceFailsAllRequestsWithLeaderChanged() {
        List<String> undone = new ArrayList<>();
        fixture.faults.then(slowly(Fault.of(Fault.Outcome.CONFLICT)));
        CompletableFuture<Long> first =
                fixture.submit(
                        context -> {
                            context.put(Bytes.utf8("a"), Bytes.utf8("1"), 0);
                            context.onFailed(() -> undone.add("a"));
                            return Answer.of(context.headerRevision());
                        });
        fixture.evaluate();
        var second = fixture.put("b", "1");
        fixture.world.runOut();
        assertThat(errorOf(first)).isEqualTo(ErrorKind.LEADER_CHANGED);
        assertThat(errorOf(second)).isEqualTo(ErrorKind.LEADER_CHANGED);
        assertThat(errorOf(fixture.put("c", "1"))).isEqualTo(ErrorKind.LEADER_CHANGED);
        assertThat(fixture.calls).containsExactly("lost LEADER_CHANGED");
        assertThat(undone).containsExactly("a");
        assertThat(fixture.stored().keys).isEmpty();
    }

    @Test
    void corruptionEndsTheTerm() {
        fixture.faults.then(Fault.unavailable(Kind.CORRUPT));
        var put = fixture.put("a", "1");
        fixture.run();
        assertThat(errorOf(put)).isEqualTo(ErrorKind.CORRUPT);
        assertThat(fixture.calls).containsExactly("lost CORRUPT");
    }

    @Test
    void aBatchWithoutSpaceFailsWithAllLaterOnesAndTheSequencerContinues() {
        List<String> undone = new ArrayList<>();
        fixture.put("a", "0");
        fixture.run();
        fixture.calls.clear();
        fixture.faults.then(slowly(Fault.unavailable(Kind.NO_SPACE)));
        var first = fixture.submit(putWithUndo("a", undone));
        fixture.evaluate();
        List<CompletableFuture<Long>> behind = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            behind.add(fixture.submit(putWithUndo("b" + i, undone)));
        }
        fixture.evaluate();
        var read = fixture.get("a");
        fixture.world.runOut();
        assertThat(errorOf(first)).isEqualTo(ErrorKind.NO_SPACE);
        assertThat(behind).allMatch(put -> errorOf(put) == ErrorKind.NO_SPACE);
        assertThat(undone).hasSize(17).startsWith("b15", "b14").endsWith("b0", "a");
        assertThat(read.join().kv().value()).isEqualTo(Bytes.utf8("0"));
        assertThat(fixture.calls).containsExactly("out of space");

        var next = fixture.put("c", "1");
        fixture.run();
        assertThat(next).isCompletedWithValue(3L);
        assertThat(fixture.stored().keys.keySet())
                .containsExactly(Bytes.utf8("a"), Bytes.utf8("c"));
        assertThat(fixture.stored().bytes).isEqualTo(fixture.stored().fence.bytes());
    }

    @Test
    void batchNumbersAreNotReused() {
        fixture.faults.then(Fault.unavailable(Kind.NO_SPACE));
        fixture.put("a", "1");
        fixture.run();
        fixture.put("a", "1");
        fixture.run();
        assertThat(fixture.sent).hasSize(2);
        assertThat(fixture.sent.get(0).primary().newValue())
                .isNotEqualTo(fixture.sent.get(1).primary().newValue());
    }

    @Test
    void requestsBehindATooLargeBatchMayBeRepeated() {
        fixture.faults.then(slowly(Fault.unavailable(Kind.TOO_LARGE)));
        var first = fixture.put("a", "1");
        fixture.evaluate();
        List<CompletableFuture<Long>> behind = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            behind.add(fixture.put("b", "1"));
        }
        fixture.evaluate();
        fixture.world.runOut();
        assertThat(errorOf(first)).isEqualTo(ErrorKind.REQUEST_TOO_LARGE);
        assertThat(behind).allMatch(put -> errorOf(put) == ErrorKind.TOO_MANY_REQUESTS);
        assertThat(fixture.calls).isEmpty();
    }

    @Test
    void tooManyRequestsAreRefusedAtOnce() {
        WriteFixture small =
                new WriteFixture(
                        new WriteSettings(
                                2, 1 << 20, 1 << 20, 10, 1 << 20, 1 << 10, 1 << 10, 64 << 20));
        var first = small.put("a", "1");
        var second = small.put("b", "1");
        assertThat(errorOf(small.put("c", "1"))).isEqualTo(ErrorKind.TOO_MANY_REQUESTS);
        small.run();
        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        assertThat(small.put("c", "1")).isNotDone();
    }

    @Test
    void aClientWithManyRequestsLeavesRoomForOthers() {
        WriteFixture small =
                new WriteFixture(
                        new WriteSettings(
                                4, 1 << 20, 1 << 20, 10, 1 << 20, 1 << 10, 1 << 10, 64 << 20));
        Tenant greedy = Tenant.user("greedy");
        small.sequencer.submit(context -> Answer.of(1), greedy, 10);
        small.sequencer.submit(context -> Answer.of(2), greedy, 10);
        var third = small.sequencer.submit(context -> Answer.of(3), greedy, 10);
        var other = small.sequencer.submit(context -> Answer.of(4), Tenant.user("other"), 10);
        assertThat(errorOf(third)).isEqualTo(ErrorKind.TOO_MANY_REQUESTS);
        small.run();
        assertThat(other).isCompletedWithValue(4);
        assertThat(small.sequencer.stats().pending()).isZero();
        assertThat(small.sequencer.stats().pendingBytes()).isZero();
    }

    @Test
    void tooManyBytesAreRefusedAtOnceButASingleRequestPasses() {
        WriteFixture small =
                new WriteFixture(
                        new WriteSettings(
                                9, 100, 1 << 20, 10, 1 << 20, 1 << 10, 1 << 10, 64 << 20));
        var big = small.sequencer.submit(context -> Answer.of(1), Tenant.SERVER, 1000);
        assertThat(errorOf(small.put("c", "1"))).isEqualTo(ErrorKind.TOO_MANY_REQUESTS);
        small.run();
        assertThat(big).isCompleted();
        assertThat(small.put("c", "1")).isNotDone();
    }

    @Test
    void aFullBatchIsNotFilledFurther() {
        WriteFixture small =
                new WriteFixture(
                        new WriteSettings(
                                999, 1 << 20, 2000, 10, 1 << 20, 1 << 10, 1 << 10, 64 << 20));
        List<CompletableFuture<Long>> puts = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            puts.add(small.put("key" + i, "x".repeat(300)));
        }
        small.run();
        assertThat(puts.get(29)).isCompletedWithValue(31L);
        assertThat(small.sent).hasSizeGreaterThan(5);
        assertThat(small.sent).allMatch(batch -> batch.bytes() < 3000);
        assertThat(small.stored().bytes).isEqualTo(small.stored().fence.bytes());
    }

    @Test
    void aLargeTransactionStartsAnotherBatch() {
        WriteFixture small =
                new WriteFixture(
                        new WriteSettings(
                                999, 1 << 20, 2000, 10, 1 << 20, 1 << 10, 1 << 10, 64 << 20));
        small.put("a", "1");
        var big = small.put("b", "x".repeat(5000));
        var after = small.put("c", "1");
        small.run();
        assertThat(big).isCompletedWithValue(3L);
        assertThat(after).isCompletedWithValue(4L);
        assertThat(small.sent).hasSize(3);
    }

    @Test
    void closeFailsPendingAndLaterRequests() {
        var first = fixture.put("a", "1");
        fixture.evaluate();
        var second = fixture.put("b", "1");
        var closed = fixture.sequencer.close(ErrorKind.STOPPED);
        fixture.evaluate();
        assertThat(closed).isCompleted();
        assertThat(errorOf(first)).isEqualTo(ErrorKind.STOPPED);
        assertThat(errorOf(second)).isEqualTo(ErrorKind.STOPPED);
        assertThat(errorOf(fixture.put("c", "1"))).isEqualTo(ErrorKind.STOPPED);
        fixture.world.runOut();
        assertThat(fixture.calls).isEmpty();
        assertThat(fixture.sequencer.close(ErrorKind.NO_LEADER)).isNotDone();
        fixture.evaluate();
        assertThat(errorOf(fixture.put("c", "1"))).isEqualTo(ErrorKind.STOPPED);
    }

    @Test
    void aFailedReadFailsOnlyItsRequest() {
        fixture.memory.close();
        var read = fixture.get("a");
        fixture.run();
        assertThat(errorOf(read)).isEqualTo(ErrorKind.STOPPED);
        assertThat(fixture.calls).isEmpty();
    }

    /** The fault, after a while in which the sequencer can go on. */
    private static Fault slowly(Fault fault) {
        return fault.delayed(Duration.ofMillis(1), Duration.ZERO);
    }

    private static Proposal<Long> putWithUndo(String key, List<String> undone) {
        return context -> {
            context.put(Bytes.utf8(key), Bytes.utf8("1"), 0);
            context.onFailed(() -> undone.add(key));
            return Answer.of(context.headerRevision());
        };
    }

    private static ErrorKind errorOf(CompletableFuture<?> future) {
        assertThat(future).isDone();
        return catchThrowableOfType(CompletionException.class, future::join).getCause()
                        instanceof BackendException failure
                ? failure.kind()
                : null;
    }
}
