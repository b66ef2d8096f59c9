package io.brain.transfer.load;

import io.brain.storage.Bytes;
import io.brain.transfer.etcd.ChangeSource;
import io.brain.transfer.etcd.EtcdChange;
import io.brain.transfer.etcd.EtcdException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the changes to import, and finds out which changes of a revision are of the same key. A
 * revision of any size takes a limited amount of memory: the keys that it puts, which came in one
 * request, but not those that it deletes.
 */
final class ChangeReader {
    private static final int NEXT_CHANGES_MAX = 64;
    private static final long NEXT_BYTES_MAX = 1 << 20;
    private static final int GROUP_CHANGES_MAX = 4096;
    private static final long GROUP_BYTES_MAX = 4 << 20;

    /** Of the keys that one revision puts: no etcd takes so large a request. */
    private static final long PUT_KEY_BYTES_MAX = 16 << 20;

    /**
     * A change to import.
     *
     * @param first true if no earlier change of its revision is of the same key
     * @param last true if no later change of its revision is of the same key
     * @param endsRevision true if it is the last change of its revision
     */
    record Item(EtcdChange change, boolean first, boolean last, boolean endsRevision) {}

    /** First and last change of a key in a revision. */
    private static final class Span {
        private int first = Integer.MAX_VALUE;
        private int last;

        private void add(int sub) {
            first = Math.min(first, sub);
            last = sub;
        }
    }

    private final ChangeSource source;
    private final ImportOptions options;
    private final ChangeSource.Changes changes;
    private final Deque<Item> ready = new ArrayDeque<>();

    /** The change after those that are ready. */
    private EtcdChange next;

    /** A revision whose changes are not read at once; 0: none. */
    private long large;

    private Map<Bytes, Span> spansOfLarge = Map.of();

    /** Reads from a position on; {@code sub} is 0 at the beginning of a revision. */
    ChangeReader(ChangeSource source, ImportOptions options, long revision, int sub)
            throws IOException {
        this.source = source;
        this.options = options;
        changes = source.changes(revision, sub);
        next = read(changes);
        if (next != null && sub > 0 && next.revision() == revision) {
            startLarge(revision);
        }
    }

    /** The next few changes; empty at the end. */
    List<Item> next() throws IOException {
        List<Item> items = new ArrayList<>(NEXT_CHANGES_MAX);
        long bytes = 0;
        while (items.size() < NEXT_CHANGES_MAX && bytes < NEXT_BYTES_MAX) {
            if (ready.isEmpty()) {
                fill();
            }
            Item item = ready.poll();
            if (item == null) {
                break;
            }
            items.add(item);
            bytes += item.change().length();
        }
        return items;
    }

    private void fill() throws IOException {
        EtcdChange change = next;
        if (change == null) {
            return;
        }
        next = read(changes);
        if (change.revision() == large) {
            add(change, spansOfLarge, endsWith(change));
        } else if (endsWith(change)) {
            ready.add(new Item(change, true, true, true));
        } else {
            fillGroup(change);
        }
    }

    /** Adds all changes of a revision, or the first ones if there are too many. */
    private void fillGroup(EtcdChange first) throws IOException {
        List<EtcdChange> group = new ArrayList<>();
        group.add(first);
        long bytes = first.length();
        while (!endsWith(first) && group.size() < GROUP_CHANGES_MAX && bytes < GROUP_BYTES_MAX) {
            group.add(next);
            bytes += next.length();
            next = read(changes);
        }
        Map<Bytes, Span> spans = new HashMap<>();
        if (endsWith(first)) {
            for (EtcdChange change : group) {
                spans.computeIfAbsent(change.key(), key -> new Span()).add(change.sub());
            }
        } else {
            startLarge(first.revision());
            spans = spansOfLarge;
        }
        for (int i = 0; i < group.size(); i++) {
            add(group.get(i), spans, endsWith(first) && i == group.size() - 1);
        }
    }

    private void add(EtcdChange change, Map<Bytes, Span> spans, boolean endsRevision) {
        Span span = spans.get(change.key());
        boolean first = span == null || span.first == change.sub();
        boolean last = span == null || span.last == change.sub();
        ready.add(new Item(change, first, last, endsRevision));
    }

    /** True if the change after those read so far is of another revision than {@code change}. */
    private boolean endsWith(EtcdChange change) {
        return next == null || next.revision() != change.revision();
    }

    /** Of two changes of a key in one revision one is a put: a delete needs a key that exists. */
    private void startLarge(long revision) throws IOException {
        Map<Bytes, Span> spans = new HashMap<>();
        long keyBytes = 0;
        ChangeSource.Changes puts = source.changes(revision, 0);
        for (EtcdChange put = puts.next(); isOf(revision, put); put = puts.next()) {
            if (!put.delete() && options.keys().includes(put.key())) {
                keyBytes += spans.put(put.key(), new Span()) == null ? put.key().length() : 0;
                if (keyBytes > PUT_KEY_BYTES_MAX) {
                    throw new EtcdException(
                            "revision %d puts keys of more than %d bytes"
                                    .formatted(revision, PUT_KEY_BYTES_MAX));
                }
            }
        }
        ChangeSource.Changes all = source.changes(revision, 0);
        for (EtcdChange change = all.next(); isOf(revision, change); change = all.next()) {
            Span span = spans.get(change.key());
            if (span != null) {
                span.add(change.sub());
            }
        }
        large = revision;
        spansOfLarge = spans;
    }

    private static boolean isOf(long revision, EtcdChange change) {
        return change != null && change.revision() == revision;
    }

    private EtcdChange read(ChangeSource.Changes from) throws IOException {
        EtcdChange change = from.next();
        while (change != null && !options.keys().includes(change.key())) {
            change = from.next();
        }
        return change;
    }
}
