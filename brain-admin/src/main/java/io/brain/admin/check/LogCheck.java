package io.brain.admin.check;

import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LogEntry;
import io.brain.backend.store.LogEvent;
import io.brain.backend.store.VersionRecord;
import io.brain.storage.Bytes;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import java.util.function.LongConsumer;

/**
 * Checks the commit log: it contains every revision that compaction keeps, in order, and the
 * versions of its events are stored.
 */
final class LogCheck {
    private final CheckedStore store;
    private final Snapshot snapshot;
    private final KeyCoder coder;
    private final Findings findings;

    /** The event before; null at the start. */
    private LogEvent last;

    private int lastPart;

    /** True after damage: the order of the next event is not checked. */
    private boolean afterGap;

    LogCheck(CheckedStore store) {
        this.store = store;
        snapshot = store.snapshot();
        coder = store.coder();
        findings = store.findings();
    }

    /** Reads the whole log; passes the revision of each entry to {@code progress}. */
    void run(LongConsumer progress) {
        new SkippingScan(snapshot, coder.log())
                .run((at, value) -> checkEntry(at, value, progress), this::gap);
        if (store.fence() == null || afterGap) {
            return;
        }
        long end = last == null ? 1 : last.revision();
        boolean needed = last != null || store.revision() > 1;
        if (needed && end != store.revision()) {
            findings.store(
                    "the commit log ends at revision %d, the store at revision %d"
                            .formatted(end, store.revision()));
        }
    }

    private void checkEntry(Bytes at, Bytes value, LongConsumer progress) {
        if (!coder.isLogKey(at)) {
            findings.store("log entry with an invalid key: " + at);
            return;
        }
        long revision = coder.logRevision(at);
        progress.accept(revision);
        LogEntry entry;
        try {
            entry = LogEntry.decode(value);
        } catch (StorageException undecodable) {
            findings.incomplete(
                    "the log entry from revision %d cannot be decoded: %s"
                            .formatted(revision, undecodable.getMessage()));
            afterGap = true;
            return;
        }
        if (entry.events().isEmpty()
                || entry.events().get(0).revision() != revision
                || (coder.logPart(at) != 0 && !continues(at) && !afterGap)) {
            findings.store("log entry out of order: " + at);
            afterGap = true;
        }
        lastPart = coder.logPart(at);
        for (LogEvent event : entry.events()) {
            check(event);
            last = event;
            afterGap = false;
        }
    }

    private void gap(Bytes before, Bytes after, StorageException cause) {
        findings.gap("commit log", before, after, cause);
        afterGap = true;
    }

    private boolean continues(Bytes at) {
        if (last == null) {
            return coder.logRevision(at) < oldest(); // compaction deletes part after part
        }
        return last.revision() == coder.logRevision(at) && lastPart == coder.logPart(at) - 1;
    }

    /** The first revision that compaction leaves in the log; earlier ones may be there in part. */
    private long oldest() {
        return Math.max(2, store.compact().finished());
    }

    private void check(LogEvent event) {
        if (event.isGap()) {
            checkGap(event);
            return;
        }
        store.totals().events++;
        checkOrder(event);
        boolean sound =
                store.contains(event.revision())
                        && event.replacedRevision() >= 0
                        && event.replacedRevision() < event.revision();
        if (!sound) {
            damaged(event, "has an invalid event in the commit log");
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

    private void checkGap(LogEvent gap) {
        boolean ascends =
                last == null
                        || gap.revision() > last.revision()
                        || (gap.revision() == last.revision() && gap.sub() > last.sub());
        if (!store.contains(gap.revision()) || !ascends) {
            findings.store(
                    "the commit log has an invalid gap up to revision %d, change %d"
                            .formatted(gap.revision(), gap.sub()));
        }
    }

    private void checkOrder(LogEvent event) {
        if (afterGap) {
            return;
        }
        if (last == null) {
            if (event.revision() > oldest() || (event.revision() == oldest() && event.sub() != 0)) {
                findings.store(
                        "the commit log begins at revision %d, not at %d"
                                .formatted(event.revision(), oldest()));
            }
            return;
        }
        boolean sameRevision = event.revision() == last.revision() && event.sub() == last.sub() + 1;
        boolean nextRevision = event.revision() == last.revision() + 1 && event.sub() == 0;
        if (!sameRevision && !nextRevision) {
            findings.store(
                    "the commit log skips from revision %d, change %d, to revision %d, change %d"
                            .formatted(last.revision(), last.sub(), event.revision(), event.sub()));
        }
    }

    private void checkInline(LogEvent event) {
        VersionRecord version = VersionRecord.decode(event.inline());
        if (CheckedStore.fault(event.key(), version) != null
                || version.revision() != event.revision()
                || !matches(version, event)) {
            damaged(event, "has an invalid version in the commit log");
        }
    }

    /** From the compact revision on, versions are stored; below it, those not replaced. */
    private void checkVersion(LogEvent event) {
        Bytes head = snapshot.get(coder.headKey(event.key()));
        VersionRecord version = decode(head);
        Bytes replaced = null;
        if (version == null || version.revision() != event.revision()) {
            replaced = snapshot.get(coder.historyKey(event.key(), event.revision()));
            version = decode(replaced);
        }
        if (version != null) {
            store.counts().logged(event.revision());
            if (!matches(version, event)) {
                damaged(event, "does not match its event in the commit log");
            }
            return;
        }
        // A record that cannot be decoded may be the version; HeadCheck and HistoryCheck report it.
        boolean undecodable = replaced != null || (head != null && decode(head) == null);
        if (!undecodable && event.revision() >= store.compact().floor()) {
            damaged(event, "is in the commit log, but neither a head nor in the history");
        }
    }

    private static boolean matches(VersionRecord version, LogEvent event) {
        return version.isTombstone() == event.delete() && version.sub() == event.sub();
    }

    /** Null if the record is missing or cannot be decoded. */
    private static VersionRecord decode(Bytes stored) {
        try {
            return stored == null ? null : VersionRecord.decode(stored);
        } catch (StorageException undecodable) {
            return null;
        }
    }

    /** A version replaced after the compact revision is what reads at that revision return. */
    private void checkReplaced(LogEvent event) {
        long floor = store.compact().floor();
        long replaced = event.replacedRevision();
        if (event.revision() > floor
                && replaced != 0
                && replaced < floor
                && snapshot.get(coder.historyKey(event.key(), replaced)) == null) {
            findings.key(event.key(), replaced, "is missing in the history");
        }
    }

    private void damaged(LogEvent event, String damage) {
        findings.key(event.key(), event.revision(), damage);
    }
}
