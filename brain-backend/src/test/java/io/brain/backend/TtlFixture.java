package io.brain.backend;

import io.brain.backend.model.TtlRules;
import io.brain.backend.runtime.BackendListener;
import io.brain.backend.ttl.ExpiryRecord;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A simulated node with rules of expiry, which a test can change. */
final class TtlFixture {
    final NodeFixture node;
    final Map<String, Integer> expired = new TreeMap<>();
    private TtlRules rules = TtlRules.NONE;

    TtlFixture(long seed, String rules) {
        node = new NodeFixture(seed);
        node.settings = node.settings.withTtlRules(() -> this.rules);
        node.listener =
                new BackendListener() {
                    @Override
                    public void keysExpired(String rule, int keys) {
                        expired.merge(rule, keys, Integer::sum);
                    }
                };
        setRules(rules);
    }

    void setRules(String text) {
        rules = TtlRules.parse(text);
    }

    TtlRules rules() {
        return rules;
    }

    long revision() {
        return node.node.status().revision();
    }

    /** The stored expiry records, in order. */
    List<ExpiryRecord> records() {
        var index = node.coder.expiries();
        List<ExpiryRecord> records = new ArrayList<>();
        try (Snapshot snapshot = node.storage.snapshot();
                Cursor cursor = snapshot.cursor(index.range(), Cursor.Direction.FORWARD)) {
            while (cursor.next()) {
                Bytes at = cursor.key();
                long written = ExpiryRecord.written(cursor.value());
                records.add(new ExpiryRecord(index.userKey(at), index.number(at), written));
            }
        }
        return records;
    }
}
