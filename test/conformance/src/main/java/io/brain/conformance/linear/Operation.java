package io.brain.conformance.linear;

import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.ResponseOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.TxnResponse;
import java.util.Locale;

/**
 * One request and what became of it. A plain put, delete or range is a transaction of one step that
 * always succeeds.
 *
 * @param kind what reports call it, for example "put"
 * @param at who asked whom
 * @param start nanoseconds, taken before the request was sent
 * @param end nanoseconds, taken after the answer came; {@link Long#MAX_VALUE} without an answer
 * @param request what was asked
 * @param answer headers of its parts left out; null unless the outcome is {@link Outcome#OK}
 * @param revision of the answer's header; 0 without an answer
 * @param outcome how it ended
 */
public record Operation(
        String kind,
        Place at,
        long start,
        long end,
        TxnRequest request,
        TxnResponse answer,
        long revision,
        Outcome outcome) {

    /** How a request ended. */
    public enum Outcome {
        /** It was answered. */
        OK,
        /** It surely had no effect. */
        FAILED,
        /** It may have had its effect once, now or later, or never. */
        UNKNOWN
    }

    /**
     * Who asked whom.
     *
     * @param client a name
     * @param node a name
     * @param life counts the starts of the node's process
     */
    public record Place(String client, String node, int life) {}

    /** A request that was answered. */
    public static Operation answered(
            String kind, Place at, long start, TxnRequest request, TxnResponse answer) {
        return new Operation(
                kind,
                at,
                start,
                System.nanoTime(),
                request,
                withoutHeaders(answer),
                answer.getHeader().getRevision(),
                Outcome.OK);
    }

    /** A request without an answer. */
    public static Operation unanswered(
            String kind, Place at, long start, TxnRequest request, Outcome outcome) {
        return new Operation(kind, at, start, Long.MAX_VALUE, request, null, 0, outcome);
    }

    /** The same request at other times: for histories written by hand. */
    Operation during(long from, long to) {
        return new Operation(kind, at, from, to, request, answer, revision, outcome);
    }

    /** A transaction of one step. */
    public static TxnRequest plain(RequestOp.Builder step) {
        return TxnRequest.newBuilder().addSuccess(step).build();
    }

    public boolean isAnswered() {
        return outcome == Outcome.OK;
    }

    /** True if the request may change something. */
    public boolean mayWrite() {
        return writes(request);
    }

    /** True if the answer says that something was changed. */
    public boolean hasWritten() {
        return isAnswered() && hasWritten(answer);
    }

    /** True if every part of it may be answered by a node that lags behind. */
    public boolean isSerializable() {
        return request.getSuccessCount() + request.getFailureCount() > 0
                && request.getSuccessList().stream().allMatch(Operation::isSerializable)
                && request.getFailureList().stream().allMatch(Operation::isSerializable);
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s by %s on %s/%d at [%d, %s] %s rev %d: %s -> %s",
                kind,
                at.client(),
                at.node(),
                at.life(),
                start,
                end == Long.MAX_VALUE ? "-" : Long.toString(end),
                outcome,
                revision,
                Text.of(request),
                answer == null ? "-" : Text.of(answer));
    }

    private static boolean isSerializable(RequestOp step) {
        return step.hasRequestRange() && step.getRequestRange().getSerializable();
    }

    private static boolean writes(TxnRequest request) {
        return request.getSuccessList().stream().anyMatch(Operation::writes)
                || request.getFailureList().stream().anyMatch(Operation::writes);
    }

    private static boolean writes(RequestOp step) {
        return step.hasRequestTxn() ? writes(step.getRequestTxn()) : !step.hasRequestRange();
    }

    private static boolean hasWritten(TxnResponse answer) {
        return answer.getResponsesList().stream()
                .anyMatch(
                        part ->
                                part.hasResponsePut()
                                        || part.getResponseDeleteRange().getDeleted() > 0
                                        || hasWritten(part.getResponseTxn()));
    }

    private static TxnResponse withoutHeaders(TxnResponse answer) {
        TxnResponse.Builder bare = answer.toBuilder().clearHeader();
        for (ResponseOp.Builder part : bare.getResponsesBuilderList()) {
            switch (part.getResponseCase()) {
                case RESPONSE_RANGE -> part.getResponseRangeBuilder().clearHeader();
                case RESPONSE_PUT -> part.getResponsePutBuilder().clearHeader();
                case RESPONSE_DELETE_RANGE -> part.getResponseDeleteRangeBuilder().clearHeader();
                case RESPONSE_TXN -> part.setResponseTxn(withoutHeaders(part.getResponseTxn()));
                case RESPONSE_NOT_SET -> {}
            }
        }
        return bare.build();
    }
}
