package io.brain.server.auth;

import io.brain.backend.auth.AuthState;
import io.brain.backend.auth.User;
import io.brain.storage.Bytes;
import java.util.OptionalLong;

/** A state of authentication as tokens see it. */
public record StateView(AuthState state) implements Tokens.AuthView {
    @Override
    public boolean enabled() {
        return state.enabled();
    }

    @Override
    public long revision() {
        return state.revision();
    }

    @Override
    public Bytes tokenKey() {
        return state.tokenKey();
    }

    @Override
    public OptionalLong generation(String name) {
        User user = state.user(name);
        return user == null ? OptionalLong.empty() : OptionalLong.of(user.generation());
    }
}
