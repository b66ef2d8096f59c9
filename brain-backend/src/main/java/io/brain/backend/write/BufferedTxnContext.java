package io.brain.backend.write;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.TtlRules;
import io.brain.backend.runtime.Clock;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.txn.EarlyHistory;
import io.brain.backend.txn.HeadRecord;
import io.brain.backend.txn.TxnContext;
import io.brain.backend.txn.WideDeleteException;
import io.brain.backend.wire.KeyValue;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Holds the changes of one proposal until {@link TxnApplier} applies them, or drops them. */
final class BufferedTxnContext implements TxnContext {
    /** Attached keys whose heads are fetched together. */
    private static final int FETCH = 128;

    /** Estimated bytes of a change in a batch, besides its key (three times) and KeyValues. */
    static final int CHANGE_OVERHEAD = 100;

    private static final int EVENT_OVERHEAD = 64;

    private final PendingState pending;
    private final KeyCoder coder;
    private final WriteSettings settings;
    private final Clock clock;
    private final long revision;

    /** Changed keys, in the order of their first change. */
    private final Map<Bytes, ChangedKey> keys = new LinkedHashMap<>(1);

    private final List<Change> changes = new ArrayList<>(1);
    private final RecordChanges records;
    private List<EarlyHistory.Version> earlyVersions = List.of();
    private EarlyHistory early;
    private List<Runnable> publications = List.of();
    private List<Runnable> undos = List.of();
    private long storedBytes;
    private long eventBytes;
    private long replacedBytes;
    private long batchBytes;

    BufferedTxnContext(
            PendingState pending,
            KeyCoder coder,
            WriteSettings settings,
            Clock clock,
            long revision) {
        this.pending = pending;
        this.coder = coder;
        this.settings = settings;
        this.clock = clock;
        this.revision = revision;
        this.records = new RecordChanges(coder, settings.ttlRules());
    }

    /** A version that the proposal made; a key may have several. */
    record Change(ChangedKey key, HeadRecord version) {}

    @Override
    public long revision() {
        return revision;
    }

    @Override
    public long headerRevision() {
        return changes.isEmpty() ? revision : revision + 1;
    }

    @Override
    public long nanos() {
        return clock.nanos();
    }

    @Override
    public TtlRules ttlRules() {
        return settings.ttlRules().get();
    }

    @Override
    public HeadRecord get(Bytes key) {
        ChangedKey changed = keys.get(key);
        return changed == null ? pending.get(key) : changed.now();
    }

    @Override
    public HeadRecord getCached(Bytes key) {
        ChangedKey changed = keys.get(key);
        return changed == null ? pending.getCached(key) : changed.now();
    }

    @Override
    public HeadRecord getBefore(Bytes key) {
        return pending.get(key);
    }

    @Override
    public Scan scan(KeySpan span) {
        NavigableMap<Bytes, HeadRecord> own = new TreeMap<>();
        for (ChangedKey changed : keys.values()) {
            if (span.contains(changed.key())) {
                own.put(changed.key(), changed.now());
            }
        }
        return pending.scan(span, own, settings.txnChangesMax());
    }

    @Override
    public Scan scanBefore(KeySpan span) {
        return pending.scan(span, new TreeMap<>(), settings.txnChangesMax());
    }

    @Override
    public HeadRecord put(Bytes key, Bytes value, long lease) {
        ChangedKey changed = changedKey(key, get(key));
        HeadRecord before = changed.now();
        KeyValue old = before.kv();
        long next = revision + 1;
        long created = old == null ? next : old.createRevision();
        long version = old == null ? 1 : old.version() + 1;
        Bytes kv = KeyValueCodec.encode(key, created, next, version, value, lease);
        HeadRecord head = new HeadRecord(next, changes.size(), KeyValue.decode(kv));
        change(changed, head);
        records.moved(key, before, head, clock);
        return head;
    }

    @Override
    public void delete(Bytes key, HeadRecord head) {
        if (!head.exists()) {
            throw new IllegalStateException("a key to delete does not exist: " + key);
        }
        HeadRecord tombstone = new HeadRecord(revision + 1, changes.size(), null);
        // Nobody asks for a replaced version that is neither written nor in an event.
        boolean bare = early != null && early.has(key, head) && isInLogOnly();
        change(changedKey(key, bare ? head.bare() : head), tombstone);
        records.moved(key, head, tombstone, clock);
    }

    @Override
    public boolean deleteIfFits(Bytes key, HeadRecord head) {
        boolean fits = fits(replacedBy(keys.get(key), head));
        if (fits) {
            delete(key, head);
        }
        return fits;
    }

    @Override
    public Bytes attachedKey(long lease, Bytes from) {
        List<Bytes> next = pending.attachedKeys(lease, from, records.values(), 1);
        return next.isEmpty() ? null : next.get(0);
    }

    @Override
    public boolean deleteAttached(long lease) {
        int most = settings.txnChangesMax();
        List<Bytes> candidates =
                pending.attachedKeys(lease, Bytes.EMPTY, records.values(), most + 1);
        for (int i = 0; i < candidates.size(); i++) {
            if (i % FETCH == 0) {
                pending.fetch(candidates.subList(i, Math.min(i + FETCH, candidates.size())));
            }
            Bytes key = candidates.get(i);
            HeadRecord head = get(key);
            if (head.exists() && head.lease() == lease) {
                if (!deleteIfFits(key, head)) {
                    return false;
                }
            }
        }
        return candidates.size() <= most;
    }

    @Override
    public Bytes record(Bytes internalKey) {
        Bytes value = records.values().get(internalKey);
        if (value == null) {
            return pending.record(internalKey);
        }
        return value.isEmpty() ? null : value;
    }

    @Override
    public void putRecord(Bytes internalKey, Bytes value) {
        records.put(internalKey, value);
    }

    @Override
    public void deleteRecord(Bytes internalKey) {
        records.delete(internalKey);
    }

    @Override
    public void writeEarly(EarlyHistory.Version version) {
        earlyVersions = earlyVersions.isEmpty() ? new ArrayList<>() : earlyVersions;
        earlyVersions.add(version);
        batchBytes += 2L * version.key().length() + version.head().encodedLength();
    }

    @Override
    public void useEarly(EarlyHistory known) {
        early = known;
    }

    @Override
    public void checkWidth(KeySpan span) {
        if (early == null && !span.single() && batchBytes > settings.wideBytes()) {
            throw new WideDeleteException(span);
        }
    }

    @Override
    public void dropTombstone(Bytes key) {
        HeadRecord tombstone = pending.get(key);
        if (keys.containsKey(key) || !tombstone.isTombstone()) {
            throw new IllegalStateException("not a tombstone: " + key);
        }
        keys.put(key, new ChangedKey(key, HeadRecord.ABSENT));
        storedBytes -= coder.headKeyLength(key) + (long) tombstone.encodedLength();
    }

    @Override
    public void addBytes(long delta) {
        storedBytes += delta;
    }

    @Override
    public void onPublished(Runnable action) {
        publications = publications.isEmpty() ? new ArrayList<>(1) : publications;
        publications.add(action);
    }

    @Override
    public void onFailed(Runnable undo) {
        undos = undos.isEmpty() ? new ArrayList<>(1) : undos;
        undos.add(undo);
    }

    /** Undoes effects outside of the context, last first. */
    void undo() {
        for (int i = undos.size() - 1; i >= 0; i--) {
            undos.get(i).run();
        }
    }

    Collection<ChangedKey> keys() {
        return keys.values();
    }

    List<Change> changes() {
        return changes;
    }

    /** Versions to write to the history before they are replaced. */
    List<EarlyHistory.Version> earlyVersions() {
        return earlyVersions;
    }

    /** Versions that the history has already; null if none are known. */
    EarlyHistory early() {
        return early;
    }

    /** Changed metadata records; empty bytes for a removed one. */
    Map<Bytes, Bytes> records() {
        return records.values();
    }

    List<Runnable> publications() {
        return publications;
    }

    List<Runnable> undos() {
        return undos;
    }

    /** Stored bytes added by {@link #addBytes} and {@link #dropTombstone}. */
    long storedBytes() {
        return storedBytes;
    }

    /** True if something has to be stored. */
    boolean hasChanges() {
        return !keys.isEmpty()
                || !records.values().isEmpty()
                || !earlyVersions.isEmpty()
                || storedBytes != 0;
    }

    /** Estimated bytes of the changes in a batch. */
    long batchBytes() {
        return batchBytes + records.batchBytes();
    }

    /** True if the events are too large for memory: watchers read them from the commit log. */
    boolean isInLogOnly() {
        return eventBytes > settings.revisionEventBytesMax();
    }

    private ChangedKey changedKey(Bytes key, HeadRecord head) {
        return keys.computeIfAbsent(key, absent -> new ChangedKey(absent, head));
    }

    private void change(ChangedKey changed, HeadRecord version) {
        int replaced = replacedBy(changed, changed.before());
        if (!fits(replaced)) {
            throw new BackendException(ErrorKind.REQUEST_TOO_LARGE);
        }
        changed.change(version);
        changes.add(new Change(changed, version));
        int key = changed.key().length();
        int kv = version.kvLength();
        replacedBytes += replaced;
        batchBytes += CHANGE_OVERHEAD + 3L * key + kv + replaced;
        eventBytes += EVENT_OVERHEAD + key + kv + changed.before().kvLength();
    }

    /** Bytes of the stored version that a change replaces: only the first change of a key does. */
    private static int replacedBy(ChangedKey changed, HeadRecord before) {
        return changed == null || !changed.isChanged() ? before.encodedLength() : 0;
    }

    /**
     * True if the revision may have one more change. A single one may exceed the limit of bytes.
     */
    private boolean fits(int replaced) {
        return changes.size() < settings.txnChangesMax()
                && (replacedBytes == 0 || replacedBytes + replaced <= settings.replacedBytesMax());
    }
}
