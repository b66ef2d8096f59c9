package io.brain.conformance;

import io.brain.conformance.access.AccessTally;
import io.brain.conformance.cluster.Form;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Made-up calls of users with and without permission, played to a real etcd and to Brain. */
class AccessHistoriesTest extends ServerPairFixture {
    private final AccessTally tally = new AccessTally();

    @Override
    String summary() {
        return tally.toString();
    }

    static IntStream seeds() {
        return IntStream.rangeClosed(1, Form.size(3, 20));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void brainAnswersAsEtcdDoes(int seed) throws Exception {
        tally.play(pair(), seed);
    }
}
