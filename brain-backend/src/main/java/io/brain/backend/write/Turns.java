package io.brain.backend.write;

import io.brain.backend.key.KeyCoder;
import io.brain.backend.key.LogEntry;
import io.brain.backend.key.LogEvent;
import io.brain.backend.key.RevisionRecord;
import io.brain.backend.key.VersionRecord;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.runtime.Clock;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;

/**
 * Begins turns, and makes what they changed part of the tip and of a batch: records, log, events,
 * account.
 */
final class Turns {
    private final Tip tip;
    private final KeyCoder coder;
    private final WriteSettings settings;
    private final Clock clock;

    Turns(Tip tip, KeyCoder coder, WriteSettings settings, Clock clock) {
        this.tip = tip;
        this.coder = coder;
        this.settings = settings;
        this.clock = clock;
    }

    /** What turns see. */
    Tip tip() {
        return tip;
    }

    /**
     * A turn at the tip's revision; one at a time.
     *
     * @param walks what was read ahead for it
     * @param inPlace true: it walks over every other span, however wide
     */
    WriteTurn begin(long revision, List<SpanWalk> walks, boolean inPlace) {
        int inPlaceMax = inPlace ? Integer.MAX_VALUE : settings.spanKeysInPlace();
        TurnView view = new TurnView(tip, walks, inPlaceMax);
        return new WriteTurn(view, coder, settings, clock, revision);
    }

    /** The turn is over and takes effect. */
    void write(WriteTurn turn, CommitBatch batch) {
        long stored = turn.storedBytes();
        if (!turn.changes().isEmpty()) {
            stored += writeChanges(turn, batch);
        }
        long keys = 0;
        RevisionRecord live = new RevisionRecord(turn.revision() + 1, false);
        RevisionRecord deleted = new RevisionRecord(turn.revision() + 1, true);
        for (var entry : turn.own().entrySet()) {
            Bytes key = entry.getKey();
            OwnKey own = entry.getValue();
            tip.pin(key, own.now(), batch.number());
            if (own.isDropped()) {
                batch.newest(key, null);
                continue;
            }
            batch.newest(key, own.now().exists() ? live : deleted);
            keys += (own.now().exists() ? 1 : 0) - (own.existedBefore() ? 1 : 0);
            if (own.replacedRevision() == 0) {
                stored += coder.revisionKeyLength(key) + (long) RevisionRecord.LENGTH;
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

    /** Returns the bytes of the version records. */
    private long writeChanges(WriteTurn turn, CommitBatch batch) {
        long revision = turn.revision() + 1;
        int count = turn.changes().size();
        List<WatchEvent> events = new ArrayList<>(turn.isHeavy() ? 0 : count);
        long stored = 0;
        for (int sub = 0; sub < count; sub++) {
            WriteTurn.Change change = turn.changes().get(sub);
            Bytes record = new VersionRecord(change.delete(), sub, change.kv()).encode();
            if (!change.delete()) {
                batch.needSpace();
            }
            boolean last = change.target().isLast(sub);
            if (last) {
                Bytes versionKey = coder.versionKey(change.key(), revision, change.delete());
                batch.version(versionKey, record);
                stored += versionKey.length() + record.length();
            }
            LogEvent logged = logEvent(change, revision, sub, last ? null : record);
            batch.log(logged, LogEntry.encodedLengthMax(logged));
            if (!turn.isHeavy()) {
                events.add(watchEvent(change, revision));
            }
        }
        batch.events(new RevisionEvents(revision, events, turn.isHeavy()));
        return stored;
    }

    private static LogEvent logEvent(
            WriteTurn.Change change, long revision, int sub, Bytes inline) {
        OwnKey own = change.target();
        return new LogEvent(
                change.key(),
                revision,
                sub,
                change.delete(),
                own.replacedRevision(),
                own.replacedTombstone(),
                own.isFirst(sub) ? own.replacedBytes() : 0,
                inline);
    }

    private static WatchEvent watchEvent(WriteTurn.Change change, long revision) {
        if (change.delete()) {
            Bytes shown = KeyValueCodec.encodeDeleted(change.key(), revision);
            return new WatchEvent(change.key(), revision, true, shown, change.target().prevKv());
        }
        boolean created = change.created() == revision;
        Bytes prevKv = created ? null : change.target().prevKv();
        return new WatchEvent(change.key(), revision, false, change.kv(), prevKv);
    }
}
