package io.brain.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.cases.Cases;
import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.Verdict;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** HashKV after the same history on a real etcd and on Brain: the numbered cases about it. */
class HashKvTest extends ServerPairFixture {

    private static final int FIRST_HISTORY = 301;

    private final Map<String, Integer> comparisons = new LinkedHashMap<>();
    private int histories;
    private int differing;

    @Override
    String summary() {
        String each =
                comparisons.entrySet().stream()
                        .map(kind -> kind.getKey() + " " + kind.getValue())
                        .collect(Collectors.joining(", "));
        return "summary: HashKV: %s (%d histories); %d comparisons, %d scenarios with differences"
                .formatted(
                        each,
                        histories,
                        comparisons.values().stream().mapToInt(Integer::intValue).sum(),
                        differing);
    }

    @TestFactory
    Stream<DynamicTest> theHashIsEtcds() {
        return Cases.byArea().get(Cases.HASH).stream()
                .map(scenario -> DynamicTest.dynamicTest(scenario.title(), () -> play(scenario)));
    }

    private void play(Scenario scenario) throws Exception {
        Verdict verdict = pair().play(scenario);
        int hashes =
                (int)
                        verdict.reference().entries().stream()
                                .filter(entry -> entry.what().startsWith("HashKV "))
                                .count();
        comparisons.merge(kind(scenario.number()), hashes, Integer::sum);
        histories += scenario.number() >= FIRST_HISTORY ? 1 : 0;
        differing += verdict.passed() ? 0 : 1;
        assertThat(verdict.differences()).as(scenario.title()).isEmpty();
        assertThat(hashes).as("hashes that were compared").isPositive();
    }

    private static String kind(int number) {
        return switch (number) {
            case 102 -> "fresh";
            case 280 -> "several changes of a key in one transaction";
            case 281 -> "compacted at a delete";
            case 282 -> "compacted, then all deleted";
            case 284 -> "asked before and after a compaction";
            default -> number >= FIRST_HISTORY ? "generated" : "compacted step by step";
        };
    }
}
