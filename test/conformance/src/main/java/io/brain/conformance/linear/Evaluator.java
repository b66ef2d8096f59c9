package io.brain.conformance.linear;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.Compare;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.DeleteRangeResponse;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.PutResponse;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RangeResponse;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.ResponseOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.TxnResponse;
import io.brain.proto.mvcc.Event;
import io.brain.proto.mvcc.KeyValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;

/**
 * What etcd answers to one transaction on the store at one revision, and the events that it makes.
 * Of etcd's options it knows those that the load uses; another is an error. For one transaction.
 */
final class Evaluator {

    /**
     * @param answer without headers
     * @param events with the values that they replaced
     */
    record Result(TxnResponse answer, List<Event> events) {}

    private final Versions versions;
    private final long before;
    private final Map<ByteString, KeyValue> changed = new HashMap<>();
    private final List<Event> events = new ArrayList<>();

    private Evaluator(Versions versions, long before) {
        this.versions = versions;
        this.before = before;
    }

    /** The answer on the store at this revision; what is written is written at the next. */
    static Result evaluate(Versions versions, long before, TxnRequest request) {
        Evaluator evaluator = new Evaluator(versions, before);
        TxnResponse answer = evaluator.txn(request);
        return new Result(answer, evaluator.events);
    }

    private TxnResponse txn(TxnRequest request) {
        boolean succeeded = request.getCompareList().stream().allMatch(this::holds);
        TxnResponse.Builder answer = TxnResponse.newBuilder().setSucceeded(succeeded);
        for (RequestOp step : succeeded ? request.getSuccessList() : request.getFailureList()) {
            answer.addResponses(step(step));
        }
        return answer.build();
    }

    private ResponseOp.Builder step(RequestOp step) {
        ResponseOp.Builder answer = ResponseOp.newBuilder();
        return switch (step.getRequestCase()) {
            case REQUEST_RANGE -> answer.setResponseRange(range(step.getRequestRange()));
            case REQUEST_PUT -> answer.setResponsePut(put(step.getRequestPut()));
            case REQUEST_DELETE_RANGE ->
                    answer.setResponseDeleteRange(delete(step.getRequestDeleteRange()));
            case REQUEST_TXN, REQUEST_NOT_SET ->
                    throw new IllegalArgumentException("the model does not know this step");
        };
    }

    private RangeResponse range(RangeRequest request) {
        require(request.getSortOrder() == RangeRequest.SortOrder.NONE);
        NavigableMap<ByteString, KeyValue> found =
                request.getRevision() > 0
                        ? versions.at(
                                request.getRevision(), request.getKey(), request.getRangeEnd())
                        : read(request.getKey(), request.getRangeEnd());
        RangeResponse.Builder answer = RangeResponse.newBuilder().setCount(found.size());
        if (request.getCountOnly()) {
            return answer.build();
        }
        for (KeyValue value : found.values()) {
            if (request.getLimit() > 0 && answer.getKvsCount() == request.getLimit()) {
                answer.setMore(true);
                break;
            }
            answer.addKvs(request.getKeysOnly() ? value.toBuilder().clearValue().build() : value);
        }
        return answer.build();
    }

    private PutResponse put(PutRequest request) {
        require(request.getLease() == 0 && !request.getIgnoreValue() && !request.getIgnoreLease());
        KeyValue old = read(request.getKey(), ByteString.EMPTY).get(request.getKey());
        KeyValue fresh =
                KeyValue.newBuilder()
                        .setKey(request.getKey())
                        .setValue(request.getValue())
                        .setModRevision(before + 1)
                        .setCreateRevision(old == null ? before + 1 : old.getCreateRevision())
                        .setVersion(old == null ? 1 : old.getVersion() + 1)
                        .build();
        changed.put(request.getKey(), fresh);
        events.add(event(Event.EventType.PUT, fresh, old));
        PutResponse.Builder answer = PutResponse.newBuilder();
        if (request.getPrevKv() && old != null) {
            answer.setPrevKv(old);
        }
        return answer.build();
    }

    private DeleteRangeResponse delete(DeleteRangeRequest request) {
        DeleteRangeResponse.Builder answer = DeleteRangeResponse.newBuilder();
        for (KeyValue old : read(request.getKey(), request.getRangeEnd()).values()) {
            KeyValue tombstone =
                    KeyValue.newBuilder().setKey(old.getKey()).setModRevision(before + 1).build();
            changed.put(old.getKey(), KeyValue.getDefaultInstance());
            events.add(event(Event.EventType.DELETE, tombstone, old));
            answer.setDeleted(answer.getDeleted() + 1);
            if (request.getPrevKv()) {
                answer.addPrevKvs(old);
            }
        }
        return answer.build();
    }

    private static Event event(Event.EventType type, KeyValue value, KeyValue old) {
        Event.Builder event = Event.newBuilder().setType(type).setKv(value);
        if (old != null) {
            event.setPrevKv(old);
        }
        return event.build();
    }

    /** What lived before, with this transaction's own changes so far. */
    private NavigableMap<ByteString, KeyValue> read(ByteString key, ByteString end) {
        NavigableMap<ByteString, KeyValue> found = versions.at(before, key, end);
        changed.forEach(
                (name, value) -> {
                    if (Keys.within(name, key, end)) {
                        if (value.getVersion() > 0) {
                            found.put(name, value);
                        } else {
                            found.remove(name);
                        }
                    }
                });
        return found;
    }

    private boolean holds(Compare compare) {
        NavigableMap<ByteString, KeyValue> found = read(compare.getKey(), compare.getRangeEnd());
        if (found.isEmpty()) {
            return compare.getTarget() != Compare.CompareTarget.VALUE
                    && holds(compare, KeyValue.getDefaultInstance());
        }
        return found.values().stream().allMatch(value -> holds(compare, value));
    }

    private static boolean holds(Compare compare, KeyValue value) {
        int order =
                switch (compare.getTarget()) {
                    case VERSION -> Long.compare(value.getVersion(), compare.getVersion());
                    case CREATE ->
                            Long.compare(value.getCreateRevision(), compare.getCreateRevision());
                    case MOD -> Long.compare(value.getModRevision(), compare.getModRevision());
                    case LEASE -> Long.compare(value.getLease(), compare.getLease());
                    case VALUE ->
                            ByteString.unsignedLexicographicalComparator()
                                    .compare(value.getValue(), compare.getValue());
                    case UNRECOGNIZED -> throw new IllegalArgumentException("an unknown target");
                };
        return switch (compare.getResult()) {
            case EQUAL -> order == 0;
            case NOT_EQUAL -> order != 0;
            case GREATER -> order > 0;
            case LESS -> order < 0;
            case UNRECOGNIZED -> throw new IllegalArgumentException("an unknown comparison");
        };
    }

    private static void require(boolean known) {
        if (!known) {
            throw new IllegalArgumentException("the model does not know this option");
        }
    }
}
