package io.brain.conformance.linear;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.RangeResponse;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.mvcc.KeyValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * What acknowledged puts alone say of reads at their revision or a later one: such a read finds the
 * put, or a newer state of the key. Needs no log, and sees less than one shows. Not thread-safe.
 */
final class AcknowledgedPuts {

    private record Put(ByteString value, Operation by) {}

    private final Map<ByteString, NavigableMap<Long, Put>> puts = new HashMap<>();

    /** Those of all answered requests, but for puts in nested transactions. */
    AcknowledgedPuts(List<Operation> operations) {
        operations.stream().filter(Operation::hasWritten).forEach(this::add);
    }

    private void add(Operation operation) {
        for (RequestOp step : steps(operation)) {
            if (step.hasRequestPut()) {
                puts.computeIfAbsent(step.getRequestPut().getKey(), key -> new TreeMap<>())
                        .put(
                                operation.revision(),
                                new Put(step.getRequestPut().getValue(), operation));
            }
        }
    }

    /** Puts that a read does not know of though it must; each is named once. */
    List<Violation> check(List<Operation> operations) {
        Map<Operation, Operation> lost = new HashMap<>();
        Set<Operation> order = new LinkedHashSet<>();
        for (Operation read : operations) {
            if (!read.isAnswered() || read.hasWritten()) {
                continue;
            }
            for (Operation put : missedBy(read)) {
                lost.putIfAbsent(put, read);
                order.add(put);
            }
        }
        return order.stream()
                .map(put -> new Violation(Violation.Kind.LOST, put + " BUT " + lost.get(put)))
                .toList();
    }

    private List<Operation> missedBy(Operation read) {
        List<Operation> missed = new ArrayList<>();
        List<RequestOp> steps = steps(read);
        for (int i = 0; i < steps.size(); i++) {
            long asked = steps.get(i).getRequestRange().getRevision();
            long revision = asked > 0 ? asked : read.revision();
            boolean keysOnly = steps.get(i).getRequestRange().getKeysOnly();
            RangeResponse found = read.answer().getResponses(i).getResponseRange();
            for (KeyValue there : found.getKvsList()) {
                Map.Entry<Long, Put> newest = newest(there.getKey(), revision);
                if (newest != null && !knows(there, keysOnly, newest)) {
                    missed.add(newest.getValue().by());
                }
            }
        }
        return missed;
    }

    /** The newest acknowledged put of a key up to this revision; null if there is none. */
    private Map.Entry<Long, Put> newest(ByteString key, long revision) {
        NavigableMap<Long, Put> history = puts.get(key);
        return history == null ? null : history.floorEntry(revision);
    }

    private static boolean knows(KeyValue there, boolean keysOnly, Map.Entry<Long, Put> put) {
        return there.getModRevision() > put.getKey()
                || (there.getModRevision() == put.getKey()
                        && (keysOnly || there.getValue().equals(put.getValue().value())));
    }

    /** The branch that was taken. */
    private static List<RequestOp> steps(Operation operation) {
        boolean succeeded =
                operation.request().getCompareCount() == 0 || operation.answer().getSucceeded();
        return succeeded
                ? operation.request().getSuccessList()
                : operation.request().getFailureList();
    }
}
