package io.brain.conformance.linear;

import io.brain.conformance.linear.Operation.Outcome;
import io.brain.conformance.linear.Operation.Place;
import io.brain.proto.etcd.Compare;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.ResponseHeader;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.mvcc.Event;
import java.util.ArrayList;
import java.util.List;

/** A history written by hand, against a store without faults. */
final class HistoryBuilder {

    private static final Place SOMEWHERE = new Place("c", "n1", 1);

    final List<Operation> operations = new ArrayList<>();
    final List<RevisionObservation> observations = new ArrayList<>();
    final List<WatcherRecord> watchers = new ArrayList<>();
    EventLog log = new EventLog();
    long compacted;

    /** The request took effect and was answered between these moments. */
    Operation done(long start, long end, TxnRequest request) {
        Operation operation = answer(start, end, request, log.last());
        List<Event> events = Evaluator.evaluate(new Versions(log), log.last(), request).events();
        if (!events.isEmpty()) {
            log.add(log.last() + 1, events);
        }
        operations.add(operation);
        return operation;
    }

    /** The request took effect after this moment, and nobody was told. */
    Operation unknown(long start, TxnRequest request) {
        Operation operation = done(start, Long.MAX_VALUE, request);
        operations.remove(operation);
        return lost(start, request, Outcome.UNKNOWN);
    }

    /** The request took no effect, and was not answered. */
    Operation lost(long start, TxnRequest request, Outcome outcome) {
        Operation operation =
                Operation.unanswered("lost", SOMEWHERE, 0, request, outcome)
                        .during(start, Long.MAX_VALUE);
        operations.add(operation);
        return operation;
    }

    /**
     * An answer from the store as it was at this revision, which the history does not go on with.
     */
    Operation answer(long start, long end, TxnRequest request, long revision) {
        Evaluator.Result result = Evaluator.evaluate(new Versions(log), revision, request);
        long named = result.events().isEmpty() ? revision : revision + 1;
        ResponseHeader header = ResponseHeader.newBuilder().setRevision(named).build();
        return Operation.answered(
                        "op",
                        SOMEWHERE,
                        0,
                        request,
                        result.answer().toBuilder().setHeader(header).build())
                .during(start, end);
    }

    /** The log with other events in place of some. */
    void rewriteLog(long revision, List<Event> events) {
        EventLog other = new EventLog();
        log.all()
                .forEach(
                        (at, there) -> {
                            List<Event> now = at == revision ? events : there;
                            if (!now.isEmpty()) {
                                other.add(at, now);
                            }
                        });
        log = other;
    }

    List<Violation.Kind> violations() {
        return HistoryChecker.check(new History(operations, log, compacted, observations, watchers))
                .violations()
                .stream()
                .map(Violation::kind)
                .toList();
    }

    static TxnRequest put(String key, String value) {
        return Operation.plain(RequestOp.newBuilder().setRequestPut(putOf(key, value)));
    }

    static TxnRequest delete(String key) {
        DeleteRangeRequest request =
                DeleteRangeRequest.newBuilder().setKey(Keys.of(key)).setPrevKv(true).build();
        return Operation.plain(RequestOp.newBuilder().setRequestDeleteRange(request));
    }

    static TxnRequest get(String key) {
        return Operation.plain(
                RequestOp.newBuilder()
                        .setRequestRange(RangeRequest.newBuilder().setKey(Keys.of(key))));
    }

    static TxnRequest serializableGet(String key) {
        return Operation.plain(
                RequestOp.newBuilder()
                        .setRequestRange(
                                RangeRequest.newBuilder()
                                        .setKey(Keys.of(key))
                                        .setSerializable(true)));
    }

    static TxnRequest list() {
        return Operation.plain(
                RequestOp.newBuilder()
                        .setRequestRange(
                                RangeRequest.newBuilder()
                                        .setKey(Keys.ZERO)
                                        .setRangeEnd(Keys.ZERO)));
    }

    /** Puts a value where there is another; else reads what is there. */
    static TxnRequest swap(String key, String expected, String value) {
        Compare compare =
                Compare.newBuilder()
                        .setTarget(Compare.CompareTarget.VALUE)
                        .setKey(Keys.of(key))
                        .setValue(Keys.of(expected))
                        .build();
        return TxnRequest.newBuilder()
                .addCompare(compare)
                .addSuccess(RequestOp.newBuilder().setRequestPut(putOf(key, value)))
                .addFailure(get(key).getSuccess(0))
                .build();
    }

    private static PutRequest putOf(String key, String value) {
        return PutRequest.newBuilder()
                .setKey(Keys.of(key))
                .setValue(Keys.of(value))
                .setPrevKv(true)
                .build();
    }
}
