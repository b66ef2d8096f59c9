package io.brain.admin.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.KeySpan;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** Endpoints that show keys, values and their history; only for users who may read the data. */
final class KeyEndpoints {
    private static final long KEYS_MAX = 200;
    private static final int VALUE_BYTES_MAX = 64 << 10;

    /** Maximum number of versions of a key in an answer. */
    private static final int VERSIONS_MAX = 50;

    private final KeyReader reader;
    private final Executor executor;

    KeyEndpoints(KeyReader reader, Executor executor) {
        this.reader = reader;
        this.executor = executor;
    }

    /** A page of the keys with a prefix. */
    CompletableFuture<JsonObject> keys(Query query) {
        Bytes prefix = query.bytes("prefix");
        Bytes first = prefix.isEmpty() ? KeyReader.FIRST : prefix;
        Bytes after = query.bytes("after").successor();
        Bytes from = after.compareTo(first) > 0 ? after : first;
        KeySpan span = new KeySpan(from, prefix.prefixEnd(), false);
        long limit = Math.max(1, query.number("limit", 50, KEYS_MAX));
        return reader.keys(span, revision(query), limit)
                .thenApply(
                        range -> {
                            JsonArray keys = new JsonArray();
                            range.kvs().forEach(kv -> keys.add(key(KeyValue.decode(kv)).build()));
                            return new Json()
                                    .add("revision", range.revision())
                                    .add("count", range.count())
                                    .add("more", range.more())
                                    .add("keys", keys)
                                    .build();
                        });
    }

    /** A key's value at a revision. */
    CompletableFuture<JsonObject> value(Query query) {
        return reader.values(KeySpan.of(query.required("key")), revision(query), 1)
                .thenApply(
                        range -> {
                            Json json =
                                    new Json()
                                            .add("revision", range.revision())
                                            .add("found", !range.kvs().isEmpty());
                            range.kvs().forEach(kv -> addValue(json, KeyValue.decode(kv)));
                            return json.build();
                        });
    }

    /** The uncompacted versions of a key since its creation, newest first. */
    CompletableFuture<JsonObject> history(Query query) {
        JsonArray versions = new JsonArray();
        return collect(query.required("key"), revision(query), versions)
                .exceptionally(
                        failure -> {
                            if (Failures.isOf(ErrorKind.COMPACTED, failure)
                                    && !versions.isEmpty()) {
                                return false;
                            }
                            throw Failures.of(failure);
                        })
                .thenApply(
                        complete ->
                                new Json()
                                        .add("complete", complete)
                                        .add("versions", versions)
                                        .build());
    }

    /** Reads the versions of a key one by one; true if the last one created the key. */
    private CompletableFuture<Boolean> collect(Bytes key, long revision, JsonArray versions) {
        return reader.values(KeySpan.of(key), revision, 1)
                .thenComposeAsync(
                        range -> {
                            if (range.kvs().isEmpty()) {
                                return CompletableFuture.completedFuture(false);
                            }
                            KeyValue kv = KeyValue.decode(range.kvs().get(0));
                            versions.add(version(kv));
                            return kv.version() == 1 || versions.size() >= VERSIONS_MAX
                                    ? CompletableFuture.completedFuture(kv.version() == 1)
                                    : collect(key, kv.modRevision() - 1, versions);
                        },
                        executor);
    }

    private static long revision(Query query) {
        return query.number("revision", 0, Long.MAX_VALUE);
    }

    private static Json key(KeyValue kv) {
        String key64 = Base64.getUrlEncoder().withoutPadding().encodeToString(kv.key().array());
        return new Json()
                .add("key", KeyText.of(kv.key()))
                .add("key64", key64)
                .add("createRevision", kv.createRevision())
                .add("modRevision", kv.modRevision())
                .add("version", kv.version())
                .add("lease", kv.lease() == 0 ? null : Long.toHexString(kv.lease()));
    }

    private static JsonObject version(KeyValue kv) {
        return key(kv).add("valueBytes", kv.valueLength()).build();
    }

    private static void addValue(Json json, KeyValue kv) {
        int shown = Math.min(kv.valueLength(), VALUE_BYTES_MAX);
        Bytes value = Bytes.copyOf(kv.encoded().array(), kv.valueFrom(), shown);
        String text = shown == kv.valueLength() ? KeyText.text(value) : null;
        json.add("version", version(kv))
                .add("encoding", text == null ? "base64" : "text")
                .add(
                        "value",
                        text == null ? Base64.getEncoder().encodeToString(value.array()) : text)
                .add("truncated", shown < kv.valueLength());
    }
}
