package io.brain.backend.auth;

import io.brain.backend.fair.Tenant;
import java.util.Objects;

/**
 * Who makes a call, as the server verified it.
 *
 * @param user empty for nobody, and for a certificate without a common name
 * @param authRevision the auth revision that the token was issued at, or of the call if its
 *     authentication has none; 0: the caller has no permissions of keys
 * @param tenant whose queue the call's requests wait in
 */
public record Caller(String user, long authRevision, Tenant tenant) {
    /** The server itself: a call without a token, a certificate or a connection. */
    public static final Caller NONE = of(Tenant.SERVER);

    /** Checks the name. */
    public Caller {
        Objects.requireNonNull(user, "user");
        Objects.requireNonNull(tenant, "tenant");
    }

    /**
     * A user.
     *
     * @param user not empty
     */
    public Caller(String user, long authRevision) {
        this(user, authRevision, Tenant.user(user));
    }

    /** Nobody, on a connection. */
    public static Caller of(Tenant connection) {
        return of("", 0, connection);
    }

    /** A user; without a name, its requests wait as those of the connection. */
    public static Caller of(String user, long authRevision, Tenant connection) {
        Tenant tenant = user.isEmpty() ? connection : Tenant.user(user);
        return new Caller(user, authRevision, tenant);
    }

    /** True if nobody is named. */
    public boolean isNone() {
        return user.isEmpty() && authRevision == 0;
    }
}
