package io.brain.backend.cluster.election;

import io.brain.backend.model.OpResult;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Reservation;
import io.brain.backend.read.PinnedReads;
import io.brain.backend.read.RangeReader;
import io.brain.backend.txn.Proposal.Answer;
import io.brain.backend.txn.TxnAnswer;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Reads the deferred ranges of a transaction once it is published. The reads use the response
 * budget like others, but wait for it without a limit, because the transaction is committed.
 */
public final class TxnReader {
    private final RangeReader reader;
    private final PinnedReads reads;

    public TxnReader(RangeReader reader, PinnedReads reads) {
        this.reader = reader;
        this.reads = reads;
    }

    /** Makes the answers to the transactions of an epoch, after their deferred reads. */
    Function<TxnAnswer, Answer<Reply<OpResult.Txn>>> inEpoch(long epoch) {
        return answer -> finish(answer, epoch);
    }

    private Answer<Reply<OpResult.Txn>> finish(TxnAnswer answer, long epoch) {
        if (answer.isComplete()) {
            return Answer.of(new Reply<>(answer.result(), Reservation.NONE));
        }
        return Answer.afterwards(() -> read(answer, epoch));
    }

    /** On the publisher's thread: the read point is that of the transaction. */
    private CompletionStage<Reply<OpResult.Txn>> read(TxnAnswer answer, long epoch) {
        return reads.start(
                        (published, meter) ->
                                answer.read(
                                        (query, revision, overlay, header) ->
                                                reader.readPinned(
                                                        query, published, epoch, revision, overlay,
                                                        header, meter)))
                .whenComplete((reply, failure) -> answer.release());
    }
}
