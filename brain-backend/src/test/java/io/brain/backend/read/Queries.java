package io.brain.backend.read;

import io.brain.backend.model.KeySpan;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.RevisionFilter;
import io.brain.backend.model.RangeQuery.SortOrder;
import io.brain.backend.model.RangeQuery.SortTarget;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.util.List;

/** Shortcuts for requests and answers. */
final class Queries {
    static final KeySpan ALL = span("\0", "\0");

    /** Permits each read. */
    static final Runnable OPEN = () -> {};

    private Queries() {}

    static KeySpan key(String key) {
        return KeySpan.of(Bytes.utf8(key));
    }

    static KeySpan span(String key, String end) {
        return KeySpan.of(Bytes.utf8(key), Bytes.utf8(end));
    }

    static RangeQuery limited(KeySpan span, long limit) {
        return RangeQuery.at(span, 0, limit);
    }

    static RangeQuery at(KeySpan span, long revision) {
        return RangeQuery.at(span, revision, 0);
    }

    static RangeQuery sorted(KeySpan span, SortTarget target, SortOrder order, long limit) {
        return new RangeQuery(
                span, limit, 0, order, target, false, false, false, RevisionFilter.NONE);
    }

    static RangeQuery filtered(KeySpan span, RevisionFilter filter, long limit) {
        return new RangeQuery(
                span, limit, 0, SortOrder.NONE, SortTarget.KEY, false, false, false, filter);
    }

    static RangeQuery keysOnly(KeySpan span, SortTarget target, SortOrder order) {
        return new RangeQuery(span, 0, 0, order, target, true, false, false, RevisionFilter.NONE);
    }

    static RangeQuery counted(KeySpan span, long limit, RevisionFilter filter) {
        return new RangeQuery(
                span, limit, 0, SortOrder.NONE, SortTarget.KEY, false, true, false, filter);
    }

    static RangeQuery serializable(KeySpan span) {
        return new RangeQuery(
                span,
                0,
                0,
                SortOrder.NONE,
                SortTarget.KEY,
                false,
                false,
                true,
                RevisionFilter.NONE);
    }

    static List<String> keys(OpResult.Range answer) {
        return answer.kvs().stream().map(kv -> KeyValue.decode(kv).key().toString()).toList();
    }

    static List<String> values(OpResult.Range answer) {
        return answer.kvs().stream().map(kv -> KeyValue.decode(kv).value().toString()).toList();
    }
}
