package io.brain.server.console;

import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.server.FakeBackend;
import io.brain.storage.Bytes;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** Keys that a {@link FakeBackend} answers ranges from. */
final class StoredKeys {
    final FakeBackend backend = new FakeBackend();
    int requests;
    int valuesRead;
    private final TreeMap<Bytes, Bytes> kvs = new TreeMap<>();

    StoredKeys() {
        backend.onRange = this::answer;
    }

    StoredKeys put(String key, int valueBytes) {
        Bytes name = Bytes.utf8(key);
        kvs.put(name, KeyValueCodec.encode(name, 2, 2, 1, Bytes.wrap(new byte[valueBytes]), 0));
        return this;
    }

    private CompletableFuture<Reply<OpResult.Range>> answer() {
        RangeQuery query = backend.queries.remove();
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
                backend.reply(new OpResult.Range(9, shown, more, found.size())));
    }
}
