package io.brain.conformance.compare;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RangeRequest.SortTarget;
import io.brain.proto.etcd.RangeResponse;
import io.brain.proto.mvcc.KeyValue;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Keys that a sort finds equal come in no defined order; here they come in key order. */
final class SortTies {

    static final Comparator<ByteString> BYTES = ByteString.unsignedLexicographicalComparator();

    private SortTies() {}

    /**
     * Orders each run of equals by key.
     *
     * @param cutTies whether the limit may have cut the last run: it is then not defined which of
     *     the equals are in, and only what they have in common stays
     */
    static RangeResponse normalise(RangeRequest request, RangeResponse answer, boolean cutTies) {
        SortTarget target = request.getSortTarget();
        boolean valuesAreBlanked = request.getKeysOnly() && target == SortTarget.VALUE;
        if (target == SortTarget.KEY || target == SortTarget.UNRECOGNIZED || valuesAreBlanked) {
            return answer;
        }
        RangeResponse.Builder builder = answer.toBuilder().clearKvs();
        List<KeyValue> run = new ArrayList<>();
        for (KeyValue kv : answer.getKvsList()) {
            if (!run.isEmpty() && !sortedBy(target, run.get(0)).equals(sortedBy(target, kv))) {
                builder.addAllKvs(byKey(run));
                run.clear();
            }
            run.add(kv);
        }
        boolean cut = cutTies && answer.getMore();
        for (KeyValue kv : byKey(run)) {
            builder.addKvs(cut ? sortedBy(target, kv) : kv);
        }
        return builder.build();
    }

    private static List<KeyValue> byKey(List<KeyValue> run) {
        run.sort(Comparator.comparing(KeyValue::getKey, BYTES));
        return run;
    }

    /** The part of a key that the sort looks at. */
    private static KeyValue sortedBy(SortTarget target, KeyValue kv) {
        KeyValue.Builder part = KeyValue.newBuilder();
        return switch (target) {
            case VERSION -> part.setVersion(kv.getVersion()).build();
            case CREATE -> part.setCreateRevision(kv.getCreateRevision()).build();
            case MOD -> part.setModRevision(kv.getModRevision()).build();
            case VALUE -> part.setValue(kv.getValue()).build();
            case KEY, UNRECOGNIZED -> part.setKey(kv.getKey()).build();
        };
    }
}
