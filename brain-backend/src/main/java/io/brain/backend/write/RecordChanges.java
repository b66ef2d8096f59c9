package io.brain.backend.write;

import io.brain.backend.model.TtlRules;
import io.brain.backend.runtime.Clock;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.txn.HeadRecord;
import io.brain.backend.wire.ByteWriter;
import io.brain.storage.Bytes;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** The metadata records that a proposal changes, by internal key. Sequencer thread only. */
final class RecordChanges {
    /** Value of an attachment record; only its key matters. */
    private static final Bytes ATTACHED = Bytes.wrap(new byte[] {1});

    private final KeyCoder coder;
    private final Supplier<TtlRules> ttlRules;
    private Map<Bytes, Bytes> values = Map.of();
    private long batchBytes;

    RecordChanges(KeyCoder coder, Supplier<TtlRules> ttlRules) {
        this.coder = coder;
        this.ttlRules = ttlRules;
    }

    /** The new values; empty bytes for a removed record. */
    Map<Bytes, Bytes> values() {
        return values;
    }

    /** Estimated bytes of the records in a batch. */
    long batchBytes() {
        return batchBytes;
    }

    void put(Bytes internalKey, Bytes value) {
        if (value.isEmpty()) {
            throw new IllegalArgumentException("empty value for " + internalKey);
        }
        set(internalKey, value);
        batchBytes += internalKey.length() + value.length();
    }

    void delete(Bytes internalKey) {
        set(internalKey, Bytes.EMPTY);
    }

    /** Moves the attachment and the expiry record of a key to its new version. */
    void moved(Bytes key, HeadRecord before, HeadRecord now, Clock clock) {
        attach(key, before.lease(), now.lease());
        TtlRules rules = ttlRules.get();
        if (rules.isEmpty() || rules.find(key) == null) {
            return;
        }
        if (before.exists() && before.lease() == 0) {
            delete(coder.expiries().key(before.revision(), key));
        }
        if (now.exists() && now.lease() == 0) {
            Bytes time = new ByteWriter(Long.BYTES).putLong(clock.unixMillis()).finish();
            put(coder.expiries().key(now.revision(), key), time);
        }
    }

    private void attach(Bytes key, long before, long now) {
        if (before == now) {
            return;
        }
        if (before != 0) {
            delete(coder.attachments().key(before, key));
        }
        if (now != 0) {
            put(coder.attachments().key(now, key), ATTACHED);
        }
    }

    private void set(Bytes internalKey, Bytes value) {
        values = values.isEmpty() ? new HashMap<>() : values;
        values.put(internalKey, value);
    }
}
