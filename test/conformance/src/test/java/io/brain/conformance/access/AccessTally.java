package io.brain.conformance.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.brain.conformance.compare.Entry;
import io.brain.conformance.script.ServerPair;
import io.brain.conformance.script.Verdict;
import java.util.List;

/** Plays made-up calls of users to two servers, and counts what was compared. For one thread. */
public final class AccessTally {
    private static final int CALLS = 2_000;

    private static final List<String> REFUSALS =
            List.of(
                    "PERMISSION_DENIED: etcdserver: permission denied",
                    "UNAUTHENTICATED: etcdserver: invalid auth token",
                    "INVALID_ARGUMENT: etcdserver: user name is empty");

    private int checks;
    private int differing;

    /** Plays one history; fails if the servers differ, or if it is not a mixture of outcomes. */
    public void play(ServerPair pair, int seed) throws InterruptedException {
        Verdict verdict = pair.play(AccessHistory.scenario(seed, CALLS));
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

    @Override
    public String toString() {
        return "summary: access: " + checks + " checks, " + differing + " histories differ";
    }
}
