package io.brain.backend.check;

import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LogEntry;
import io.brain.backend.store.LogEvent;
import io.brain.backend.store.VersionRecord;
import io.brain.storage.Bytes;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;

/**
 * Checks the commit log: that it tells of every revision that it must, in order, and that the
 * versions are there which it tells of.
 */
final class HistoryCheck implements Walk.Visitor {
    private final Snapshot snapshot;
    private final KeyCoder coder;
    private final Extent extent;
    private final RevisionCounts counts;
    private final Findings findings;
    private Ticker ticker;
    private long changes;

    /** The last change met; null before the first, and where some could not be read. */
    private LogEvent last;

    private int lastPart;

    /** True if the next change may be any. */
    private boolean afterGap;

    HistoryCheck(CheckedStore store) {
        snapshot = store.snapshot();
        coder = store.coder();
        extent = store.extent();
        counts = store.counts();
        findings = store.findings();
    }

    /** Reads the whole log; tells at which revision it is. */
    void run(Ticker told) {
        ticker = told;
        new Walk(snapshot, coder.log()).run(this);
        told.end();
        if (extent.fence() == null || afterGap) {
            return;
        }
        long end = last == null ? 1 : last.revision();
        boolean needed = last != null || extent.revision() > 1;
        if (needed && end != extent.revision()) {
            findings.store(
                    "the commit log ends at revision %d, the store at revision %d"
                            .formatted(end, extent.revision()));
        }
    }

    long changes() {
        return changes;
    }

    @Override
    public void pair(Bytes at, Bytes value) {
        if (!coder.isLogKey(at)) {
            findings.store("a log entry has a key of no known form: " + at);
            return;
        }
        ticker.reached(coder.logRevision(at));
        LogEntry entry;
        try {
            entry = LogEntry.decode(value);
        } catch (StorageException undecodable) {
            findings.gap("in the log entry from revision " + coder.logRevision(at), undecodable);
            afterGap = true;
            return;
        }
        if (entry.events().isEmpty()
                || entry.events().get(0).revision() != coder.logRevision(at)
                || (coder.logPart(at) != 0 && !continues(at) && !afterGap)) {
            findings.store("a log entry is out of place: " + at);
            afterGap = true;
        }
        lastPart = coder.logPart(at);
        for (LogEvent event : entry.events()) {
            check(event);
            last = event;
            afterGap = false;
        }
    }

    @Override
    public void gap(Bytes before, Bytes after, StorageException why) {
        findings.gap(
                "in the commit log between %s and %s"
                        .formatted(place(before, "its begin"), place(after, "its end")),
                why);
        afterGap = true;
    }

    private String place(Bytes at, String none) {
        return at != null && coder.isLogKey(at) ? "revision " + coder.logRevision(at) : none;
    }

    private boolean continues(Bytes at) {
        return last != null
                && last.revision() == coder.logRevision(at)
                && lastPart == coder.logPart(at) - 1;
    }

    private void check(LogEvent event) {
        changes++;
        checkOrder(event);
        boolean sound =
                extent.contains(event.revision())
                        && event.replacedRevision() >= 0
                        && event.replacedRevision() < event.revision();
        if (!sound) {
            findings.key(event.key(), event.revision(), "the commit log makes no sense here");
            return;
        }
        try {
            if (event.inline() != null) {
                checkInline(event);
            } else {
                checkVersion(event);
            }
            checkReplaced(event);
        } catch (StorageException unreadable) {
            findings.unreadable(event.key(), event.revision(), unreadable);
        }
    }

    private void checkOrder(LogEvent event) {
        if (afterGap) {
            return;
        }
        if (last == null) {
            long must = Math.max(2, extent.compact().finished());
            if (event.revision() > must || event.sub() != 0) {
                findings.store(
                        "the commit log begins at revision %d, not at %d"
                                .formatted(event.revision(), must));
            }
            return;
        }
        boolean sameRevision = event.revision() == last.revision() && event.sub() == last.sub() + 1;
        boolean nextRevision = event.revision() == last.revision() + 1 && event.sub() == 0;
        if (!sameRevision && !nextRevision) {
            findings.store(
                    "the commit log goes from revision %d, change %d, to revision %d, change %d"
                            .formatted(last.revision(), last.sub(), event.revision(), event.sub()));
        }
    }

    private void checkInline(LogEvent event) {
        Version version = Version.decode(event.key(), event.inline());
        boolean agrees =
                version.revision() == event.revision()
                        && version.tombstone() == event.delete()
                        && version.sub() == event.sub();
        if (version.wrong() != null || !agrees) {
            findings.key(
                    event.key(), event.revision(), "its record in the commit log makes no sense");
        }
    }

    /** A version at or above the floor is never removed; below, only if it was replaced. */
    private void checkVersion(LogEvent event) {
        Bytes head = snapshot.get(coder.headKey(event.key()));
        VersionRecord version = decoded(head);
        Bytes replaced = null;
        if (version == null || version.revision() != event.revision()) {
            replaced = snapshot.get(coder.historyKey(event.key(), event.revision()));
            version = decoded(replaced);
        }
        if (version != null) {
            counts.logged(event.revision());
            if (version.isTombstone() != event.delete() || version.sub() != event.sub()) {
                findings.key(
                        event.key(), event.revision(), "is not the change that the log tells of");
            }
            return;
        }
        // What cannot be decoded may be it; the checks of heads and history tell of that.
        boolean damaged = replaced != null || (head != null && decoded(head) == null);
        if (!damaged && event.revision() >= extent.compact().floor()) {
            findings.key(event.key(), event.revision(), "is in no head and in no history");
        }
    }

    /** Null if it is absent, or cannot be decoded. */
    private static VersionRecord decoded(Bytes stored) {
        try {
            return stored == null ? null : VersionRecord.decode(stored);
        } catch (StorageException undecodable) {
            return null;
        }
    }

    /** What was replaced only above the floor is what a read at the floor shows. */
    private void checkReplaced(LogEvent event) {
        long floor = extent.compact().floor();
        boolean mustBeThere =
                event.revision() > floor
                        && event.replacedRevision() != 0
                        && event.replacedRevision() < floor;
        if (mustBeThere
                && snapshot.get(coder.historyKey(event.key(), event.replacedRevision())) == null) {
            findings.key(event.key(), event.replacedRevision(), "is missing in the history");
        }
    }
}
