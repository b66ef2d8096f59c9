package io.brain.admin.console;

import com.google.gson.JsonObject;
import io.brain.backend.Summaries;
import io.brain.backend.ttl.KeyTtl;
import io.brain.storage.Bytes;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/** Shows the rules of expiry, or when a key expires. */
final class TtlEndpoint implements AdminEndpoint {
    private static final double MILLIS_PER_SECOND = 1000;

    private final Summaries summaries;

    TtlEndpoint(Summaries summaries) {
        this.summaries = summaries;
    }

    @Override
    public CompletableFuture<JsonObject> answer(Query query) {
        Bytes key = query.bytes("key");
        if (!key.isEmpty()) {
            return summaries.ttl(key).thenApply(ttl -> key(key, ttl));
        }
        Json rules =
                new Json()
                        .addAllRows(
                                "rules",
                                summaries.ttlRules().rules(),
                                rule ->
                                        new Json()
                                                .add("rule", rule.pattern())
                                                .add("ttlSeconds", rule.ttl().toSeconds()));
        return CompletableFuture.completedFuture(rules.build());
    }

    private static JsonObject key(Bytes key, KeyTtl ttl) {
        boolean expires = ttl.expires();
        return new Json()
                .add("key", KeyText.of(key))
                .add("rule", ttl.rule() == null ? null : ttl.rule().pattern())
                .add("ttlSeconds", ttl.rule() == null ? null : ttl.rule().ttl().toSeconds())
                .add("modRevision", ttl.revision() == 0 ? null : ttl.revision())
                .add("lease", ttl.lease() == 0 ? null : Long.toHexString(ttl.lease()))
                .add("writtenAt", expires ? time(ttl.written()) : null)
                .add("expiresAt", expires ? time(ttl.deadline()) : null)
                .add(
                        "remainingSeconds",
                        expires
                                ? Math.max(0, ttl.deadline() - ttl.now()) / MILLIS_PER_SECOND
                                : null)
                .build();
    }

    private static String time(long unixMillis) {
        return Instant.ofEpochMilli(unixMillis).toString();
    }
}
