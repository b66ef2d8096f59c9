package io.brain.backend.compact;

import io.brain.backend.compact.CompactionStep.Tombstone;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.store.CompactRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.txn.Answer;
import io.brain.backend.txn.HeadRecord;
import io.brain.backend.txn.Proposal;
import io.brain.backend.txn.TxnContext;
import java.util.List;
import java.util.function.LongConsumer;

/** What compaction has to say in the order of writes. */
final class CompactProposals {
    private CompactProposals() {}

    /**
     * Raises the floor: COMPACTED or FUTURE_REVISION if it cannot be raised to {@code revision}.
     * Answers the newest revision.
     *
     * @param raised told of the floor once it is durable, on the publishing thread
     */
    static Proposal<Long> raiseFloor(long revision, KeyCoder coder, LongConsumer raised) {
        return turn -> {
            CompactRecord record = CompactRecord.decode(turn.record(coder.compactKey()));
            if (revision <= record.floor()) {
                throw new BackendException(ErrorKind.COMPACTED);
            }
            if (revision > turn.revision()) {
                throw new BackendException(ErrorKind.FUTURE_REVISION);
            }
            put(new CompactRecord(revision, record.finished()), coder, turn);
            turn.onPublished(() -> raised.accept(revision));
            return Answer.of(turn.revision());
        };
    }

    /**
     * Forgets keys that ended with one of {@code tombstones}; those that were created again since
     * are left alone.
     */
    static Proposal<Void> forget(List<Tombstone> tombstones) {
        return turn -> {
            for (Tombstone tombstone : tombstones) {
                HeadRecord newest = turn.get(tombstone.key());
                if (newest.isTombstone() && newest.revision() == tombstone.revision()) {
                    turn.dropTombstone(tombstone.key());
                }
            }
            return Answer.of(null);
        };
    }

    /**
     * Records that everything up to a compaction at {@code through} is removed, together with the
     * bytes that this freed: a crash counts them never or once.
     */
    static Proposal<Void> finish(long through, long bytes, KeyCoder coder) {
        return turn -> {
            CompactRecord record = CompactRecord.decode(turn.record(coder.compactKey()));
            put(new CompactRecord(record.floor(), through), coder, turn);
            turn.addBytes(-bytes);
            return Answer.of(null);
        };
    }

    private static void put(CompactRecord record, KeyCoder coder, TxnContext turn) {
        turn.putRecord(coder.compactKey(), record.encode());
    }
}
