package io.brain.backend.cluster.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.cluster.link.LeaderCommand.DisarmAlarm;
import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.cluster.link.LeaderCommand.ListAlarms;
import io.brain.backend.cluster.link.LeaderCommand.RaiseAlarm;
import io.brain.backend.cluster.link.RaisedAlarms;
import io.brain.backend.model.Alarm;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class FollowerAlarmsTest {
    private static final Alarm SPACE = new Alarm(77, Alarm.NO_SPACE);
    private static final Alarm CORRUPT = new Alarm(77, Alarm.CORRUPT);

    private final ScriptedLeader leader = new ScriptedLeader();

    @Test
    void aForwardedAlarmIsKnownWhenTheCallCompletes() {
        leader.sendStatus(5);
        answer(Map.of("RaiseAlarm", true, "ListAlarms", alarms(1, SPACE)));
        assertThat(leader.simulation.await(leader.node.submit(new RaiseAlarm(SPACE)))).isTrue();
        assertThat(raised()).containsExactly(SPACE);
        answer(Map.of("DisarmAlarm", true, "ListAlarms", alarms(2)));
        assertThat(leader.simulation.await(leader.node.submit(new DisarmAlarm(SPACE)))).isTrue();
        assertThat(raised()).isEmpty();
    }

    @Test
    void theAlarmIsKnownWhenACallIsRefusedForSpace() {
        leader.sendStatus(5);
        leader.answers =
                name ->
                        name.equals("ListAlarms")
                                ? CompletableFuture.completedFuture(alarms(1, SPACE))
                                : CompletableFuture.failedFuture(
                                        new BackendException(ErrorKind.NO_SPACE));
        for (int i = 0; i < 3; i++) {
            var refused = leader.node.submit(new GrantLease(0, 60));
            assertThatThrownBy(() -> leader.simulation.await(refused))
                    .hasMessageContaining("NO_SPACE");
            assertThat(raised()).containsExactly(SPACE);
        }
        assertThat(leader.calls).containsOnlyOnce("ListAlarms");
    }

    @Test
    void alarmsAreListedByTheLeader() {
        leader.sendStatus(5);
        answer(Map.of("ListAlarms", alarms(4, SPACE, CORRUPT)));
        assertThat(
                        leader.simulation.await(
                                leader.node
                                        .submit(new ListAlarms())
                                        .thenApply(RaisedAlarms::alarms)))
                .containsExactly(SPACE, CORRUPT);
        assertThat(raised()).containsExactly(SPACE, CORRUPT);
    }

    @Test
    void olderAlarmsAreIgnored() {
        RaisedAlarms older = alarms(1, SPACE);
        RaisedAlarms newer = alarms(2, CORRUPT);
        RaisedAlarms next = new RaisedAlarms(4, 0, new TreeSet<>());
        assertThat(RaisedAlarms.newer(older, newer)).isSameAs(newer);
        assertThat(RaisedAlarms.newer(newer, older)).isSameAs(newer);
        assertThat(RaisedAlarms.newer(newer, next)).isSameAs(next);
        assertThat(RaisedAlarms.newer(next, newer)).isSameAs(next);
        answer(Map.of("ListAlarms", newer));
        leader.sendStatus(5);
        assertThat(
                        leader.simulation.await(
                                leader.node
                                        .submit(new ListAlarms())
                                        .thenApply(RaisedAlarms::alarms)))
                .containsExactly(CORRUPT);
        leader.sendStatus(6); // without alarms
        assertThat(raised()).containsExactly(CORRUPT);
    }

    private void answer(Map<String, Object> answers) {
        leader.answers =
                name -> CompletableFuture.completedFuture(answers.getOrDefault(name, null));
    }

    private SortedSet<Alarm> raised() {
        return leader.node.status().alarms();
    }

    private static RaisedAlarms alarms(long change, Alarm... alarms) {
        return new RaisedAlarms(1, change, new TreeSet<>(List.of(alarms)));
    }
}
