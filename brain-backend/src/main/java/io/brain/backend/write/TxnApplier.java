package io.brain.backend.write;

import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.runtime.Clock;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LogEntry;
import io.brain.backend.store.LogEvent;
import io.brain.backend.store.VersionRecord;
import io.brain.backend.txn.HeadRecord;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;

/**
 * Begins turns, and makes what they changed part of the tip and of a batch: records, log, events,
 * account.
 */
final class TxnApplier {
    private final PendingState tip;
    private final KeyCoder coder;
    private final WriteSettings settings;
    private final Clock clock;

    TxnApplier(PendingState tip, KeyCoder coder, WriteSettings settings, Clock clock) {
        this.tip = tip;
        this.coder = coder;
        this.settings = settings;
        this.clock = clock;
    }

    /** What turns see. */
    PendingState tip() {
        return tip;
    }

    /**
     * A turn at the tip's revision; one at a time.
     *
     * @param walks what was read ahead for it
     * @param inPlace true: it walks over every other span, however wide
     */
    BufferedTxnContext begin(long revision, List<SpanScan> walks, boolean inPlace) {
        int inPlaceMax = inPlace ? Integer.MAX_VALUE : settings.spanKeysInPlace();
        PendingView view = new PendingView(tip, walks, inPlaceMax);
        return new BufferedTxnContext(view, coder, settings, clock, revision);
    }

    /** The turn is over and takes effect. */
    void write(BufferedTxnContext turn, CommitBatch batch) {
        if (!turn.changes().isEmpty()) {
            writeChanges(turn, batch);
        }
        long stored = turn.storedBytes();
        long keys = 0;
        for (var entry : turn.own().entrySet()) {
            Bytes key = entry.getKey();
            OwnKey own = entry.getValue();
            tip.pin(key, own.now(), batch.number());
            if (own.isUnchanged()) {
                batch.head(key, Bytes.EMPTY); // its tombstone was dropped
            } else {
                stored += writeVersions(key, own, batch);
                keys += (own.now().exists() ? 1 : 0) - (own.before().exists() ? 1 : 0);
            }
        }
        turn.smallRecords()
                .forEach(
                        (key, value) -> {
                            tip.pinSmall(key, value, batch.number());
                            batch.small(key, value);
                        });
        batch.account(stored, keys);
    }

    /** Writes the new head, and moves the old one to the history; bytes that this adds. */
    private long writeVersions(Bytes key, OwnKey own, CommitBatch batch) {
        Bytes head = own.now().encode();
        batch.head(key, head);
        HeadRecord before = own.before();
        if (before.revision() == 0) {
            return coder.headKeyLength(key) + (long) head.length();
        }
        Bytes historyKey = coder.historyKey(key, before.revision());
        batch.history(historyKey, before.encode());
        return historyKey.length() + (long) head.length();
    }

    private void writeChanges(BufferedTxnContext turn, CommitBatch batch) {
        long revision = turn.revision() + 1;
        int count = turn.changes().size();
        List<WatchEvent> events = new ArrayList<>(turn.isHeavy() ? 0 : count);
        for (int sub = 0; sub < count; sub++) {
            BufferedTxnContext.Change change = turn.changes().get(sub);
            if (!change.delete()) {
                batch.needSpace();
            }
            LogEvent logged = logEvent(change, revision, sub);
            batch.log(logged, LogEntry.encodedLengthMax(logged));
            if (!turn.isHeavy()) {
                events.add(watchEvent(change, revision));
            }
        }
        batch.events(new RevisionEvents(revision, events, turn.isHeavy()));
    }

    private static LogEvent logEvent(BufferedTxnContext.Change change, long revision, int sub) {
        OwnKey own = change.target();
        Bytes inline =
                own.isLast(sub) ? null : new VersionRecord(revision, sub, change.kv()).encode();
        return new LogEvent(
                change.key(),
                revision,
                sub,
                change.delete(),
                own.before().revision(),
                own.isFirst(sub) ? own.before().encodedLength() : 0,
                inline);
    }

    private static WatchEvent watchEvent(BufferedTxnContext.Change change, long revision) {
        if (change.delete()) {
            Bytes shown = KeyValueCodec.encodeDeleted(change.key(), revision);
            return new WatchEvent(change.key(), revision, true, shown, change.target().prevKv());
        }
        boolean created = change.created() == revision;
        Bytes prevKv = created ? null : change.target().prevKv();
        return new WatchEvent(change.key(), revision, false, change.kv(), prevKv);
    }
}
