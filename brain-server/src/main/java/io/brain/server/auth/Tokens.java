package io.brain.server.auth;

import io.brain.storage.Bytes;
import java.util.Optional;
import java.util.OptionalLong;

/** Issues and verifies tokens. Thread-safe; never blocks. */
public interface Tokens {
    /** A token for a user whose password was verified under this state. */
    String issue(String user, AuthView state);

    /** Who it names, or empty: unknown, expired, forged, of an earlier generation. */
    Optional<TokenUser> verify(String token, AuthView state);

    /** The user that a token names, and the auth revision it was issued at. */
    record TokenUser(String name, long authRevision) {}

    /** What tokens need of the state of authentication. Immutable. */
    interface AuthView {
        boolean enabled();

        long revision();

        Bytes tokenKey();

        /** Empty: no such user. */
        OptionalLong generation(String user);
    }
}
