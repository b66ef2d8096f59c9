package io.brain.backend.write;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.Store;
import io.brain.backend.txn.HeadRecord;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.Snapshot;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The existing keys of a wide span and their newest records, read ahead of the turn that asks for
 * them, while the sequencer goes on with other turns.
 *
 * <p>It begins on the sequencer thread: what is pending then may be missing in the snapshot that is
 * opened afterwards, and so is whatever changes from then on. These keys are noted, and looked up
 * at the tip when the turn comes; of all others the snapshot shows what the tip would.
 *
 * <p>{@link #read} runs on a reader thread, everything else on the sequencer's, and nothing but
 * {@link #note} before {@code read} has ended.
 */
final class SpanScan {
    /** What a key's event takes besides its bytes; as in {@link BufferedTxnContext}. */
    private static final int EVENT_BYTES = 64;

    private final KeySpan span;
    private final int keysMax;
    private final long kvBytesMax;

    /** Keys of the span that the snapshot may not show as they are. */
    private final Set<Bytes> changed = new HashSet<>();

    private final List<Bytes> keys = new ArrayList<>();
    private final List<HeadRecord> found = new ArrayList<>();
    private long kvBytes;
    private boolean overrun;

    /** Where the last key was found: they are asked for in order. */
    private int last;

    /**
     * A walk that is about to begin.
     *
     * @param keysMax keys that it may find, and that may change meanwhile
     * @param kvBytesMax bytes of KeyValues to keep
     */
    SpanScan(KeySpan span, int keysMax, long kvBytesMax) {
        this.span = span;
        this.keysMax = keysMax;
        this.kvBytesMax = kvBytesMax;
    }

    KeySpan span() {
        return span;
    }

    /** A key was changed, or is going to be. */
    void note(Bytes key) {
        if (!overrun && span.contains(key)) {
            changed.add(key);
            if (changed.size() > keysMax) {
                overrun = true;
                changed.clear();
            }
        }
    }

    /** True if so much was changed meanwhile that the walk is of no use. */
    boolean isOverrun() {
        return overrun;
    }

    /** Reads the span; blocks. */
    void read(Store store) {
        KeyCoder coder = store.coder();
        try (Snapshot snapshot = store.open();
                Cursor cursor = snapshot.cursor(coder.heads(span), Cursor.Direction.FORWARD)) {
            while (keys.size() <= keysMax && cursor.next()) {
                HeadRecord head = HeadRecord.of(cursor.value());
                if (head.exists()) {
                    add(coder.keyOfHead(cursor.key()), head);
                }
            }
        }
    }

    private void add(Bytes key, HeadRecord head) {
        kvBytes += EVENT_BYTES + key.length() + (long) head.encodedLength();
        keys.add(key);
        if (kvBytes <= kvBytesMax) {
            found.add(head);
        }
    }

    /** Keys to look up at the tip before {@link #keys} is asked. */
    Collection<Bytes> changed() {
        return changed;
    }

    /**
     * The existing keys at the tip, in order.
     *
     * @throws BackendException REQUEST_TOO_LARGE if there are too many
     */
    List<Bytes> keys(MergeIterator merged) {
        if (keys.size() > keysMax) {
            throw new BackendException(ErrorKind.REQUEST_TOO_LARGE);
        }
        keys.forEach(key -> merged.stored(key, true));
        return merged.finish();
    }

    /** The newest version of a key at the tip; null if the walk does not know it. */
    HeadRecord find(Bytes key) {
        int at = last;
        if (at >= keys.size() || !keys.get(at).equals(key)) {
            at++;
            if (at >= keys.size() || !keys.get(at).equals(key)) {
                at = Collections.binarySearch(keys, key);
            }
        }
        if (at < 0 || changed.contains(key)) {
            return null;
        }
        last = at;
        return at < found.size() ? found.get(at) : null;
    }
}
