package io.brain.server.standby;

import io.brain.backend.Backend;
import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.hash.KvHash;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.transfer.mirror.SourceCluster;
import io.brain.transfer.verify.Side;
import java.io.IOException;

/** Compares the histories of the source and of this server. Blocks. Thread-safe. */
final class Histories {
    private final Backend backend;
    private final SourceCluster source;

    Histories(Backend backend, SourceCluster source) {
        this.backend = backend;
        this.source = source;
    }

    /** Compacts this server at a revision, unless it is or has no such revision yet. */
    void compact(long revision, boolean physical) throws IOException {
        var status = backend.status();
        if (revision <= status.compactRevision() || revision > status.revision()) {
            return;
        }
        try {
            var unused = BackendTarget.result(backend.submit(new Compact(revision, physical)));
        } catch (IOException failed) {
            if (!Failures.isOf(ErrorKind.COMPACTED, failed.getCause())) {
                throw failed;
            }
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
