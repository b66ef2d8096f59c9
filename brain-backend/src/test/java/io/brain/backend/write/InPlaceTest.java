package io.brain.backend.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.StorageException.Kind;
import io.brain.storage.testkit.Fault;
import io.brain.storage.testkit.Fault.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Batches that the sequencer's thread commits itself. */
// Some writes only set the stage.
@SuppressWarnings("FutureReturnValueIgnored")
class InPlaceTest {
    private final WriteFixture fixture = new WriteFixture();

    @BeforeEach
    void engineCommitsInPlace() {
        fixture.inPlace = true;
    }

    @AfterEach
    void nothingLeaks() {
        fixture.memory.checkNoOpenSnapshots();
    }

    private List<CompletableFuture<Long>> puts(int count) {
        List<CompletableFuture<Long>> puts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            puts.add(fixture.put("k" + i, "v"));
        }
        return puts;
    }

    @Test
    void aLoneWriteIsDoneOnTheSequencersThread() {
        var put = fixture.put("a", "1");
        fixture.think();
        assertThat(put).isCompletedWithValue(2L);
        assertThat(fixture.told).containsExactly("events 2", "committed 2");
        assertThat(fixture.stored().value("a")).isEqualTo("1");
    }

    @Test
    void soAreAFewThatCameTogether() {
        var puts = puts(GroupCommitter.IN_PLACE_MAX);
        fixture.think();
        assertThat(puts).allMatch(CompletableFuture::isDone);
        assertThat(fixture.sent).hasSize(1);
    }

    @Test
    void manyAreLeftToTheEngine() {
        var puts = puts(GroupCommitter.IN_PLACE_MAX + 1);
        fixture.think();
        assertThat(fixture.sent).hasSize(1);
        assertThat(puts).noneMatch(CompletableFuture::isDone);
        fixture.run();
        assertThat(puts).allMatch(CompletableFuture::isDone);
    }

    /** Of many clients the first few that ask again are not all there is. */
    @Test
    void theBatchesAfterALargeOneAreLeftToTheEngineToo() {
        puts(GroupCommitter.IN_PLACE_MAX + 1);
        fixture.run();
        for (int i = 0; i < GroupCommitter.SMALL_BEFORE; i++) {
            var small = fixture.put("a", "" + i);
            fixture.think();
            assertThat(small).isNotDone();
            fixture.run();
        }
        var last = fixture.put("a", "last");
        fixture.think();
        assertThat(last).isDone();
    }

    @Test
    void whatWasDecidedBehindABatchIsLeftToTheEngine() {
        puts(GroupCommitter.IN_PLACE_MAX + 1);
        fixture.think();
        for (int i = 0; i < 16; i++) {
            fixture.put("behind", "" + i);
        }
        fixture.world.engine().runAll();
        fixture.think();
        assertThat(fixture.sent).hasSize(2);
        assertThat(fixture.sequencer.fence().batch()).isEqualTo(1);
        fixture.run();
        assertThat(fixture.sequencer.fence().batch()).isEqualTo(2);
    }

    @Test
    void anUncertainEndIsSettledByTheEngine() {
        fixture.faults.then(Fault.of(Outcome.UNCERTAIN_APPLIED));
        var put = fixture.put("a", "1");
        fixture.run();
        assertThat(put).isCompletedWithValue(2L);
        assertThat(fixture.sent).hasSize(1);
    }

    @Test
    void whatSurelyDidNotLandIsSentAgainAsItIs() {
        fixture.faults.then(Fault.unavailable(Kind.UNAVAILABLE));
        var put = fixture.put("a", "1");
        fixture.think();
        assertThat(put).isNotDone();
        fixture.world.runOut();
        assertThat(put).isCompletedWithValue(2L);
        assertThat(fixture.sent).hasSize(2).allMatch(batch -> batch == fixture.sent.get(0));
    }

    @Test
    void aLostFenceEndsTheTerm() {
        fixture.faults.then(Fault.of(Outcome.CONFLICT));
        var put = fixture.put("a", "1");
        fixture.run();
        assertThat(put).isCompletedExceptionally();
        assertThat(fixture.told).containsExactly("lost LEADER_CHANGED");
    }
}
