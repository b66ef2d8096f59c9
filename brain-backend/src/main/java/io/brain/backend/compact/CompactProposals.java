package io.brain.backend.compact;

import io.brain.backend.compact.CompactionStep.Tombstone;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.store.CompactRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.txn.HeadRecord;
import io.brain.backend.txn.Proposal;
import io.brain.backend.txn.Proposal.Answer;
import java.util.List;
import java.util.function.LongConsumer;

/** The writes of compaction that the sequencer must order. */
final class CompactProposals {
    private CompactProposals() {}

    /**
     * Raises the floor; returns the newest revision. Fails with COMPACTED or FUTURE_REVISION.
     *
     * @param raised receives the durable floor on the publishing thread
     */
    static Proposal<Long> raiseFloor(long revision, KeyCoder coder, LongConsumer raised) {
        return context -> {
            CompactRecord record = CompactRecord.decode(context.record(coder.compactKey()));
            if (revision <= record.floor()) {
                throw new BackendException(ErrorKind.COMPACTED);
            }
            if (revision > context.revision()) {
                throw new BackendException(ErrorKind.FUTURE_REVISION);
            }
            CompactRecord higher = new CompactRecord(revision, record.finished());
            context.putRecord(coder.compactKey(), higher.encode());
            context.onPublished(() -> raised.accept(revision));
            return Answer.of(context.revision());
        };
    }

    /** Removes tombstones, except those of keys that were created again. */
    static Proposal<Void> forget(List<Tombstone> tombstones) {
        return context -> {
            for (Tombstone tombstone : tombstones) {
                HeadRecord newest = context.get(tombstone.key());
                if (newest.isTombstone() && newest.revision() == tombstone.revision()) {
                    context.dropTombstone(tombstone.key());
                }
            }
            return Answer.of(null);
        };
    }

    /**
     * Records that the removal of a compaction is complete, with the freed bytes: a crash counts
     * them never or once.
     */
    static Proposal<Void> finish(long through, long bytes, KeyCoder coder) {
        return context -> {
            CompactRecord record = CompactRecord.decode(context.record(coder.compactKey()));
            CompactRecord finished = new CompactRecord(record.floor(), through);
            context.putRecord(coder.compactKey(), finished.encode());
            context.addBytes(-bytes);
            return Answer.of(null);
        };
    }
}
