package io.brain.server.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.brain.backend.Backend;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.RangeQuery.RevisionFilter;
import io.brain.backend.model.RangeQuery.SortOrder;
import io.brain.backend.model.RangeQuery.SortTarget;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** Keys, values and what they were: facts that are for those who may see the data. */
final class KeyFacts {
    private static final long KEYS_MAX = 200;
    private static final int VALUE_BYTES_MAX = 64 << 10;

    /** Versions of a key that are looked up. */
    private static final int VERSIONS_MAX = 50;

    private final Backend backend;
    private final Executor executor;

    KeyFacts(Backend backend, Executor executor) {
        this.backend = backend;
        this.executor = executor;
    }

    /** By name. */
    Map<String, Fact> facts() {
        return Map.of("keys", this::keys, "value", this::value, "history", this::history);
    }

    /** Keys with a prefix, a page of them. */
    private CompletableFuture<JsonObject> keys(Question question) {
        Bytes named = question.bytes("prefix");
        Bytes prefix = named == null ? Bytes.EMPTY : named;
        Bytes after = question.bytes("after");
        boolean further = after != null && after.compareTo(prefix) >= 0;
        Bytes first = prefix.isEmpty() ? KeyText.FIRST : prefix;
        Bytes from = further ? after.successor() : first;
        KeySpan span = new KeySpan(from, prefix.prefixEnd(), false);
        long limit = Math.max(1, question.number("limit", 50, KEYS_MAX));
        return read(query(span, revision(question), limit, true))
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
    private CompletableFuture<JsonObject> value(Question question) {
        Bytes key = question.required("key");
        return read(query(KeySpan.of(key), revision(question), 1, false))
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

    /** The versions of a key since its creation, as far as they were not compacted. */
    private CompletableFuture<JsonObject> history(Question question) {
        Bytes key = question.required("key");
        return new Versions(key).from(revision(question));
    }

    private static long revision(Question question) {
        return question.number("revision", 0, Long.MAX_VALUE);
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

    /** What is read stays on the heap for a moment longer than it is held. */
    private CompletableFuture<OpResult.Range> read(RangeQuery query) {
        return backend.range(query)
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
        json.addProperty("lease", kv.lease() == 0 ? null : StatusFact.hex(kv.lease()));
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

    /** Looks up one version after the other, the newest first. */
    private final class Versions {
        private final Bytes key;
        private final JsonArray found = new JsonArray();
        private final CompletableFuture<JsonObject> told = new CompletableFuture<>();

        private Versions(Bytes key) {
            this.key = key;
        }

        private CompletableFuture<JsonObject> from(long revision) {
            CompletionStage<OpResult.Range> asked =
                    read(query(KeySpan.of(key), revision, 1, false));
            asked.whenCompleteAsync(this::next, executor);
            return told;
        }

        private void next(OpResult.Range range, Throwable failure) {
            try {
                goOn(range, failure);
            } catch (RuntimeException broken) {
                told.completeExceptionally(broken);
            }
        }

        private void goOn(OpResult.Range range, Throwable failure) {
            if (failure != null) {
                BackendException why = Failures.of(failure);
                if (why.kind() != ErrorKind.COMPACTED || found.isEmpty()) {
                    told.completeExceptionally(why);
                } else {
                    told.complete(history(false));
                }
                return;
            }
            if (range.kvs().isEmpty()) {
                told.complete(history(false));
                return;
            }
            KeyValue kv = KeyValue.decode(range.kvs().get(0));
            found.add(sized(kv));
            if (kv.version() == 1 || found.size() >= VERSIONS_MAX) {
                told.complete(history(kv.version() == 1));
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
