package io.brain.server.standby;

import io.brain.backend.Backend;
import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.hash.KvHash;
import io.brain.transfer.mirror.CompactedException;
import io.brain.transfer.mirror.RevisionTail;
import io.brain.transfer.mirror.SourceCluster;
import io.brain.transfer.verify.Side;
import io.grpc.Channel;
import java.io.IOException;
import java.time.Duration;

/** Keeps what a watch does not tell like the source: leases and the compacted revision. */
final class Upkeep {
    private static final long FIRST_REVISION = 2;
    private static final Duration COMPACTED_WAIT = Duration.ofSeconds(2);

    private final Backend backend;
    private final SourceCluster source;
    private final Channel channel;
    private final BackendTarget target;

    Upkeep(Backend backend, SourceCluster source, Channel channel, BackendTarget target) {
        this.backend = backend;
        this.source = source;
        this.channel = channel;
        this.target = target;
    }

    /** Makes leases and the compacted revision equal to the source's. */
    void run() throws IOException {
        leases();
        compact(compactedRevision(), false);
    }

    /** Makes the leases equal to the source's. */
    void leases() throws IOException {
        target.syncLeases();
    }

    /** The oldest readable revision of the source; 0: never compacted. */
    private long compactedRevision() throws IOException {
        try (RevisionTail tail = new RevisionTail(source.name(), channel, FIRST_REVISION)) {
            var unused = tail.next(COMPACTED_WAIT);
            return 0;
        } catch (CompactedException compacted) {
            return compacted.compactRevision();
        }
    }

    private void compact(long revision, boolean physical) throws IOException {
        if (revision > backend.status().compactRevision() && revision <= target.revision()) {
            var unused = BackendTarget.result(backend.submit(new Compact(revision, physical)));
        }
    }

    /**
     * Compares the whole histories up to a revision, which both have.
     *
     * @throws IOException if they are not equal
     */
    Side.History requireEqual(long revision) throws IOException {
        Side.History theirs = source.hash(revision);
        compact(theirs.compacted(), true);
        KvHash ours = BackendTarget.result(backend.hashHistory(revision));
        boolean sameFloor = Math.max(0, theirs.compacted()) == Math.max(0, ours.compactRevision());
        if (theirs.hash() != ours.hash() || !sameFloor) {
            throw new IOException(
                    "the hashes of revision %d differ: %s there, %s here"
                            .formatted(
                                    revision,
                                    text(theirs.hash(), theirs.compacted()),
                                    text(ours.hash(), ours.compactRevision())));
        }
        return theirs;
    }

    private static String text(int hash, long compacted) {
        return "%d with compact revision %d".formatted(Integer.toUnsignedLong(hash), compacted);
    }
}
