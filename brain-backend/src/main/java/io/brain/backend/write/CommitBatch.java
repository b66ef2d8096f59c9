package io.brain.backend.write;

import io.brain.backend.model.RevisionEvents;
import io.brain.backend.store.Fence;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LogEntry;
import io.brain.backend.store.LogEvent;
import io.brain.backend.store.LogParts;
import io.brain.backend.txn.EarlyHistory;
import io.brain.backend.txn.HeadRecord;
import io.brain.storage.Bytes;
import io.brain.storage.Mutation;
import io.brain.storage.WriteBatch;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Changes that are committed together, and the requests whose answers depend on them. Filled, then
 * sealed with its fence, then sent. Sequencer thread only.
 */
final class CommitBatch {
    private final long number;

    /** Replaced versions. */
    private final List<Mutation> history = new ArrayList<>();

    /** Versions that are not replaced yet, by history key; see {@link EarlyHistory}. */
    private final Map<Bytes, Bytes> early = new LinkedHashMap<>();

    /** Heads by key; {@link HeadRecord#ABSENT} removes a tombstone. */
    private final Map<Bytes, HeadRecord> heads = new LinkedHashMap<>();

    /** Metadata records by internal key; empty bytes remove one. */
    private final Map<Bytes, Bytes> records = new LinkedHashMap<>();

    private final List<LogEvent> log = new ArrayList<>();
    private final List<RevisionEvents> events = new ArrayList<>();
    private final List<Runnable> publications = new ArrayList<>();
    private final List<Runnable> undos = new ArrayList<>();
    private final List<Request<?>> requests = new ArrayList<>();
    private long bytes;
    private long storedBytes;
    private long liveKeys;
    private boolean required;
    private boolean needsSpace;
    private Fence fence;
    private WriteBatch sealed;

    /** Creates an empty batch; a number is used once. */
    CommitBatch(long number) {
        this.number = number;
    }

    long number() {
        return number;
    }

    /** True if the batch has to be sent. */
    boolean isRequired() {
        return required;
    }

    /** Makes the batch be sent even without changes: its commit proves the leadership. */
    void require() {
        required = true;
    }

    /** Estimated size in bytes. */
    long bytes() {
        return bytes;
    }

    /** Marks the batch as one that an engine with little free space refuses. */
    void requireSpace() {
        needsSpace = true;
    }

    void early(Bytes historyKey, Bytes version) {
        early.put(historyKey, version);
        grow(historyKey.length() + version.length());
    }

    void history(Bytes historyKey, Bytes version) {
        early.remove(historyKey);
        history.add(new Mutation.Put(historyKey, version));
        grow(historyKey.length() + version.length());
    }

    void head(Bytes key, HeadRecord version) {
        heads.put(key, version);
        grow(key.length() + version.encodedLength());
    }

    void record(Bytes internalKey, Bytes value) {
        records.put(internalKey, value);
        grow(internalKey.length() + value.length());
    }

    void log(LogEvent event) {
        log.add(event);
        grow(LogEntry.encodedLengthMax(event));
    }

    void events(RevisionEvents revision) {
        events.add(revision);
    }

    /** Adds to the fence's numbers of stored bytes and of keys. */
    void addTotals(long moreBytes, long moreKeys) {
        storedBytes += moreBytes;
        liveKeys += moreKeys;
        required = true;
    }

    /** Adds a request that gets the outcome of this batch. */
    void add(Request<?> request, List<Runnable> onPublished, List<Runnable> onFailed) {
        requests.add(request);
        publications.addAll(onPublished);
        undos.addAll(onFailed);
    }

    /**
     * Ends the filling.
     *
     * @param before the fence of the previous batch
     * @param revision the last assigned revision
     * @param unixMillis the time of day
     */
    void seal(KeyCoder coder, Fence before, long revision, int logPartBytes, long unixMillis) {
        fence = before.next(number, revision, storedBytes, liveKeys);
        WriteBatch.Builder out = WriteBatch.builder();
        out.compareAndSet(coder.fenceKey(), before.encode(), fence.encode());
        early.forEach(out::put);
        history.forEach(out::add);
        heads.forEach((key, version) -> putOrDelete(coder.headKey(key), stored(version), out));
        records.forEach((key, value) -> putOrDelete(key, value, out));
        new LogParts(coder, unixMillis, logPartBytes, out::put).write(log);
        if (needsSpace) {
            out.needsSpace();
        }
        sealed = out.build();
        early.clear();
        history.clear();
        log.clear();
    }

    /** The batch's fence; once sealed. */
    Fence fence() {
        return fence;
    }

    /** The engine's batch; once sealed. */
    WriteBatch sealed() {
        return sealed;
    }

    Set<Bytes> changedKeys() {
        return heads.keySet();
    }

    Set<Bytes> changedRecords() {
        return records.keySet();
    }

    List<RevisionEvents> events() {
        return events;
    }

    List<Runnable> publications() {
        return publications;
    }

    List<Request<?>> requests() {
        return requests;
    }

    /** The batch is durable: nothing will be undone. */
    void dropUndos() {
        undos.clear();
    }

    /** Undoes what its proposals did outside of the store, last first. */
    void undo() {
        while (!undos.isEmpty()) {
            undos.remove(undos.size() - 1).run();
        }
    }

    private static Bytes stored(HeadRecord head) {
        return head.revision() == 0 ? Bytes.EMPTY : head.encode();
    }

    private static void putOrDelete(Bytes key, Bytes value, WriteBatch.Builder out) {
        if (value.isEmpty()) {
            out.delete(key);
        } else {
            out.put(key, value);
        }
    }

    private void grow(long more) {
        bytes += more;
        required = true;
    }
}
