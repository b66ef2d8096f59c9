package io.brain.server.auth;

import io.brain.storage.Bytes;
import java.util.Map;
import java.util.OptionalLong;

/** A state of authentication. */
record FakeAuthView(long revision, Bytes tokenKey, Map<String, Long> generations)
        implements Tokens.AuthView {
    static final Bytes KEY = Bytes.utf8("0123456789abcdef0123456789abcdef");

    static FakeAuthView of(long revision, Map<String, Long> generations) {
        return new FakeAuthView(revision, KEY, generations);
    }

    @Override
    public boolean enabled() {
        return true;
    }

    @Override
    public OptionalLong generation(String user) {
        Long generation = generations.get(user);
        return generation == null ? OptionalLong.empty() : OptionalLong.of(generation);
    }
}
