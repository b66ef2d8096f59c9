package io.brain.backend.write;

import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.VersionRecord;
import io.brain.backend.txn.PinnedReader;
import io.brain.storage.Bytes;
import io.brain.storage.KvStorage;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Answers plain reads by a scan of everything; knows no order, filter or keys-only. */
public record ScanningReader(KvStorage storage, KeyCoder coder) implements PinnedReader {
    @Override
    public OpResult.Range readPinned(
            RangeQuery query,
            long revision,
            NavigableMap<Bytes, Bytes> overlay,
            long headerRevision) {
        NavigableMap<Bytes, Bytes> found = new TreeMap<>();
        StoredState.of(storage, coder)
                .keys
                .forEach(
                        (key, stored) -> {
                            var version = stored.versions.floorEntry(revision);
                            if (version != null && query.span().contains(key)) {
                                VersionRecord record = version.getValue();
                                found.put(key, record.kv());
                            }
                        });
        found.putAll(overlay);
        found.values().removeIf(Bytes::isEmpty);
        List<Bytes> kvs = new ArrayList<>(found.values());
        boolean more = query.limit() > 0 && kvs.size() > query.limit();
        if (query.countOnly()) {
            return new OpResult.Range(headerRevision, List.of(), false, found.size());
        }
        return new OpResult.Range(
                headerRevision,
                more ? kvs.subList(0, (int) query.limit()) : kvs,
                more,
                found.size());
    }
}
