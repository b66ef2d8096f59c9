package io.brain.backend.auth;

import io.brain.backend.fair.Tenant;
import io.brain.backend.model.BackendException;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Who makes a call, as the server verified it. Equal to another one whatever their verifiers are.
 *
 * @param user empty for nobody, and for a certificate without a common name
 * @param authRevision the auth revision that the token was issued at, or of the verification if the
 *     authentication has none; 0: the caller has no permissions of keys
 * @param tenant whose queue the call's requests wait in
 * @param verifier verifies the caller again, by what the server knows then; null: nothing can
 *     change
 */
public record Caller(String user, long authRevision, Tenant tenant, Supplier<Caller> verifier) {
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
        this(user, authRevision, Tenant.user(user), null);
    }

    /** Nobody, on a connection. */
    public static Caller of(Tenant connection) {
        return of("", 0, connection);
    }

    /** A user; without a name, its requests wait as those of the connection. */
    public static Caller of(String user, long authRevision, Tenant connection) {
        Tenant tenant = user.isEmpty() ? connection : Tenant.user(user);
        return new Caller(user, authRevision, tenant, null);
    }

    /** The same caller, who can be verified again. */
    public Caller verifiedBy(Supplier<Caller> again) {
        return new Caller(user, authRevision, tenant, again);
    }

    /**
     * The caller as the server verifies it now.
     *
     * @throws BackendException INVALID_AUTH_TOKEN
     */
    public Caller verifiedAgain() {
        return verifier == null ? this : verifier.get();
    }

    /** True if nobody is named. */
    public boolean isNone() {
        return user.isEmpty() && authRevision == 0;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Caller caller
                && user.equals(caller.user)
                && authRevision == caller.authRevision
                && tenant.equals(caller.tenant);
    }

    @Override
    public int hashCode() {
        return Objects.hash(user, authRevision, tenant);
    }
}
