package io.brain.backend.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.Node;
import io.brain.backend.NodeSettings;
import io.brain.backend.cluster.link.EventStream.EventSink;
import io.brain.backend.cluster.link.EventStream.EventTarget;
import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.cluster.link.LeaderId;
import io.brain.backend.cluster.link.LeaderLink;
import io.brain.backend.cluster.link.LeaderUpdate;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.Op;
import io.brain.backend.model.Txn;
import io.brain.backend.runtime.SimulatedRuntime;
import io.brain.storage.Bytes;
import io.brain.storage.StorageTrait;
import io.brain.storage.testkit.MemoryStorage;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The peer URL of cluster B's leader is also that of cluster A's leader. */
class ConfusedAddressesTest {
    private static final Duration LEASE = Duration.ofSeconds(1);

    private final SimulatedRuntime simulation = new SimulatedRuntime(1);
    private Node leaderOfA;

    @Test
    void aPutToOneClusterDoesNotReachTheOther() {
        leaderOfA = start(store(), "http://a:1");
        simulation.advance(LEASE.multipliedBy(2));
        for (int i = 0; i < 9; i++) {
            put(leaderOfA);
        }
        long before = leaderOfA.status().revision();
        MemoryStorage b = store();
        Node leaderOfB = start(b, "http://a:1");
        simulation.advance(LEASE.multipliedBy(2));
        Node follower = start(b.openAgain(simulation.engine()), "http://b:1");
        simulation.advance(LEASE.multipliedBy(2));
        assertThatThrownBy(() -> put(follower)).isInstanceOf(Exception.class);
        assertThat(leaderOfA.status().revision()).isEqualTo(before);
        assertThat(follower.status().revision()).isEqualTo(leaderOfB.status().revision());
    }

    private void put(Node node) {
        Op put = new Op.Put(Bytes.utf8("k"), Bytes.utf8("v"), 0, false, false, false);
        simulation.await(node.txn(Txn.of(put), 30)).held().close();
    }

    private MemoryStorage store() {
        return new MemoryStorage(simulation.engine(), Set.of(StorageTrait.SNAPSHOT_AT_TIMESTAMP));
    }

    private Node start(MemoryStorage storage, String url) {
        NodeSettings settings =
                NodeSettings.defaults(8 << 20).withMember("n", List.of(url), List.of(), LEASE);
        return Node.open(
                storage,
                settings,
                (leader, urls) -> linkToA(leader),
                simulation.machine().runtime());
    }

    private LeaderLink linkToA(LeaderId leader) {
        return new LeaderLink() {
            @Override
            public <T> CompletableFuture<T> submit(LeaderCommand<T> command) {
                try {
                    return leaderOfA.leaderEndpoint().leader(leader).submit(command);
                } catch (BackendException refused) {
                    return CompletableFuture.failedFuture(refused);
                }
            }

            @Override
            public void eventStream(long from, EventSink sink) {
                leaderOfA.leaderEndpoint().eventStream(leader, from, target(sink));
            }

            @Override
            public void close() {}
        };
    }

    private static EventTarget target(EventSink sink) {
        return new EventTarget() {
            @Override
            public boolean isReady() {
                return true;
            }

            @Override
            public void send(LeaderUpdate update) {
                sink.update(update, () -> {});
            }

            @Override
            public void end() {
                sink.ended();
            }
        };
    }
}
