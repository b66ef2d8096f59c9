package io.brain.server.standby;

import io.brain.transfer.mirror.CompactedException;
import io.brain.transfer.mirror.RevisionTail;
import io.brain.transfer.mirror.SourceCluster;
import io.grpc.Channel;
import java.io.IOException;
import java.time.Duration;

/** Keeps what a watch does not tell like the source: leases and the compacted revision. */
final class Upkeep {
    private static final long FIRST_REVISION = 2;
    private static final Duration COMPACTED_WAIT = Duration.ofMillis(200);

    private final Histories histories;
    private final SourceCluster source;
    private final Channel channel;
    private final BackendTarget target;

    Upkeep(Histories histories, SourceCluster source, Channel channel, BackendTarget target) {
        this.histories = histories;
        this.source = source;
        this.channel = channel;
        this.target = target;
    }

    /** Makes leases and the compacted revision equal to the source's. */
    void run() throws IOException {
        leases();
        histories.compact(compactedRevision(), false);
    }

    /** Makes the leases equal to the source's. */
    void leases() throws IOException {
        target.syncLeases();
    }

    /** The oldest readable revision of the source; 0: never compacted, or no answer in time. */
    private long compactedRevision() throws IOException {
        try (RevisionTail tail = new RevisionTail(source.name(), channel, FIRST_REVISION)) {
            var unused = tail.next(COMPACTED_WAIT);
            return 0;
        } catch (CompactedException compacted) {
            return compacted.compactRevision();
        }
    }
}
