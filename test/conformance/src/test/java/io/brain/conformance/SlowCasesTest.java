package io.brain.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.ServerPair;
import io.brain.conformance.server.ServerCommand;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The numbered cases that wait for minutes; in the long form only. */
@Tag("peer")
@Tag("slow")
class SlowCasesTest {

    @ParameterizedTest
    @MethodSource("io.brain.conformance.cases.Cases#slow")
    void brainAnswersAsEtcdDoes(Scenario scenario) throws Exception {
        try (ServerPair pair = new ServerPair(ServerCommand.etcd(), ServerCommand.compared())) {
            assertThat(pair.play(scenario).differences()).as(scenario.title()).isEmpty();
        }
    }
}
