package io.brain.backend.write;

import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.runtime.Clock;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LogEvent;
import io.brain.backend.txn.EarlyHistory;
import io.brain.backend.txn.HeadRecord;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.backend.write.BufferedTxnContext.Change;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;

/**
 * Applies the changes of an evaluated proposal to the pending state and to a batch: heads, history,
 * metadata records, log, events, totals.
 */
final class TxnApplier {
    private final PendingState pending;
    private final KeyCoder coder;
    private final WriteSettings settings;
    private final Clock clock;

    TxnApplier(PendingState pending, KeyCoder coder, WriteSettings settings, Clock clock) {
        this.pending = pending;
        this.coder = coder;
        this.settings = settings;
        this.clock = clock;
    }

    /** A context for a proposal after {@code revision}; one at a time. */
    BufferedTxnContext newContext(long revision) {
        return new BufferedTxnContext(pending, coder, settings, clock, revision);
    }

    void apply(BufferedTxnContext context, CommitBatch batch) {
        if (!context.changes().isEmpty()) {
            addEvents(context, batch);
        }
        long stored = context.storedBytes();
        long keys = 0;
        for (ChangedKey key : context.keys()) {
            pending.put(key.key(), key.now(), batch.number());
            if (key.isChanged()) {
                stored += addVersions(key, context.early(), batch);
                keys += (key.now().exists() ? 1 : 0) - (key.before().exists() ? 1 : 0);
            } else {
                batch.head(key.key(), key.now()); // its tombstone was dropped
            }
        }
        context.earlyVersions().forEach(version -> addEarly(version, batch));
        context.records()
                .forEach(
                        (internalKey, value) -> {
                            pending.putRecord(internalKey, value, batch.number());
                            batch.record(internalKey, value);
                        });
        batch.addTotals(stored, keys);
    }

    /** Replaces the head and moves the old one to the history; returns the bytes that this adds. */
    private long addVersions(ChangedKey key, EarlyHistory early, CommitBatch batch) {
        HeadRecord head = key.now();
        batch.head(key.key(), head);
        HeadRecord before = key.before();
        if (before.revision() == 0) {
            return coder.headKeyLength(key.key()) + (long) head.encodedLength();
        }
        if (early == null || !early.has(key.key(), before)) {
            batch.history(coder.historyKey(key.key(), before.revision()), before.encode());
        }
        return coder.historyKeyLength(key.key()) + (long) head.encodedLength();
    }

    private void addEarly(EarlyHistory.Version version, CommitBatch batch) {
        HeadRecord head = version.head();
        batch.early(coder.historyKey(version.key(), head.revision()), head.encode());
    }

    private static void addEvents(BufferedTxnContext context, CommitBatch batch) {
        long revision = context.revision() + 1;
        boolean inLogOnly = context.isInLogOnly();
        List<WatchEvent> events = new ArrayList<>(inLogOnly ? 0 : context.changes().size());
        for (Change change : context.changes()) {
            if (change.version().exists()) {
                batch.requireSpace();
            }
            batch.log(logEvent(change));
            if (!inLogOnly) {
                events.add(watchEvent(change));
            }
        }
        batch.events(new RevisionEvents(revision, events, inLogOnly));
    }

    private static LogEvent logEvent(Change change) {
        ChangedKey key = change.key();
        HeadRecord version = change.version();
        return new LogEvent(
                key.key(),
                version.revision(),
                version.sub(),
                !version.exists(),
                key.before().revision(),
                key.isFirst(version) ? key.before().encodedLength() : 0,
                key.isLast(version) ? null : version.encode());
    }

    private static WatchEvent watchEvent(Change change) {
        Bytes key = change.key().key();
        Bytes prevKv = change.key().before().encodedKv();
        HeadRecord version = change.version();
        long revision = version.revision();
        if (!version.exists()) {
            Bytes deleted = KeyValueCodec.encodeDeleted(key, revision);
            return new WatchEvent(key, revision, true, deleted, prevKv);
        }
        boolean created = version.kv().createRevision() == revision;
        return new WatchEvent(key, revision, false, version.encodedKv(), created ? null : prevKv);
    }
}
