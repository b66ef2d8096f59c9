package io.brain.transfer.verify;

import io.brain.backend.model.KeySpan;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import io.brain.transfer.etcd.StepListener;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The result of a comparison of two sides.
 *
 * @param revision that was compared
 * @param differences the first of them, in order of keys
 * @param more true if there are more differences
 * @param histories what is known about the histories
 */
public record Comparison(
        long revision, List<String> differences, boolean more, Histories histories) {
    private static final int DIFFERENCES_MAX = 10;
    private static final int SHOWN_KEY_BYTES = 256;

    /** Histories up to the revision. */
    public enum Histories {
        /** The hashes are equal. */
        EQUAL,
        /** The hashes differ. */
        DIFFERENT,
        /** Compacted at other revisions, or only a part of the keys was compared. */
        NOT_COMPARED
    }

    /** Copies the list. */
    public Comparison {
        differences = List.copyOf(differences);
    }

    public boolean isEqual() {
        return differences.isEmpty() && histories != Histories.DIFFERENT;
    }

    /**
     * Compares two sides: by the hashes of their histories if that is possible, else key by key.
     *
     * @param span the keys to compare
     * @param wanted the revision; 0: the newest that both have
     */
    public static Comparison of(Side a, Side b, KeySpan span, long wanted, StepListener listener)
            throws IOException {
        long revision = wanted > 0 ? wanted : Math.min(a.newestRevision(), b.newestRevision());
        Histories histories = Histories.NOT_COMPARED;
        if (span.equals(KeySpan.ALL)) {
            Side.History first = a.history(revision);
            Side.History second = b.history(revision);
            // etcd says 0 or -1 if nothing was compacted.
            if (Math.max(0, first.compacted()) == Math.max(0, second.compacted())) {
                histories = first.hash() == second.hash() ? Histories.EQUAL : Histories.DIFFERENT;
            }
        }
        if (histories == Histories.EQUAL) {
            return new Comparison(revision, List.of(), false, histories);
        }
        try (Side.Entries first = a.entries(span, revision);
                Side.Entries second = b.entries(span, revision)) {
            return merge(first, second, revision, histories, listener);
        }
    }

    private static Comparison merge(
            Side.Entries a,
            Side.Entries b,
            long revision,
            Histories histories,
            StepListener listener)
            throws IOException {
        List<String> differences = new ArrayList<>();
        long bytes = 0;
        Side.Entry first = a.next();
        Side.Entry second = b.next();
        while ((first != null || second != null) && differences.size() <= DIFFERENCES_MAX) {
            int order = Side.Entry.order(first, second);
            if (order < 0) {
                differences.add("only in A: " + shown(first.key()));
            } else if (order > 0) {
                differences.add("only in B: " + shown(second.key()));
            } else {
                bytes += first.kv().length();
                listener.progress("compare", bytes, bytes);
                if (!first.kv().equals(second.kv())) {
                    differences.add("differs: " + difference(first, second));
                }
            }
            first = order <= 0 ? a.next() : first;
            second = order >= 0 ? b.next() : second;
        }
        boolean more = differences.size() > DIFFERENCES_MAX;
        return new Comparison(
                revision,
                more ? differences.subList(0, DIFFERENCES_MAX) : differences,
                more,
                histories);
    }

    private static String difference(Side.Entry a, Side.Entry b) {
        KeyValue first = KeyValue.decode(a.kv());
        KeyValue second = KeyValue.decode(b.kv());
        List<String> fields = new ArrayList<>();
        add(fields, "create revision", first.createRevision(), second.createRevision());
        add(fields, "mod revision", first.modRevision(), second.modRevision());
        add(fields, "version", first.version(), second.version());
        if (first.lease() != second.lease()) {
            fields.add("lease %x and %x".formatted(first.lease(), second.lease()));
        }
        if (!first.value().equals(second.value())) {
            fields.add("values");
        }
        return shown(a.key()) + ": " + String.join(", ", fields);
    }

    private static void add(List<String> fields, String name, long first, long second) {
        if (first != second) {
            fields.add("%s %d and %d".formatted(name, first, second));
        }
    }

    private static String shown(Bytes key) {
        return key.length() <= SHOWN_KEY_BYTES
                ? "\"" + key + "\""
                : "\"" + Bytes.copyOf(key.array(), 0, SHOWN_KEY_BYTES) + "...\"";
    }
}
