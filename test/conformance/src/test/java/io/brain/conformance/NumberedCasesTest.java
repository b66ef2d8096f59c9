package io.brain.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.brain.conformance.cases.Cases;
import io.brain.conformance.script.Duel;
import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.Verdict;
import io.brain.conformance.server.ServerCommand;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Every numbered case, played to a real etcd and to Brain; {@link HashKvTest} has its own. */
@Tag("peer")
@TestInstance(Lifecycle.PER_CLASS)
class NumberedCasesTest {

    private Duel duel;
    private int played;
    private int differing;

    @BeforeAll
    void serversAreThere() {
        assumeTrue(ServerCommand.etcd().isPresent(), ServerCommand::missingEtcd);
        duel = new Duel(ServerCommand.etcd().orElseThrow(), ServerCommand.brain());
    }

    @AfterAll
    void stopServers() {
        if (duel != null) {
            duel.close();
            System.out.println("cases: " + played + " played, " + differing + " with differences");
        }
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
        Verdict verdict = duel.play(scenario);
        played++;
        differing += verdict.passed() ? 0 : 1;
        assertThat(verdict.differences()).as(scenario.title()).isEmpty();
    }
}
