package io.brain.admin.console;

import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** Answers ranges from keys in memory; counts requests, values and unreleased replies. */
final class StoredKeys {
    int requests;
    int valuesRead;
    int held;
    private final TreeMap<Bytes, Bytes> kvs = new TreeMap<>();

    StoredKeys put(String key, int valueBytes) {
        Bytes name = Bytes.utf8(key);
        kvs.put(name, KeyValueCodec.encode(name, 2, 2, 1, Bytes.wrap(new byte[valueBytes]), 0));
        return this;
    }

    CompletableFuture<Reply<OpResult.Range>> range(RangeQuery query) {
        requests++;
        if (query.span().key().isEmpty()) {
            throw new AssertionError("a node refuses an empty key");
        }
        List<Bytes> found =
                kvs.entrySet().stream()
                        .filter(e -> query.span().contains(e.getKey()))
                        .map(e -> e.getValue())
                        .toList();
        long limit = query.limit() == 0 ? Long.MAX_VALUE : query.limit();
        List<Bytes> shown = query.countOnly() ? List.of() : found.stream().limit(limit).toList();
        valuesRead += query.keysOnly() ? 0 : shown.size();
        boolean more = shown.size() < found.size();
        return CompletableFuture.completedFuture(
                reply(new OpResult.Range(9, shown, more, found.size())));
    }

    private Reply<OpResult.Range> reply(OpResult.Range answer) {
        held++;
        AtomicBoolean closed = new AtomicBoolean();
        return new Reply<>(
                answer,
                () -> {
                    if (!closed.getAndSet(true)) {
                        held--;
                    }
                });
    }
}
