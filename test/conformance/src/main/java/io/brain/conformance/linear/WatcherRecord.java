package io.brain.conformance.linear;

import com.google.protobuf.ByteString;
import io.brain.proto.mvcc.Event;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32;

/** What one watcher was sent, over all its resumptions. Not thread-safe. */
public final class WatcherRecord {

    /**
     * @param digest of the whole event
     */
    private record Seen(long revision, long digest) {}

    /** Revisions, both included, that it was told are compacted. */
    private record Skip(long first, long last) {}

    private final String name;
    private final ByteString key;
    private final ByteString end;
    private final boolean withPrevious;
    private final List<Seen> seen = new ArrayList<>();
    private final List<Skip> skips = new ArrayList<>();

    /**
     * A watcher of a range, as etcd names it, since the store was empty.
     *
     * @param withPrevious whether it asks for the values that were replaced
     */
    public WatcherRecord(String name, ByteString key, ByteString end, boolean withPrevious) {
        this.name = name;
        this.key = key;
        this.end = end;
        this.withPrevious = withPrevious;
    }

    /** Notes an event as it came. */
    public void add(Event event) {
        seen.add(new Seen(event.getKv().getModRevision(), digest(event)));
    }

    /** Notes that a node refused to send the events of these revisions, as they are compacted. */
    public void skip(long first, long last) {
        skips.add(new Skip(first, last));
    }

    public int events() {
        return seen.size();
    }

    /**
     * Compares all that it was sent with the log. The value that an event replaced may be missing
     * if it was compacted.
     *
     * @param compacted the newest revision that a client asked to compact
     */
    List<Violation> check(EventLog log, long compacted) {
        List<Violation> violations = new ArrayList<>();
        for (Skip skip : skips) {
            if (skip.last() > compacted) {
                violations.add(
                        new Violation(
                                Violation.Kind.WATCH_GAP,
                                name + " was told that " + skip.last() + " is compacted"));
            }
        }
        List<Seen> expected = new ArrayList<>();
        Map<Seen, Seen> complete = new HashMap<>();
        expect(log, compacted, expected, complete);
        List<Seen> sent = seen.stream().map(one -> complete.getOrDefault(one, one)).toList();
        if (!sent.equals(expected)) {
            compare(sent, expected, violations);
        }
        return violations;
    }

    private void compare(List<Seen> sent, List<Seen> expected, List<Violation> violations) {
        Map<Seen, Integer> times = new HashMap<>();
        long newest = 0;
        for (Seen one : sent) {
            int before = times.merge(one, 1, Integer::sum) - 1;
            if (before > 0) {
                add(violations, Violation.Kind.WATCH_DUPLICATE, one);
            } else if (one.revision() < newest) {
                add(violations, Violation.Kind.WATCH_DISORDER, one);
            }
            newest = Math.max(newest, one.revision());
        }
        Set<Seen> wanted = new HashSet<>(expected);
        for (Seen one : expected) {
            if (!times.containsKey(one)) {
                add(violations, Violation.Kind.WATCH_GAP, one);
            }
        }
        for (Seen one : times.keySet()) {
            if (!wanted.contains(one)) {
                add(violations, Violation.Kind.WATCH_WRONG, one);
            }
        }
        if (violations.isEmpty()) { // only the order within a revision is left
            violations.add(
                    new Violation(
                            Violation.Kind.WATCH_DISORDER,
                            name + " was sent the events of a revision in another order"));
        }
    }

    private void add(List<Violation> violations, Violation.Kind kind, Seen one) {
        violations.add(new Violation(kind, name + " at revision " + one.revision()));
    }

    /**
     * @param complete filled with events as they may be sent after a compaction, and as they were
     */
    private void expect(
            EventLog log, long compacted, List<Seen> expected, Map<Seen, Seen> complete) {
        log.all()
                .forEach(
                        (revision, events) -> {
                            for (Event event : events) {
                                if (!Keys.within(event.getKv().getKey(), key, end)
                                        || isSkipped(revision)) {
                                    continue;
                                }
                                Seen bare = new Seen(revision, digest(withoutPrevious(event)));
                                Seen whole =
                                        withPrevious ? new Seen(revision, digest(event)) : bare;
                                expected.add(whole);
                                if (revision <= compacted) {
                                    complete.put(bare, whole);
                                }
                            }
                        });
    }

    private boolean isSkipped(long revision) {
        return skips.stream().anyMatch(skip -> skip.first() <= revision && revision <= skip.last());
    }

    private static Event withoutPrevious(Event event) {
        return event.toBuilder().clearPrevKv().build();
    }

    private static long digest(Event event) {
        ByteString bytes = event.toByteString();
        CRC32 crc = new CRC32();
        crc.update(bytes.asReadOnlyByteBuffer());
        return crc.getValue() << 32 ^ bytes.hashCode();
    }
}
