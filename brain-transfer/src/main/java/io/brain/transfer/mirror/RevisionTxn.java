package io.brain.transfer.mirror;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.Compare;
import io.brain.proto.etcd.DeleteRangeRequest;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.mvcc.Event;
import io.brain.proto.mvcc.KeyValue;
import io.brain.storage.Bytes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The transaction of etcd that makes the changes of a revision, in their order. Without effect
 * where it was applied before.
 */
final class RevisionTxn {
    /** etcd's default for the operations on a way through nested transactions. */
    private static final int OPS_MAX = 128;

    private static final int DEPTH_MAX = 5;

    /** As many deletes are made by a range, if it has no other keys. */
    private static final int JOINED_MIN = 64;

    private static final Comparator<ByteString> ORDER =
            ByteString.unsignedLexicographicalComparator();

    /** Counts the target's keys. */
    @FunctionalInterface
    interface KeyCounter {
        /** The number of keys in [from, end) at the revision before. */
        long count(ByteString from, ByteString end) throws IOException;
    }

    private RevisionTxn() {}

    /**
     * The transaction.
     *
     * @throws IOException if etcd takes no such transaction
     */
    static TxnRequest of(SourceRevision changes, KeyCounter counter) throws IOException {
        requireDistinctKeys(changes);
        Compare notApplied =
                Compare.newBuilder()
                        .setKey(marked(changes).getKv().getKey())
                        .setTarget(Compare.CompareTarget.MOD)
                        .setResult(Compare.CompareResult.LESS)
                        .setModRevision(changes.revision())
                        .build();
        return nested(operations(changes, counter)).toBuilder().addCompare(notApplied).build();
    }

    /** True if so many keys are deleted that the target's keys must be counted. */
    static boolean mayJoin(SourceRevision changes) {
        return changes.events().stream().filter(RevisionTxn::isDelete).count() >= JOINED_MIN;
    }

    /** The first put, or the first delete if there is no put. */
    private static Event marked(SourceRevision changes) {
        return changes.events().stream()
                .filter(event -> !isDelete(event))
                .findFirst()
                .orElse(changes.events().get(0));
    }

    private static boolean isDelete(Event event) {
        return event.getType() == Event.EventType.DELETE;
    }

    private static void requireDistinctKeys(SourceRevision changes) throws IOException {
        Set<ByteString> keys = new HashSet<>();
        for (Event event : changes.events()) {
            ByteString key = event.getKv().getKey();
            if (!keys.add(key)) {
                throw new IOException(
                        ("revision %d changes the key \"%s\" twice, which no transaction for the"
                                        + " target can: seed it again with a later snapshot")
                                .formatted(changes.revision(), Bytes.wrap(key.toByteArray())));
            }
        }
    }

    private static List<RequestOp> operations(SourceRevision changes, KeyCounter counter)
            throws IOException {
        TreeSet<ByteString> puts = new TreeSet<>(ORDER);
        List<Event> events = changes.events();
        events.stream()
                .filter(event -> !isDelete(event))
                .forEach(event -> puts.add(event.getKv().getKey()));
        List<RequestOp> operations = new ArrayList<>();
        for (int i = 0; i < events.size(); ) {
            int end = endOfDeletes(events, i);
            ByteString first = events.get(i).getKv().getKey();
            if (end - i >= JOINED_MIN) {
                ByteString last = events.get(end - 1).getKv().getKey();
                ByteString after = last.concat(ByteString.copyFrom(new byte[1]));
                if (puts.subSet(first, after).isEmpty() && counter.count(first, after) == end - i) {
                    operations.add(delete(first, after));
                    i = end;
                    continue;
                }
            }
            int next = Math.max(end, i + 1);
            events.subList(i, next).forEach(event -> operations.add(operation(event)));
            i = next;
        }
        return operations;
    }

    /** The end of the deletes from an index on, whose keys are in order. */
    private static int endOfDeletes(List<Event> events, int begin) {
        int end = begin;
        ByteString last = ByteString.EMPTY;
        while (end < events.size()
                && isDelete(events.get(end))
                && ORDER.compare(last, events.get(end).getKv().getKey()) < 0) {
            last = events.get(end).getKv().getKey();
            end++;
        }
        return end;
    }

    private static RequestOp operation(Event event) {
        KeyValue kv = event.getKv();
        if (isDelete(event)) {
            return delete(kv.getKey(), ByteString.EMPTY);
        }
        PutRequest put =
                PutRequest.newBuilder()
                        .setKey(kv.getKey())
                        .setValue(kv.getValue())
                        .setLease(kv.getLease())
                        .build();
        return RequestOp.newBuilder().setRequestPut(put).build();
    }

    private static RequestOp delete(ByteString key, ByteString end) {
        DeleteRangeRequest delete =
                DeleteRangeRequest.newBuilder().setKey(key).setRangeEnd(end).build();
        return RequestOp.newBuilder().setRequestDeleteRange(delete).build();
    }

    /**
     * A tree of transactions. etcd's limit holds for the sum of the operations of all levels: with
     * four levels, 32 to the power of 4 fit.
     */
    private static TxnRequest nested(List<RequestOp> operations) throws IOException {
        for (int depth = 1; depth <= DEPTH_MAX; depth++) {
            int width = OPS_MAX / depth;
            long fitting = (long) Math.pow(width, depth);
            if (operations.size() <= fitting) {
                return tree(operations, width, fitting);
            }
        }
        throw new IOException("%d operations are too many".formatted(operations.size()));
    }

    private static TxnRequest tree(List<RequestOp> operations, int width, long fitting) {
        TxnRequest.Builder txn = TxnRequest.newBuilder();
        if (fitting == width) {
            return txn.addAllSuccess(operations).build();
        }
        int part = (int) (fitting / width);
        for (int i = 0; i < operations.size(); i += part) {
            List<RequestOp> inner = operations.subList(i, Math.min(operations.size(), i + part));
            txn.addSuccess(RequestOp.newBuilder().setRequestTxn(tree(inner, width, part)));
        }
        return txn.build();
    }
}
