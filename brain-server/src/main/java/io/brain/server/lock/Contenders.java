package io.brain.server.lock;

import com.google.protobuf.ByteString;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.RevisionFilter;
import io.brain.backend.model.RangeQuery.SortOrder;
import io.brain.backend.model.RangeQuery.SortTarget;
import io.brain.server.grpc.ByteStrings;
import io.brain.storage.Bytes;

/**
 * The keys of a lock or an election, in order of their creation.
 *
 * @param prefix the name and a slash
 */
record Contenders(Bytes prefix) {
    private static final Bytes SLASH = Bytes.utf8("/");

    static Contenders of(ByteString name) {
        return new Contenders(ByteStrings.unwrap(name).concat(SLASH));
    }

    /** The key of a lease, in Go's hexadecimal form: a negative number has a sign. */
    Bytes key(long lease) {
        return prefix.concat(Bytes.utf8(Long.toString(lease, 16)));
    }

    KeySpan span() {
        return KeySpan.prefix(prefix);
    }

    /** Reads the oldest key: the owner. */
    RangeQuery owner() {
        return first(SortOrder.ASCEND, false, RevisionFilter.NONE);
    }

    /** Reads the newest key, without its value. */
    RangeQuery newest() {
        return first(SortOrder.DESCEND, true, RevisionFilter.NONE);
    }

    /** Reads the newest key that is older than one created at {@code revision}, without value. */
    RangeQuery newestBefore(long revision) {
        return first(SortOrder.DESCEND, true, new RevisionFilter(0, 0, 0, revision - 1));
    }

    private RangeQuery first(SortOrder order, boolean keysOnly, RevisionFilter filter) {
        return new RangeQuery(
                span(), 1, 0, order, SortTarget.CREATE, keysOnly, false, false, filter);
    }
}
