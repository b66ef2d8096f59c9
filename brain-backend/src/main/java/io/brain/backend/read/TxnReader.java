package io.brain.backend.read;

import io.brain.backend.fair.Tenant;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Reservation;
import io.brain.backend.txn.Proposal.Answer;
import io.brain.backend.txn.TxnAnswer;
import java.util.concurrent.CompletionStage;

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

    /**
     * The answer to a tenant's transaction, after its deferred reads.
     *
     * @param epoch the one that commits the transaction
     */
    public Answer<Reply<OpResult.Txn>> finish(Tenant tenant, long epoch, TxnAnswer answer) {
        if (answer.isComplete()) {
            return Answer.of(new Reply<>(answer.result(), Reservation.NONE));
        }
        return Answer.afterwards(() -> read(tenant, epoch, answer));
    }

    /** On the publisher's thread: the read point is that of the transaction. */
    private CompletionStage<Reply<OpResult.Txn>> read(Tenant tenant, long epoch, TxnAnswer answer) {
        return reads.start(
                        tenant,
                        (published, meter) ->
                                answer.read(
                                        (query, revision, overlay, header) ->
                                                reader.readPinned(
                                                        query, published, epoch, revision, overlay,
                                                        header, meter)))
                .whenComplete((reply, failure) -> answer.release());
    }
}
