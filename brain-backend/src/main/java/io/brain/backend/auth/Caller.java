package io.brain.backend.auth;

import java.util.Objects;

/**
 * Who makes a call, as the server verified it.
 *
 * @param user empty for {@link #NONE}, and for a certificate without a common name
 * @param authRevision the auth revision that the token was issued at, or of the call if its
 *     authentication has none; 0: the caller has no permissions of keys
 */
public record Caller(String user, long authRevision) {
    /** A call without a token or a certificate. */
    public static final Caller NONE = new Caller("", 0);

    /** Checks the name. */
    public Caller {
        Objects.requireNonNull(user, "user");
    }

    /** True if nobody is named. */
    public boolean isNone() {
        return equals(NONE);
    }
}
