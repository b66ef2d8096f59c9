package io.brain.conformance.compare;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What one server answered, step by step. Thread-safe; at most {@value #ENTRIES_MAX} steps. */
public final class Transcript {

    static final int ENTRIES_MAX = 20_000;

    private final List<Entry> entries = Collections.synchronizedList(new ArrayList<>());

    /** Adds a step. */
    public void add(String what, Object value) {
        if (entries.size() >= ENTRIES_MAX) {
            throw new IllegalStateException("more than " + ENTRIES_MAX + " steps");
        }
        entries.add(new Entry(what, value));
    }

    /** The steps so far, in order. */
    public List<Entry> entries() {
        synchronized (entries) {
            return List.copyOf(entries);
        }
    }

    /**
     * Both transcripts side by side, from the first step on, each difference below its step; empty
     * if there is none.
     */
    public static String differences(
            String leftName, Transcript left, String rightName, Transcript right) {
        List<Entry> l = left.entries();
        List<Entry> r = right.entries();
        StringBuilder text = new StringBuilder();
        boolean same = true;
        for (int i = 0; i < Math.max(l.size(), r.size()); i++) {
            List<String> found =
                    i >= l.size() || i >= r.size()
                            ? List.of("only one side came here")
                            : l.get(i).differences(r.get(i));
            if (found.isEmpty()) {
                text.append("    ").append(l.get(i)).append('\n');
                continue;
            }
            same = false;
            text.append("  ! ").append(i < l.size() ? l.get(i).what() : r.get(i).what());
            text.append('\n');
            text.append("      ").append(leftName).append(": ").append(at(l, i)).append('\n');
            text.append("      ").append(rightName).append(": ").append(at(r, i)).append('\n');
            found.forEach(d -> text.append("      differs at ").append(d).append('\n'));
        }
        return same ? "" : text.toString();
    }

    private static String at(List<Entry> entries, int index) {
        return index < entries.size() ? entries.get(index).toString() : "(ended)";
    }
}
