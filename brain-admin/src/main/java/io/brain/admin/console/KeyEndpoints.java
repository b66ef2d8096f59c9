package io.brain.admin.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.RevisionFilter;
import io.brain.backend.model.RangeQuery.SortOrder;
import io.brain.backend.model.RangeQuery.SortTarget;
import io.brain.backend.read.Reply;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** Endpoints that show keys, values and their history; only for users that may read the data. */
final class KeyEndpoints {
    private static final long KEYS_MAX = 200;
    private static final int VALUE_BYTES_MAX = 64 << 10;

    /** Maximum number of versions of a key in an answer. */
    private static final int VERSIONS_MAX = 50;

    private final Function<RangeQuery, CompletableFuture<Reply<OpResult.Range>>> ranges;
    private final Executor executor;

    KeyEndpoints(
            Function<RangeQuery, CompletableFuture<Reply<OpResult.Range>>> ranges,
            Executor executor) {
        this.ranges = ranges;
        this.executor = executor;
    }

    /** The endpoints, by name. */
    Map<String, AdminEndpoint> endpoints() {
        return Map.of("keys", this::keys, "value", this::value, "history", this::history);
    }

    /** A page of the keys with a prefix. */
    private CompletableFuture<JsonObject> keys(Query query) {
        Bytes named = query.bytes("prefix");
        Bytes prefix = named == null ? Bytes.EMPTY : named;
        Bytes after = query.bytes("after");
        boolean further = after != null && after.compareTo(prefix) >= 0;
        Bytes first = prefix.isEmpty() ? KeyText.FIRST : prefix;
        Bytes from = further ? after.successor() : first;
        KeySpan span = new KeySpan(from, prefix.prefixEnd(), false);
        long limit = Math.max(1, query.number("limit", 50, KEYS_MAX));
        return read(query(span, revision(query), limit, true))
                .thenApply(
                        range -> {
                            JsonObject json = new JsonObject();
                            json.addProperty("revision", range.revision());
                            json.addProperty("count", range.count());
                            json.addProperty("more", range.more());
                            JsonArray keys = new JsonArray();
                            range.kvs().forEach(kv -> keys.add(version(KeyValue.decode(kv))));
                            json.add("keys", keys);
                            return json;
                        });
    }

    /** A key's value at a revision. */
    private CompletableFuture<JsonObject> value(Query query) {
        Bytes key = query.required("key");
        return read(query(KeySpan.of(key), revision(query), 1, false))
                .thenApply(
                        range -> {
                            JsonObject json = new JsonObject();
                            json.addProperty("revision", range.revision());
                            json.addProperty("found", !range.kvs().isEmpty());
                            for (Bytes kv : range.kvs()) {
                                json.add("version", sized(KeyValue.decode(kv)));
                                addValue(json, KeyValue.decode(kv));
                            }
                            return json;
                        });
    }

    /** The uncompacted versions of a key since its creation. */
    private CompletableFuture<JsonObject> history(Query query) {
        Bytes key = query.required("key");
        return new Versions(key).from(revision(query));
    }

    private static long revision(Query query) {
        return query.number("revision", 0, Long.MAX_VALUE);
    }

    private static RangeQuery query(KeySpan span, long revision, long limit, boolean keysOnly) {
        return new RangeQuery(
                span,
                limit,
                revision,
                SortOrder.NONE,
                SortTarget.KEY,
                keysOnly,
                false,
                true,
                RevisionFilter.NONE);
    }

    /** Releases the response budget before the answer is encoded. */
    private CompletableFuture<OpResult.Range> read(RangeQuery query) {
        return ranges.apply(query)
                .thenApply(
                        reply -> {
                            reply.held().close();
                            return reply.answer();
                        });
    }

    private static JsonObject version(KeyValue kv) {
        JsonObject json = new JsonObject();
        KeyText.add(json, kv.key());
        json.addProperty("createRevision", kv.createRevision());
        json.addProperty("modRevision", kv.modRevision());
        json.addProperty("version", kv.version());
        json.addProperty("lease", kv.lease() == 0 ? null : StatusEndpoint.hex(kv.lease()));
        return json;
    }

    private static JsonObject sized(KeyValue kv) {
        JsonObject json = version(kv);
        json.addProperty("valueBytes", kv.valueLength());
        return json;
    }

    private static void addValue(JsonObject json, KeyValue kv) {
        int shown = Math.min(kv.valueLength(), VALUE_BYTES_MAX);
        Bytes value = Bytes.copyOf(kv.encoded().array(), kv.valueFrom(), shown);
        String text = shown == kv.valueLength() ? KeyText.text(value) : null;
        json.addProperty("encoding", text == null ? "base64" : "text");
        json.addProperty(
                "value", text == null ? Base64.getEncoder().encodeToString(value.array()) : text);
        json.addProperty("truncated", shown < kv.valueLength());
    }

    /** Reads the versions of a key one by one, newest first. */
    private final class Versions {
        private final Bytes key;
        private final JsonArray found = new JsonArray();
        private final CompletableFuture<JsonObject> result = new CompletableFuture<>();

        private Versions(Bytes key) {
            this.key = key;
        }

        private CompletableFuture<JsonObject> from(long revision) {
            CompletionStage<OpResult.Range> read = read(query(KeySpan.of(key), revision, 1, false));
            read.whenCompleteAsync(this::next, executor);
            return result;
        }

        private void next(OpResult.Range range, Throwable failure) {
            try {
                advance(range, failure);
            } catch (RuntimeException broken) {
                result.completeExceptionally(broken);
            }
        }

        private void advance(OpResult.Range range, Throwable failure) {
            if (failure != null) {
                BackendException why = Failures.of(failure);
                if (why.kind() != ErrorKind.COMPACTED || found.isEmpty()) {
                    result.completeExceptionally(why);
                } else {
                    result.complete(history(false));
                }
                return;
            }
            if (range.kvs().isEmpty()) {
                result.complete(history(false));
                return;
            }
            KeyValue kv = KeyValue.decode(range.kvs().get(0));
            found.add(sized(kv));
            if (kv.version() == 1 || found.size() >= VERSIONS_MAX) {
                result.complete(history(kv.version() == 1));
            } else {
                var unused = from(kv.modRevision() - 1);
            }
        }

        private JsonObject history(boolean complete) {
            JsonObject json = new JsonObject();
            json.addProperty("complete", complete);
            json.add("versions", found);
            return json;
        }
    }
}
