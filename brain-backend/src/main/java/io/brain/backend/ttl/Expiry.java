package io.brain.backend.ttl;

import io.brain.backend.model.TtlRules;
import io.brain.backend.model.TtlRules.Rule;
import io.brain.backend.runtime.BackendListener;
import io.brain.backend.store.KeyIndex;
import io.brain.backend.txn.HeadRecord;
import io.brain.backend.txn.Proposal;
import io.brain.backend.txn.TxnContext;
import io.brain.storage.Bytes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Deletes the keys of expiry records, in their order, as many as fit one revision, and the records;
 * returns their number. A key that has a newer version, or that no rule matches, only loses its
 * record.
 *
 * @param rules by which the records are due; if others apply by then, nothing is done
 */
record Expiry(TtlRules rules, List<ExpiryRecord> records, KeyIndex index, BackendListener listener)
        implements Proposal<Integer> {
    @Override
    public Answer<Integer> evaluate(TxnContext context) {
        if (!context.ttlRules().equals(rules)) {
            return Answer.of(0);
        }
        Map<String, Integer> expired = new HashMap<>();
        int done = 0;
        for (ExpiryRecord record : records) {
            HeadRecord head = context.get(record.key());
            Rule rule = rules.find(record.key());
            if (rule != null && head.exists() && head.revision() == record.revision()) {
                if (!context.deleteIfFits(record.key(), head)) {
                    break;
                }
                expired.merge(rule.pattern(), 1, Integer::sum);
            }
            context.deleteRecord(index.key(record.revision(), record.key()));
            done++;
        }
        context.onPublished(() -> expired.forEach(listener::keysExpired));
        return Answer.of(done);
    }

    @Override
    public void collectKeys(Consumer<Bytes> keys) {
        records.forEach(record -> keys.accept(record.key()));
    }
}
