package io.brain.conformance.linear;

import static io.brain.conformance.linear.HistoryBuilder.delete;
import static io.brain.conformance.linear.HistoryBuilder.get;
import static io.brain.conformance.linear.HistoryBuilder.put;
import static io.brain.conformance.linear.HistoryBuilder.swap;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.linear.Operation.Outcome;
import java.time.Duration;
import java.util.Collections;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RegistersTest {

    private final HistoryBuilder history = new HistoryBuilder();

    @Test
    void aGoodHistoryIsLinearizableInWhateverOrderItIsListed() {
        history.done(0, 10, put("a", "1"));
        history.done(5, 20, swap("a", "1", "2"));
        history.done(6, 21, swap("a", "1", "3"));
        history.unknown(7, put("a", "4"));
        history.lost(8, put("a", "5"), Outcome.UNKNOWN);
        history.done(22, 30, get("a"));
        history.done(23, 31, delete("a"));
        history.done(32, 40, delete("a"));
        history.done(33, 41, get("a"));
        Collections.shuffle(history.operations, new Random(1));
        assertThat(check().violations()).isEmpty();
        assertThat(check().keys()).isEqualTo(1);
    }

    @Test
    void aLostWriteIsSeen() {
        history.operations.add(history.answer(0, 10, put("a", "1"), 1));
        history.done(11, 20, get("a"));
        assertThat(check().violations()).hasSize(1);
    }

    @Test
    void aStaleReadIsSeen() {
        history.done(0, 10, put("a", "1"));
        history.done(11, 20, put("a", "2"));
        history.operations.add(history.answer(21, 30, get("a"), 2));
        assertThat(check().violations()).hasSize(1);
        history.operations.remove(2);
        history.operations.add(history.answer(15, 30, get("a"), 2));
        assertThat(check().violations()).isEmpty();
    }

    @Test
    void anUnknownWriteHappensOnceOnly() {
        history.done(11, 20, put("a", "2"));
        history.unknown(0, put("a", "1"));
        history.done(21, 30, get("a"));
        assertThat(check().violations()).isEmpty(); // late, but once
        history.operations.add(history.answer(5, 10, get("a"), 3));
        assertThat(check().violations()).hasSize(1); // seen before, and again
    }

    @Test
    void twoSwapsOfTheSameValueAreSeen() {
        history.done(0, 10, put("a", "1"));
        history.operations.add(history.answer(11, 20, swap("a", "1", "2"), 2));
        history.operations.add(history.answer(11, 20, swap("a", "1", "3"), 2));
        assertThat(check().violations()).hasSize(1);
    }

    @Test
    void aValueThatWasNotWrittenIsFound() {
        history.unknown(0, put("a", "1"));
        history.operations.clear();
        history.done(11, 20, get("a"));
        assertThat(check().violations()).hasSize(1);
    }

    @Test
    void aSearchWithoutTimeIsUndecided() {
        for (int i = 0; i < 24; i++) {
            history.operations.add(history.answer(0, 100, put("a", "v" + i), 1));
        }
        history.done(101, 110, get("a"));
        Registers.Report report = Registers.check(history.operations, "a", Duration.ofMillis(20));
        assertThat(report.undecided() + report.violations().size()).isEqualTo(1);
    }

    private Registers.Report check() {
        return Registers.check(history.operations, "a", Duration.ofSeconds(5));
    }
}
