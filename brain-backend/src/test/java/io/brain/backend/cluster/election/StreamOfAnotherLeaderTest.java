package io.brain.backend.cluster.election;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.cluster.link.RaisedAlarms;
import io.brain.backend.cluster.link.Standing;
import io.brain.backend.cluster.link.TailUpdate;
import io.brain.backend.store.Fence;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What comes over a link to one leader and is of another leadership. */
class StreamOfAnotherLeaderTest {
    @Test
    void anUpdateOfAnotherEpochIsNotTaken() {
        PlayedLeader leader = new PlayedLeader();
        leader.tell(5);
        assertThat(leader.node.status().leaderId()).isEqualTo(77);
        leader.renew(5); // so that the store's clock has moved on
        Standing foreign =
                new Standing(leader.point(900), new Fence(2, 70, 900, 0), -1, RaisedAlarms.UNKNOWN);
        leader.streams.get(0).update(new TailUpdate(List.of(), foreign), () -> leader.taken++);
        leader.simulation.run();
        assertThat(leader.node.status().revision()).isEqualTo(5);
        assertThat(leader.node.status().batch()).isZero();
    }
}
