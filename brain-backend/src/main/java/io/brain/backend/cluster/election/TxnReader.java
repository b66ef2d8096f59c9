package io.brain.backend.cluster.election;

import io.brain.backend.model.OpResult;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Reservation;
import io.brain.backend.read.PinnedReads;
import io.brain.backend.read.RangeReader;
import io.brain.backend.txn.Answer;
import io.brain.backend.txn.TxnAnswer;
import java.util.concurrent.CompletionStage;

/**
 * Makes what a transaction reads, once it is published, within the budget of response bytes like
 * every other read. Such a read waits for room, however long: its transaction is committed.
 */
public final class TxnReader {
    private final RangeReader reader;
    private final PinnedReads reads;

    /** Reads with {@code reader}, when and where {@code reads} says. */
    public TxnReader(RangeReader reader, PinnedReads reads) {
        this.reader = reader;
        this.reads = reads;
    }

    /** The answer of a transaction's turn. */
    Answer<Reply<OpResult.Txn>> finish(TxnAnswer answer) {
        if (answer.isComplete()) {
            return Answer.of(new Reply<>(answer.result(), Reservation.NONE));
        }
        return Answer.afterwards(() -> read(answer));
    }

    /** On the publisher's thread: the read point is the one at which the transaction shows. */
    private CompletionStage<Reply<OpResult.Txn>> read(TxnAnswer answer) {
        return reads.start(
                        (published, meter) ->
                                answer.read(
                                        (query, revision, overlay, header) ->
                                                reader.readPinned(
                                                        query, published, revision, overlay, header,
                                                        meter)))
                .whenComplete((reply, failure) -> answer.release());
    }
}
