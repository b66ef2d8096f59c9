package io.brain.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.cases.Cases;
import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.Verdict;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every numbered case, played to a real etcd and to Brain; {@link HashKvTest} has its own. */
class NumberedCasesTest extends ServerPairFixture {

    private int played;
    private int differing;

    @Override
    String summary() {
        return "cases: " + played + " played, " + differing + " with differences";
    }

    @TestFactory
    Stream<DynamicContainer> brainAnswersAsEtcdDoes() {
        return Cases.byArea().entrySet().stream()
                .filter(area -> !area.getKey().equals(Cases.HASH))
                .map(
                        area ->
                                DynamicContainer.dynamicContainer(
                                        area.getKey(), tests(area.getValue())));
    }

    private Stream<DynamicTest> tests(List<Scenario> scenarios) {
        return scenarios.stream()
                .map(scenario -> DynamicTest.dynamicTest(scenario.title(), () -> play(scenario)));
    }

    private void play(Scenario scenario) throws Exception {
        Verdict verdict = pair().play(scenario);
        played++;
        if (!verdict.passed()) {
            differing++;
            System.out.println("differs: " + verdict.inOneLine());
        }
        assertThat(verdict.differences()).as(scenario.title()).isEmpty();
    }
}
