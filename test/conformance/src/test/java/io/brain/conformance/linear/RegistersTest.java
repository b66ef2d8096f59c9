package io.brain.conformance.linear;

import static io.brain.conformance.linear.Tale.delete;
import static io.brain.conformance.linear.Tale.get;
import static io.brain.conformance.linear.Tale.put;
import static io.brain.conformance.linear.Tale.swap;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.linear.Operation.Outcome;
import java.time.Duration;
import java.util.Collections;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RegistersTest {

    private final Tale tale = new Tale();

    @Test
    void aGoodHistoryIsLinearizableInWhateverOrderItIsTold() {
        tale.done(0, 10, put("a", "1"));
        tale.done(5, 20, swap("a", "1", "2"));
        tale.done(6, 21, swap("a", "1", "3"));
        tale.unknown(7, put("a", "4"));
        tale.lost(8, put("a", "5"), Outcome.UNKNOWN);
        tale.done(22, 30, get("a"));
        tale.done(23, 31, delete("a"));
        tale.done(32, 40, delete("a"));
        tale.done(33, 41, get("a"));
        Collections.shuffle(tale.operations, new Random(1));
        assertThat(check().violations()).isEmpty();
        assertThat(check().keys()).isEqualTo(1);
    }

    @Test
    void aLostWriteIsSeen() {
        tale.operations.add(tale.answer(0, 10, put("a", "1"), 1));
        tale.done(11, 20, get("a"));
        assertThat(check().violations()).hasSize(1);
    }

    @Test
    void aStaleReadIsSeen() {
        tale.done(0, 10, put("a", "1"));
        tale.done(11, 20, put("a", "2"));
        tale.operations.add(tale.answer(21, 30, get("a"), 2));
        assertThat(check().violations()).hasSize(1);
        tale.operations.remove(2);
        tale.operations.add(tale.answer(15, 30, get("a"), 2));
        assertThat(check().violations()).isEmpty();
    }

    @Test
    void anUnknownWriteHappensOnceOnly() {
        tale.done(11, 20, put("a", "2"));
        tale.unknown(0, put("a", "1"));
        tale.done(21, 30, get("a"));
        assertThat(check().violations()).isEmpty(); // late, but once
        tale.operations.add(tale.answer(5, 10, get("a"), 3));
        assertThat(check().violations()).hasSize(1); // seen before, and again
    }

    @Test
    void twoSwapsOfTheSameValueAreSeen() {
        tale.done(0, 10, put("a", "1"));
        tale.operations.add(tale.answer(11, 20, swap("a", "1", "2"), 2));
        tale.operations.add(tale.answer(11, 20, swap("a", "1", "3"), 2));
        assertThat(check().violations()).hasSize(1);
    }

    @Test
    void whatNobodyWroteIsSeen() {
        tale.unknown(0, put("a", "1"));
        tale.operations.clear();
        tale.done(11, 20, get("a"));
        assertThat(check().violations()).hasSize(1);
    }

    @Test
    void aSearchWithoutTimeIsUndecided() {
        for (int i = 0; i < 24; i++) {
            tale.operations.add(tale.answer(0, 100, put("a", "v" + i), 1));
        }
        tale.done(101, 110, get("a"));
        Registers.Report report = Registers.check(tale.operations, "a", Duration.ofMillis(20));
        assertThat(report.undecided() + report.violations().size()).isEqualTo(1);
    }

    private Registers.Report check() {
        return Registers.check(tale.operations, "a", Duration.ofSeconds(5));
    }
}
