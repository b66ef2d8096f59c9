package io.brain.backend.auth;

import io.brain.backend.model.KeySpan;
import io.brain.storage.Bytes;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The union of key spans. Immutable. */
final class GrantedSpans {
    /** Disjoint spans that do not touch, by their first key. */
    private final TreeMap<Bytes, KeySpan> spans = new TreeMap<>();

    GrantedSpans(List<KeySpan> granted) {
        KeySpan last = null;
        for (KeySpan span : granted.stream().sorted(Comparator.comparing(KeySpan::key)).toList()) {
            if (span.isEmpty()) {
                continue;
            }
            if (last != null && (last.end() == null || last.end().compareTo(span.key()) >= 0)) {
                last = new KeySpan(last.key(), later(last.end(), span.end()), false);
            } else {
                last = span;
            }
            spans.put(last.key(), last);
        }
    }

    private static Bytes later(Bytes one, Bytes other) {
        if (one == null || other == null) {
            return null;
        }
        return one.compareTo(other) >= 0 ? one : other;
    }

    /** The granted span that has a key; null if there is none. */
    KeySpan having(Bytes key) {
        Map.Entry<Bytes, KeySpan> before = spans.floorEntry(key);
        return before != null && before.getValue().contains(key) ? before.getValue() : null;
    }

    /** True if all keys of a span are granted; of an empty span, its first key, as in etcd. */
    boolean cover(KeySpan span) {
        Map.Entry<Bytes, KeySpan> before = spans.floorEntry(span.key());
        if (before == null) {
            return false;
        }
        Bytes end = before.getValue().end();
        if (end == null) {
            return true;
        }
        return (span.single() || span.isEmpty())
                ? span.key().compareTo(end) < 0
                : span.end() != null && span.end().compareTo(end) <= 0;
    }
}
