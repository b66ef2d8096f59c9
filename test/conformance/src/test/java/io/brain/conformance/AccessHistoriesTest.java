package io.brain.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.brain.conformance.access.AccessHistory;
import io.brain.conformance.cluster.Form;
import io.brain.conformance.compare.Entry;
import io.brain.conformance.script.Verdict;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Made-up calls of users with and without permission, played to a real etcd and to Brain. */
class AccessHistoriesTest extends ServerPairFixture {
    private static final int CALLS = 2_000;

    private static final List<String> REFUSALS =
            List.of(
                    "PERMISSION_DENIED: etcdserver: permission denied",
                    "UNAUTHENTICATED: etcdserver: invalid auth token",
                    "INVALID_ARGUMENT: etcdserver: user name is empty");

    private int checks;
    private int differing;

    @Override
    String summary() {
        return "summary: access: " + checks + " checks, " + differing + " histories differ";
    }

    static IntStream seeds() {
        return IntStream.rangeClosed(1, Form.size(3, 20));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void brainAnswersAsEtcdDoes(int seed) throws Exception {
        Verdict verdict = pair().play(AccessHistory.scenario(seed, CALLS));
        List<Entry> entries = verdict.reference().entries();
        checks += entries.size();
        differing += verdict.passed() ? 0 : 1;
        assertThat(verdict.differences()).isEmpty();
        assertThat(entries.stream().map(Entry::value).filter(Message.class::isInstance))
                .as("calls that are answered")
                .hasSizeGreaterThan(CALLS / 5);
        for (String refusal : REFUSALS) {
            assertThat(entries.stream().filter(entry -> entry.value().equals(refusal)))
                    .as(refusal)
                    .hasSizeGreaterThan(CALLS / 50);
        }
    }
}
