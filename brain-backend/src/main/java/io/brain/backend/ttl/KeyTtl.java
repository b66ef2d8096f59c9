package io.brain.backend.ttl;

import io.brain.backend.model.TtlRules;
import io.brain.backend.model.TtlRules.Rule;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.Store;
import io.brain.backend.txn.HeadRecord;
import io.brain.storage.Bytes;
import io.brain.storage.Snapshot;

/**
 * When a key expires by a rule.
 *
 * @param rule the rule that matches the key; null if none does: nothing else is known then
 * @param revision mod revision; 0 if the key does not exist
 * @param lease its lease; 0 if it has none
 * @param written time of its newest version, in milliseconds since 1970; 0 if it has no deadline:
 *     it does not exist, has a lease, or no rule matched it when it was written
 * @param now time of the answer, in milliseconds since 1970
 */
public record KeyTtl(Rule rule, long revision, long lease, long written, long now) {
    /** Reads the newest state of a key; blocks. */
    public static KeyTtl read(Store store, Bytes key, TtlRules rules, long now) {
        Rule rule = rules.find(key);
        if (rule == null) {
            return new KeyTtl(null, 0, 0, 0, now);
        }
        KeyCoder coder = store.coder();
        try (Snapshot snapshot = store.open()) {
            HeadRecord head = HeadRecord.of(snapshot.get(coder.headKey(key)));
            if (!head.exists()) {
                return new KeyTtl(rule, 0, 0, 0, now);
            }
            Bytes record = snapshot.get(coder.expiries().key(head.revision(), key));
            long written = record == null ? 0 : ExpiryRecord.written(record);
            return new KeyTtl(rule, head.revision(), head.lease(), written, now);
        }
    }

    /** True if the key expires. */
    public boolean expires() {
        return written != 0;
    }

    /** Time of expiry, in milliseconds since 1970; only if {@link #expires}. */
    public long deadline() {
        return written + rule.ttl().toMillis();
    }
}
