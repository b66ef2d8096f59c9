package io.brain.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.history.Histories;
import io.brain.conformance.history.Histories.Result;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The short form of the made-up histories; {@link Differential} is the long one. */
class GeneratedHistoriesTest extends ServerPairFixture {

    private static final int LENGTH = 300;

    private int operations;

    @Override
    String summary() {
        return "histories: " + operations + " operations";
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void brainAnswersAsEtcdDoes(long seed) throws Exception {
        Result result = new Histories(pair(), line -> {}).play(seed, LENGTH);
        operations += result.operations();
        assertThat(result.report()).isEmpty();
    }
}
