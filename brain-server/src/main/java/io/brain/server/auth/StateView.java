package io.brain.server.auth;

import io.brain.backend.auth.AuthState;
import io.brain.backend.auth.User;
import io.brain.storage.Bytes;
import java.util.OptionalLong;

/** A state of authentication as tokens see it. */
public record StateView(AuthState state) implements Tokens.AuthView {
    /** True if a password of a user that matched in an earlier state matches in this one. */
    public boolean confirms(String user, StateView earlier) {
        return enabled()
                && tokenKey().equals(earlier.tokenKey())
                && generation(user).equals(earlier.generation(user));
    }

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
