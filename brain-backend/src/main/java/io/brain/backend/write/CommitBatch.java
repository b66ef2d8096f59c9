package io.brain.backend.write;

import io.brain.backend.model.RevisionEvents;
import io.brain.backend.store.Fence;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LogEvent;
import io.brain.storage.Bytes;
import io.brain.storage.Mutation;
import io.brain.storage.WriteBatch;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * TxnApplier that reach the engine together: what they change, what they tell, and who waits for
 * them. Filled turn by turn, then sealed with its fence, then sent. Sequencer thread only.
 */
final class CommitBatch {
    private final long number;

    /** What the batch replaces. */
    private final List<Mutation> history = new ArrayList<>();

    /** Stored newest version per changed key; empty where the key's tombstone goes. */
    private final Map<Bytes, Bytes> heads = new LinkedHashMap<>();

    /** Small records by internal key; empty bytes for a removal. */
    private final Map<Bytes, Bytes> small = new LinkedHashMap<>();

    private final List<LogEvent> log = new ArrayList<>();
    private final List<RevisionEvents> events = new ArrayList<>();
    private final List<Runnable> publications = new ArrayList<>();
    private final List<Runnable> undos = new ArrayList<>();
    private final List<Request<?>> requests = new ArrayList<>();
    private long bytes;
    private long storedBytes;
    private long liveKeys;
    private boolean needed;
    private boolean needsSpace;
    private Fence fence;
    private WriteBatch sealed;

    /** An empty batch; {@code number} is used once. */
    CommitBatch(long number) {
        this.number = number;
    }

    long number() {
        return number;
    }

    /** True if it has to reach the engine. */
    boolean isNeeded() {
        return needed;
    }

    /** Has it sent even if nothing changes: that it lands proves the leadership. */
    void need() {
        needed = true;
    }

    /** Roughly the bytes that the engine will get. */
    long bytes() {
        return bytes;
    }

    /** Has the batch refused while the engine has little space left. */
    void needSpace() {
        needsSpace = true;
    }

    /** A version that the batch replaces. */
    void history(Bytes historyKey, Bytes version) {
        history.add(new Mutation.Put(historyKey, version));
        grow(historyKey.length() + version.length());
    }

    /** A key's newest version; empty bytes: the key's tombstone is removed. */
    void head(Bytes key, Bytes version) {
        heads.put(key, version);
        grow(key.length() + version.length());
    }

    void small(Bytes internalKey, Bytes value) {
        small.put(internalKey, value);
        grow(internalKey.length() + value.length());
    }

    void log(LogEvent event, int lengthMax) {
        log.add(event);
        grow(lengthMax);
    }

    void events(RevisionEvents revision) {
        events.add(revision);
    }

    /** Adds to the accounts of stored bytes and of keys that exist. */
    void account(long moreBytes, long moreKeys) {
        storedBytes += moreBytes;
        liveKeys += moreKeys;
        needed = true;
    }

    void publications(List<Runnable> actions) {
        publications.addAll(actions);
    }

    void undos(List<Runnable> actions) {
        undos.addAll(actions);
    }

    /** {@code request} is answered when the batch is published, or ends as it ends. */
    void answers(Request<?> request) {
        requests.add(request);
    }

    /**
     * Ends the filling.
     *
     * @param before the fence that the batch before this one leaves
     * @param revision the last revision dealt
     */
    void seal(KeyCoder coder, Fence before, long revision, int logPartBytes) {
        fence = before.next(number, revision, storedBytes, liveKeys);
        WriteBatch.Builder out = WriteBatch.builder();
        out.compareAndSet(coder.fenceKey(), before.encode(), fence.encode());
        history.forEach(out::add);
        heads.forEach((key, version) -> putOrDelete(coder.headKey(key), version, out));
        small.forEach((key, value) -> putOrDelete(key, value, out));
        LogParts.cut(log, coder, logPartBytes, out);
        if (needsSpace) {
            out.needsSpace();
        }
        sealed = out.build();
        history.clear();
        log.clear();
    }

    /** The fence that the batch leaves; once sealed. */
    Fence fence() {
        return fence;
    }

    /** What the engine gets; once sealed. */
    WriteBatch sealed() {
        return sealed;
    }

    Set<Bytes> changedKeys() {
        return heads.keySet();
    }

    Set<Bytes> changedSmall() {
        return small.keySet();
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

    /** The batch is durable: nothing of it is ever undone. */
    void landed() {
        undos.clear();
    }

    /** Undoes what its proposals did outside, last first; each once. */
    void undo() {
        while (!undos.isEmpty()) {
            undos.remove(undos.size() - 1).run();
        }
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
        needed = true;
    }
}
