package io.brain.backend.write;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.runtime.Clock;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.txn.HeadRecord;
import io.brain.backend.txn.TxnContext;
import io.brain.backend.wire.KeyValue;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** A turn that keeps its changes to itself until it is over; made anew for each proposal. */
final class BufferedTxnContext implements TxnContext {
    /** Stored where a key is attached to a lease; what counts is the record's key. */
    private static final Bytes ATTACHED = Bytes.wrap(new byte[] {1});

    /** Keys whose records are fetched together by what works through a long list. */
    private static final int FETCH = 128;

    /** Roughly what a change takes in a batch besides its key (three times) and its KeyValue. */
    private static final int BYTES_PER_CHANGE = 100;

    private final PendingView before;
    private final KeyCoder coder;
    private final WriteSettings settings;
    private final Clock clock;
    private final long revision;

    /** Keys that this turn changed, by key and in the order they were first changed. */
    private final Map<Bytes, OwnKey> own = new LinkedHashMap<>(1);

    private final List<Change> changes = new ArrayList<>(1);
    private Map<Bytes, Bytes> small = Map.of();
    private List<Runnable> publications = List.of();
    private List<Runnable> undos = List.of();

    private long storedBytes;
    private long eventBytes;
    private long replacedBytes;
    private boolean heavy;
    private long bytes;

    BufferedTxnContext(
            PendingView before,
            KeyCoder coder,
            WriteSettings settings,
            Clock clock,
            long revision) {
        this.before = before;
        this.coder = coder;
        this.settings = settings;
        this.clock = clock;
        this.revision = revision;
    }

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
    public HeadRecord get(Bytes key) {
        OwnKey changed = own.get(key);
        return changed == null ? before.get(key) : changed.now();
    }

    @Override
    public HeadRecord known(Bytes key) {
        OwnKey changed = own.get(key);
        return changed == null ? before.known(key) : changed.now();
    }

    @Override
    public HeadRecord getBefore(Bytes key) {
        return before.get(key);
    }

    @Override
    public void prefetch(List<Bytes> keys) {
        before.prefetch(keys);
    }

    @Override
    public List<Bytes> keys(KeySpan span) {
        if (span.single()) {
            return get(span.key()).exists() ? List.of(span.key()) : List.of();
        }
        SortedMap<Bytes, HeadRecord> mine = Collections.emptySortedMap();
        if (!own.isEmpty()) {
            mine = new TreeMap<>();
            for (Map.Entry<Bytes, OwnKey> entry : own.entrySet()) {
                mine.put(entry.getKey(), entry.getValue().now());
            }
        }
        return before.keys(span, mine, settings.txnChangesMax());
    }

    @Override
    public List<Bytes> keysBefore(KeySpan span) {
        if (span.single()) {
            return getBefore(span.key()).exists() ? List.of(span.key()) : List.of();
        }
        return before.keys(span, Collections.emptySortedMap(), settings.txnChangesMax());
    }

    @Override
    public boolean deleteAttached(long lease) {
        SortedMap<Bytes, Bytes> mine =
                small.isEmpty() ? Collections.emptySortedMap() : new TreeMap<>(small);
        int most = settings.txnChangesMax();
        List<Bytes> candidates = before.attachments(lease, mine, most + 1);
        for (int i = 0; i < candidates.size(); i++) {
            if (i % FETCH == 0) {
                prefetch(candidates.subList(i, Math.min(i + FETCH, candidates.size())));
            }
            Bytes key = candidates.get(i);
            HeadRecord record = get(key);
            if (record.exists() && record.kv().lease() == lease) {
                OwnKey changed = own.get(key);
                OwnKey target = changed == null ? new OwnKey(record) : changed;
                if (changes.size() >= most || !hasRoom(target)) {
                    return false;
                }
                delete(key);
            }
        }
        return candidates.size() <= most;
    }

    @Override
    public HeadRecord put(Bytes key, Bytes value, long lease) {
        OwnKey target = change(key);
        KeyValue old = target.now().kv();
        long next = revision + 1;
        long created = old == null ? next : old.createRevision();
        long version = old == null ? 1 : old.version() + 1;
        Bytes kv = KeyValueCodec.encode(key, created, next, version, value, lease);
        HeadRecord record = new HeadRecord(next, changes.size(), KeyValue.decode(kv));
        changed(new Change(key, target, false, created, kv), record);
        attach(key, old == null ? 0 : old.lease(), lease);
        return record;
    }

    @Override
    public void delete(Bytes key) {
        OwnKey target = change(key);
        if (!target.now().exists()) {
            throw new IllegalStateException("a key to delete does not exist: " + key);
        }
        long lease = target.now().kv().lease();
        HeadRecord record = new HeadRecord(revision + 1, changes.size(), null);
        changed(new Change(key, target, true, 0, Bytes.EMPTY), record);
        attach(key, lease, 0);
    }

    @Override
    public Bytes record(Bytes internalKey) {
        Bytes value = small.get(internalKey);
        if (value == null) {
            return before.small(internalKey);
        }
        return value.isEmpty() ? null : value;
    }

    @Override
    public void putRecord(Bytes internalKey, Bytes value) {
        if (value.isEmpty()) {
            throw new IllegalArgumentException("empty value for " + internalKey);
        }
        small().put(internalKey, value);
        bytes += internalKey.length() + value.length();
    }

    @Override
    public void deleteRecord(Bytes internalKey) {
        small().put(internalKey, Bytes.EMPTY);
    }

    @Override
    public void dropTombstone(Bytes key) {
        HeadRecord tombstone = before.get(key);
        if (own.containsKey(key) || !tombstone.isTombstone()) {
            throw new IllegalStateException("not a tombstone at the tip: " + key);
        }
        own.put(key, new OwnKey(HeadRecord.ABSENT));
        storedBytes -= coder.headKeyLength(key) + (long) tombstone.encodedLength();
    }

    @Override
    public void addBytes(long delta) {
        storedBytes += delta;
    }

    @Override
    public void onPublished(Runnable action) {
        if (publications.isEmpty()) {
            publications = new ArrayList<>(1);
        }
        publications.add(action);
    }

    @Override
    public void onFailed(Runnable undo) {
        if (undos.isEmpty()) {
            undos = new ArrayList<>(1);
        }
        undos.add(undo);
    }

    Map<Bytes, OwnKey> own() {
        return own;
    }

    List<Change> changes() {
        return changes;
    }

    Map<Bytes, Bytes> smallRecords() {
        return small;
    }

    List<Runnable> publications() {
        return publications;
    }

    List<Runnable> undos() {
        return undos;
    }

    /** What the turn adds to the account, besides what its changes do. */
    long storedBytes() {
        return storedBytes;
    }

    /** True if something of the turn has to reach the engine. */
    boolean hasChanges() {
        return !own.isEmpty() || !small.isEmpty() || storedBytes != 0;
    }

    /** Roughly the bytes that the turn adds to a batch. */
    long bytes() {
        return bytes;
    }

    /** True if the events of the turn are too heavy to be kept in memory. */
    boolean isHeavy() {
        return heavy;
    }

    /** The proposal failed: undoes what it did outside, last first. */
    void rollBack() {
        for (int i = undos.size() - 1; i >= 0; i--) {
            undos.get(i).run();
        }
    }

    private OwnKey change(Bytes key) {
        OwnKey target = own.get(key);
        if (target == null) {
            target = new OwnKey(before.get(key));
            own.put(key, target);
        }
        return target;
    }

    private void changed(Change change, HeadRecord record) {
        OwnKey target = change.target;
        if (changes.size() >= settings.txnChangesMax() || !hasRoom(target)) {
            throw new BackendException(ErrorKind.REQUEST_TOO_LARGE);
        }
        int replaced = replacedBy(target);
        replacedBytes += replaced;
        target.changes(changes.size(), record);
        changes.add(change);
        bytes += BYTES_PER_CHANGE + 3L * change.key.length() + change.kv.length() + replaced;
        eventBytes += 64L + change.key.length() + change.kv.length();
        eventBytes += target.prevKv() == null ? 0 : target.prevKv().length();
        heavy |= eventBytes > settings.revisionEventBytesMax();
    }

    /** True if the revision may replace what the key held before the turn. */
    private boolean hasRoom(OwnKey target) {
        return replacedBytes == 0
                || replacedBytes + replacedBy(target) <= settings.replacedBytesMax();
    }

    /** Bytes that the turn's next change of a key adds to those it replaces. */
    private static int replacedBy(OwnKey target) {
        return target.isUnchanged() ? target.before().encodedLength() : 0;
    }

    private void attach(Bytes key, long before, long now) {
        if (before == now) {
            return;
        }
        if (before != 0) {
            deleteRecord(coder.attachmentKey(before, key));
        }
        if (now != 0) {
            putRecord(coder.attachmentKey(now, key), ATTACHED);
        }
    }

    private Map<Bytes, Bytes> small() {
        if (small.isEmpty()) {
            small = new HashMap<>();
        }
        return small;
    }

    /**
     * One change; its place in the order of execution is its sub-revision.
     *
     * @param created create_revision; 0 for a delete
     * @param kv encoded KeyValue as it is stored; empty for a delete
     */
    record Change(Bytes key, OwnKey target, boolean delete, long created, Bytes kv) {}
}
