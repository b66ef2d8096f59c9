package io.brain.transfer.load;

import io.brain.backend.store.ImportRecord.Progress;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LogEntry;
import io.brain.backend.store.LogEvent;
import io.brain.backend.store.LogParts;
import io.brain.storage.Bytes;
import io.brain.storage.Mutation;
import io.brain.transfer.etcd.EtcdChange;
import io.brain.transfer.etcd.EtcdException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Turns changes into what the server would have stored. Up to the compacted revision it keeps the
 * newest version of each key, as a finished compaction does: deletes below it and what was replaced
 * are dropped. Above it, replaced versions go to the history and every change to the commit log,
 * which begins with the compacted revision.
 */
final class BatchFiller {
    /** Value of an attachment record; only its key matters. */
    private static final Bytes ATTACHED = Bytes.wrap(new byte[] {1});

    /** As the server. */
    private static final int LOG_PART_BYTES = 512 << 10;

    /** A database does not say when a change was committed. */
    private static final long TIME_UNKNOWN = 0;

    /** What to store together. */
    record Batch(List<Mutation> mutations, Progress progress) {}

    private final KeyCoder coder;
    private final Heads heads;
    private final long compacted;
    private final List<Mutation> history = new ArrayList<>();

    /** Attachments by key of the record: true if it is to be stored, false if removed. */
    private final Map<Bytes, Boolean> attachments = new HashMap<>();

    private final List<LogEvent> log = new ArrayList<>();
    private long batchBytes;
    private long revision;
    private int sub;
    private boolean endsRevision = true;
    private long logRevision;
    private int logSub;

    /** Number of the next log entry of {@link #partRevision}; 0 if that is complete. */
    private int logPart;

    private long partRevision;
    private long bytes;
    private long keys;
    private long read;

    /**
     * Continues after what is stored.
     *
     * @param compacted -1 if nothing was compacted
     */
    BatchFiller(KeyCoder coder, Heads heads, long compacted, Progress stored) {
        this.coder = coder;
        this.heads = heads;
        this.compacted = compacted;
        revision = stored.revision();
        sub = stored.sub();
        logRevision = stored.logRevision();
        logSub = stored.logSub();
        logPart = stored.logPart();
        partRevision = stored.logRevision();
        bytes = stored.bytes();
        keys = stored.keys();
        read = stored.read();
    }

    /** What is stored before the first change. */
    static Progress start(long compacted) {
        return new Progress(0, -1, Math.max(1, compacted - 1), 0, 0, 0, 0, 0);
    }

    /** Estimated size of the batch. */
    long batchBytes() {
        return batchBytes;
    }

    /** Bytes of the changes so far. */
    long read() {
        return read;
    }

    /** True if the last change was the last of its revision. */
    boolean endsRevision() {
        return endsRevision;
    }

    /** Adds a change whose head was fetched. */
    void add(ChangeReader.Item item) throws EtcdException {
        EtcdChange change = item.change();
        Head before = heads.get(change.key());
        if (change.revision() <= compacted) {
            addCompacted(item, before);
        } else {
            if (item.first()) {
                checkFollows(change, before);
            }
            addReadable(item, before);
        }
        revision = change.revision();
        sub = change.sub();
        read += change.length();
        endsRevision = item.endsRevision();
    }

    private void addCompacted(ChangeReader.Item item, Head before) {
        EtcdChange change = item.change();
        if (!item.last()) {
            return;
        }
        boolean kept = !change.delete() || change.isMarker() || change.revision() == compacted;
        Head now = kept ? Head.of(change) : Head.ABSENT;
        bytes += headBytes(change.key(), now) - headBytes(change.key(), before);
        setHead(change.key(), before, now);
        if (change.revision() == compacted && !change.isMarker()) {
            log(change, 0, 0, null);
        }
    }

    private void addReadable(ChangeReader.Item item, Head before) {
        EtcdChange change = item.change();
        Head now = Head.of(change);
        int replacedBytes = item.first() ? before.stored().length() : 0;
        log(change, before.revision(), replacedBytes, item.last() ? null : now.stored());
        if (!item.last()) {
            return;
        }
        if (before.isAbsent()) {
            bytes += headBytes(change.key(), now);
        } else {
            Bytes historyKey = coder.historyKey(change.key(), before.revision());
            history.add(new Mutation.Put(historyKey, before.stored()));
            batchBytes += historyKey.length() + before.stored().length();
            bytes += historyKey.length() + now.stored().length();
        }
        setHead(change.key(), before, now);
    }

    /**
     * Checks that a change continues the key's version before. As for etcd, a delete may be the
     * first change of a key.
     */
    private static void checkFollows(EtcdChange change, Head before) throws EtcdException {
        boolean follows;
        if (change.delete()) {
            follows = before.exists() || before.isAbsent();
        } else if (before.exists()) {
            follows =
                    change.kv().version() == before.kv().version() + 1
                            && change.kv().createRevision() == before.kv().createRevision();
        } else {
            follows =
                    change.kv().version() == 1 && change.kv().createRevision() == change.revision();
        }
        if (!follows) {
            throw new EtcdException(
                    "%s: does not continue the version before of its key \"%s\""
                            .formatted(change.place(), change.key()));
        }
    }

    private void setHead(Bytes key, Head before, Head now) {
        heads.put(key, now);
        batchBytes += coder.headKeyLength(key) + now.stored().length();
        keys += (now.exists() ? 1 : 0) - (before.exists() ? 1 : 0);
        if (before.lease() != now.lease()) {
            attach(key, before.lease(), false);
            attach(key, now.lease(), true);
        }
    }

    private void attach(Bytes key, long lease, boolean attached) {
        if (lease != 0) {
            Bytes attachment = coder.attachments().key(lease, key);
            attachments.put(attachment, attached);
            batchBytes += attachment.length();
        }
    }

    private long headBytes(Bytes key, Head head) {
        return head.isAbsent() ? 0 : coder.headKeyLength(key) + head.stored().length();
    }

    private void log(EtcdChange change, long replaced, int replacedBytes, Bytes inline) {
        boolean same = change.revision() == logRevision && change.sub() == logSub + 1;
        boolean next = change.revision() == logRevision + 1 && change.sub() == 0;
        if (!same && !next) {
            boolean inside = change.sub() > 0;
            addLog(
                    LogEvent.gap(
                            inside ? change.revision() : change.revision() - 1,
                            inside ? change.sub() - 1 : 0));
        }
        addLog(
                new LogEvent(
                        change.key(),
                        change.revision(),
                        change.sub(),
                        change.delete(),
                        replaced,
                        replacedBytes,
                        inline));
    }

    private void addLog(LogEvent event) {
        log.add(event);
        batchBytes += LogEntry.encodedLengthMax(event);
        logRevision = event.revision();
        logSub = event.sub();
    }

    /** Adds what is missing in the log up to the newest revision: changes that were left out. */
    void endLog(long newest) {
        if (logRevision < newest) {
            addLog(LogEvent.gap(newest, 0));
        }
    }

    /** Ends the batch and starts the next one. */
    Batch drain() {
        List<Mutation> mutations = new ArrayList<>(history);
        heads.send().forEach((key, head) -> mutations.add(set(coder.headKey(key), head.stored())));
        attachments.forEach((key, kept) -> mutations.add(set(key, kept ? ATTACHED : Bytes.EMPTY)));
        writeLog((key, entry) -> mutations.add(new Mutation.Put(key, entry)));
        history.clear();
        attachments.clear();
        batchBytes = 0;
        return new Batch(
                mutations,
                new Progress(revision, sub, logRevision, logSub, logPart, bytes, keys, read));
    }

    /** A revision that the batch does not complete gets parts, here and in the next batches. */
    private void writeLog(BiConsumer<Bytes, Bytes> out) {
        LogParts parts = new LogParts(coder, TIME_UNKNOWN, LOG_PART_BYTES, out);
        int begun = logPart > 0 ? eventsBefore(partRevision + 1) : 0;
        writeParts(log.subList(0, begun), parts);
        int complete = endsRevision ? log.size() : Math.max(begun, eventsBefore(revision));
        parts.write(log.subList(begun, complete));
        if (endsRevision || partRevision != revision) {
            logPart = 0;
            partRevision = revision;
        }
        writeParts(log.subList(complete, log.size()), parts);
        log.clear();
    }

    private int eventsBefore(long end) {
        int count = 0;
        while (count < log.size() && log.get(count).revision() < end) {
            count++;
        }
        return count;
    }

    private void writeParts(List<LogEvent> events, LogParts parts) {
        if (!events.isEmpty()) {
            logPart = parts.split(events, logPart);
        }
    }

    private static Mutation set(Bytes key, Bytes value) {
        return value.isEmpty() ? new Mutation.Delete(key) : new Mutation.Put(key, value);
    }
}
