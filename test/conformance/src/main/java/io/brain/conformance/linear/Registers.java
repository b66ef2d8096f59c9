package io.brain.conformance.linear;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.Compare;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.ResponseOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.mvcc.KeyValue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Single keys, each checked by the search as a register of its own: put, get, delete, and change of
 * one value into another. Nothing here looks at a revision.
 */
public final class Registers {

    /** Longer values are never written, so this is none. */
    private static final ByteString NOTHING = ByteString.EMPTY;

    private Registers() {}

    /** What a call does to one key. */
    enum Action {
        PUT,
        GET,
        DELETE,
        SWAP
    }

    /**
     * @param expected for SWAP: what must be there; empty for nothing
     * @param value for PUT and SWAP: what shall be there
     * @param answered whether the two that follow are known
     * @param done for SWAP: whether it was there; for DELETE: whether something was
     * @param found for GET, SWAP that was not done, and PUT: what was there; empty for nothing
     */
    record Call(
            Action action,
            ByteString expected,
            ByteString value,
            boolean answered,
            boolean done,
            ByteString found) {}

    /** The state is what is there; empty for nothing. */
    static final class Register implements Search.Model<ByteString, Call> {
        @Override
        public ByteString initial() {
            return NOTHING;
        }

        @Override
        public Optional<ByteString> step(ByteString state, Call call) {
            boolean there =
                    call.action() == Action.SWAP
                            ? state.equals(call.expected())
                            : !state.equals(NOTHING);
            boolean possible =
                    !call.answered()
                            || switch (call.action()) {
                                case PUT, GET -> call.found().equals(state);
                                case DELETE -> call.done() == there;
                                case SWAP ->
                                        call.done() == there
                                                && (there || call.found().equals(state));
                            };
            if (!possible) {
                return Optional.empty();
            }
            return Optional.of(
                    switch (call.action()) {
                        case PUT -> call.value();
                        case GET -> state;
                        case DELETE -> NOTHING;
                        case SWAP -> there ? call.value() : state;
                    });
        }
    }

    /**
     * What the searches found.
     *
     * @param keys how many registers were checked
     * @param undecided those for which the time was too short
     */
    public record Report(int keys, int undecided, List<Violation> violations) {}

    /** Checks every key that begins with the prefix, each for at most this long. */
    public static Report check(List<Operation> operations, String prefix, Duration max) {
        Map<ByteString, List<Search.Timed<Call>>> calls = new LinkedHashMap<>();
        Map<ByteString, List<Operation>> sources = new LinkedHashMap<>();
        for (Operation operation : operations) {
            ByteString key = key(operation.request());
            boolean takesPart =
                    operation.outcome() != Operation.Outcome.FAILED
                            && (operation.isAnswered() || operation.mayWrite());
            if (key.startsWith(Keys.of(prefix)) && takesPart && !operation.isSerializable()) {
                calls.computeIfAbsent(key, k -> new ArrayList<>()).add(timed(operation));
                sources.computeIfAbsent(key, k -> new ArrayList<>()).add(operation);
            }
        }
        int undecided = 0;
        List<Violation> violations = new ArrayList<>();
        for (Map.Entry<ByteString, List<Search.Timed<Call>>> key : calls.entrySet()) {
            switch (Search.check(new Register(), key.getValue(), max)) {
                case LINEARIZABLE -> {}
                case UNDECIDED -> undecided++;
                case NOT_LINEARIZABLE ->
                        violations.add(
                                new Violation(
                                        Violation.Kind.SEARCH,
                                        key.getKey().toStringUtf8()
                                                + ": "
                                                + sources.get(key.getKey())));
            }
        }
        return new Report(calls.size(), undecided, violations);
    }

    private static ByteString key(TxnRequest request) {
        RequestOp step = request.getSuccess(0);
        return switch (step.getRequestCase()) {
            case REQUEST_PUT -> step.getRequestPut().getKey();
            case REQUEST_RANGE -> step.getRequestRange().getKey();
            case REQUEST_DELETE_RANGE -> step.getRequestDeleteRange().getKey();
            case REQUEST_TXN, REQUEST_NOT_SET -> ByteString.EMPTY;
        };
    }

    private static Search.Timed<Call> timed(Operation operation) {
        return new Search.Timed<>(call(operation), operation.start(), operation.end());
    }

    private static Call call(Operation operation) {
        TxnRequest request = operation.request();
        RequestOp step = request.getSuccess(0);
        boolean answered = operation.isAnswered();
        ResponseOp part = answered ? operation.answer().getResponses(0) : null;
        boolean succeeded = answered && operation.answer().getSucceeded();
        return switch (step.getRequestCase()) {
            case REQUEST_PUT -> {
                ByteString value = step.getRequestPut().getValue();
                if (request.getCompareCount() == 0) {
                    ByteString old =
                            answered ? part.getResponsePut().getPrevKv().getValue() : NOTHING;
                    yield new Call(Action.PUT, NOTHING, value, answered, true, old);
                }
                ByteString found = answered && !succeeded ? first(part) : NOTHING;
                yield new Call(Action.SWAP, expected(request), value, answered, succeeded, found);
            }
            case REQUEST_RANGE ->
                    new Call(
                            Action.GET,
                            NOTHING,
                            NOTHING,
                            answered,
                            true,
                            answered ? first(part) : NOTHING);
            case REQUEST_DELETE_RANGE -> {
                boolean some = answered && part.getResponseDeleteRange().getDeleted() > 0;
                yield new Call(Action.DELETE, NOTHING, NOTHING, answered, some, NOTHING);
            }
            case REQUEST_TXN, REQUEST_NOT_SET -> throw new IllegalArgumentException("no such call");
        };
    }

    /** Compared by its value, or found missing by its version 0. */
    private static ByteString expected(TxnRequest request) {
        Compare compare = request.getCompare(0);
        return compare.getTarget() == Compare.CompareTarget.VALUE ? compare.getValue() : NOTHING;
    }

    private static ByteString first(ResponseOp part) {
        List<KeyValue> found = part.getResponseRange().getKvsList();
        return found.isEmpty() ? NOTHING : found.get(0).getValue();
    }
}
