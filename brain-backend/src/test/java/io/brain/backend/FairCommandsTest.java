package io.brain.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.auth.AuthChange;
import io.brain.backend.auth.Caller;
import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.cluster.link.LeaderCommand.ChangeAuth;
import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.cluster.link.LeaderCommand.DisarmAlarm;
import io.brain.backend.cluster.link.LeaderCommand.GetLeaseTimes;
import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.cluster.link.LeaderCommand.RaiseAlarm;
import io.brain.backend.cluster.link.LeaderCommand.RevokeLease;
import io.brain.backend.fair.Tenant;
import io.brain.backend.model.Alarm;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** One client cannot use up what may be pending, whatever its commands are. */
class FairCommandsTest {
    private static final int MORE_THAN_MAY_BE_PENDING = 25_000;
    private static final Caller GREEDY = Caller.of(Tenant.connection("greedy", 1));
    private static final Caller OTHER = Caller.of(Tenant.connection("other", 2));

    private final NodeFixture fixture = new NodeFixture(1).open();

    @Test
    void grantsOfLeases() {
        check(id -> new GrantLease(id, 60));
    }

    @Test
    void revocationsOfLeases() {
        check(id -> new RevokeLease(id));
    }

    @Test
    void timesOfLeases() {
        check(id -> new GetLeaseTimes(id, false));
    }

    @Test
    void compactions() {
        check(id -> new Compact(id, false));
    }

    @Test
    void alarms() {
        check(id -> new RaiseAlarm(new Alarm(1, 9)));
        check(id -> new DisarmAlarm(new Alarm(id, 9)));
    }

    @Test
    void changesOfUsers() {
        check(id -> new ChangeAuth(new AuthChange.DeleteUser("u" + id)));
    }

    private void check(IntFunction<LeaderCommand<?>> command) {
        fixture.simulation.engine().hold();
        var first = fixture.submit(NodeFixture.putOf("first", "1", 0));
        fixture.simulation.run();
        for (int i = 1; i <= MORE_THAN_MAY_BE_PENDING; i++) {
            var unused = fixture.node.submit(command.apply(i).by(GREEDY));
        }
        CompletableFuture<?> other = fixture.node.submit(command.apply(1).by(OTHER));
        assertThat(other).as("admitted").isNotDone();
        fixture.simulation.engine().release();
        fixture.await(first);
        fixture.await(other.handle((result, failure) -> true));
    }
}
