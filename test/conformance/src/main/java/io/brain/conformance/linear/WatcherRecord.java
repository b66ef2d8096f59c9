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

    private final String name;
    private final ByteString key;
    private final ByteString end;
    private final boolean withPrevious;
    private final List<Seen> seen = new ArrayList<>();

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

    public int events() {
        return seen.size();
    }

    /** Compares all that it was sent with the log. */
    List<Violation> check(EventLog log) {
        List<Violation> violations = new ArrayList<>();
        List<Seen> expected = expected(log);
        if (seen.equals(expected)) {
            return violations;
        }
        Map<Seen, Integer> times = new HashMap<>();
        long newest = 0;
        for (Seen one : seen) {
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
        return violations;
    }

    private void add(List<Violation> violations, Violation.Kind kind, Seen one) {
        violations.add(new Violation(kind, name + " at revision " + one.revision()));
    }

    private List<Seen> expected(EventLog log) {
        List<Seen> expected = new ArrayList<>();
        log.all()
                .forEach(
                        (revision, events) -> {
                            for (Event event : events) {
                                if (Keys.within(event.getKv().getKey(), key, end)) {
                                    expected.add(new Seen(revision, digest(asAsked(event))));
                                }
                            }
                        });
        return expected;
    }

    private Event asAsked(Event event) {
        return withPrevious ? event : event.toBuilder().clearPrevKv().build();
    }

    private static long digest(Event event) {
        ByteString bytes = event.toByteString();
        CRC32 crc = new CRC32();
        crc.update(bytes.asReadOnlyByteBuffer());
        return crc.getValue() << 32 ^ bytes.hashCode();
    }
}
