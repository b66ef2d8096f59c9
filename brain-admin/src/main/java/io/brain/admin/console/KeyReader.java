package io.brain.admin.console;

import io.brain.backend.model.KeySpan;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.RevisionFilter;
import io.brain.backend.model.RangeQuery.SortOrder;
import io.brain.backend.model.RangeQuery.SortTarget;
import io.brain.backend.model.Reply;
import io.brain.storage.Bytes;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Serializable reads of keys; each releases the response budget at once. */
final class KeyReader {
    /** The smallest possible key: keys are not empty. */
    static final Bytes FIRST = Bytes.EMPTY.successor();

    private final Function<RangeQuery, CompletableFuture<Reply<OpResult.Range>>> node;

    KeyReader(Function<RangeQuery, CompletableFuture<Reply<OpResult.Range>>> node) {
        this.node = node;
    }

    /** Reads keys with their values; revision 0 is the newest. */
    CompletableFuture<OpResult.Range> values(KeySpan span, long revision, long limit) {
        return read(span, revision, limit, false, false);
    }

    /** Reads keys without their values; revision 0 is the newest. */
    CompletableFuture<OpResult.Range> keys(KeySpan span, long revision, long limit) {
        return read(span, revision, limit, true, false);
    }

    /** Counts keys. */
    CompletableFuture<Long> count(KeySpan span) {
        return read(span, 0, 0, true, true).thenApply(OpResult.Range::count);
    }

    private CompletableFuture<OpResult.Range> read(
            KeySpan span, long revision, long limit, boolean keysOnly, boolean countOnly) {
        RangeQuery query =
                new RangeQuery(
                        span,
                        limit,
                        revision,
                        SortOrder.NONE,
                        SortTarget.KEY,
                        keysOnly,
                        countOnly,
                        true,
                        RevisionFilter.NONE);
        return node.apply(query)
                .thenApply(
                        reply -> {
                            reply.held().close();
                            return reply.answer();
                        });
    }
}
