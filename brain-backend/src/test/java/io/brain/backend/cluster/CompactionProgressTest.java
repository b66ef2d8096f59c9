package io.brain.backend.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.Txn;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.watch.WatchRequest;
import io.brain.backend.watch.WatchSink;
import io.brain.backend.watch.WatchStream;
import io.brain.storage.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Watchers of an idle key on every server hear of a compaction, and resume after it. */
class CompactionProgressTest {
    private static final Txn PUT =
            Txn.of(new Op.Put(Bytes.utf8("busy"), Bytes.utf8("1"), 0, false, false, false));

    private final SimulatedCluster cluster = new SimulatedCluster(1, 3);

    @Test
    void everyServerNotifiesItsWatchers() {
        cluster.simulation.advance(Duration.ofSeconds(5));
        List<Idle> idle = new ArrayList<>();
        cluster.servers.forEach(server -> idle.add(new Idle(server)));
        for (int round = 0; round < 20; round++) {
            SimulatedServer leader = cluster.leader();
            cluster.simulation.await(leader.node().txn(PUT, 10));
            long newest = leader.node().status().revision();
            cluster.simulation.await(leader.node().submit(new Compact(newest, false)));
            cluster.simulation.advance(Duration.ofSeconds(1));
            for (Idle watcher : idle) {
                assertThat(watcher.known).isGreaterThanOrEqualTo(newest);
                watcher.resume();
            }
        }
        cluster.simulation.advance(Duration.ofSeconds(1));
        assertThat(idle).allMatch(watcher -> watcher.compacted == 0 && watcher.created == 21);
    }

    private static final class Idle implements WatchSink {
        private final SimulatedServer server;
        private WatchStream stream;
        private long known;
        private int created;
        private int compacted;

        Idle(SimulatedServer server) {
            this.server = server;
            watch(0);
        }

        private void watch(long start) {
            KeySpan idle = KeySpan.of(Bytes.utf8("idle"));
            stream = server.node().watch(this);
            stream.create(new WatchRequest(1, idle, start, false, true, false, false, false));
        }

        void resume() {
            stream.close();
            watch(known + 1);
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public long takenBytes() {
            return 0;
        }

        @Override
        public void created(long watchId, long revision) {
            created++;
        }

        @Override
        public void refused(long revision, Refusal refusal) {
            throw new AssertionError(refusal);
        }

        @Override
        public void events(
                long watchId,
                long revision,
                List<WatchEvent> events,
                boolean prevKv,
                boolean fragment) {
            throw new AssertionError(events);
        }

        @Override
        public void progress(long watchId, long revision) {
            known = revision;
        }

        @Override
        public void canceled(long watchId, long revision) {}

        @Override
        public void compacted(long watchId, long compactRevision) {
            compacted++;
        }

        @Override
        public void failed(BackendException cause) {}

        @Override
        public void stalled() {
            throw new AssertionError("stalled");
        }
    }
}
