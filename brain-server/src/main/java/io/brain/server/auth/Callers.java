package io.brain.server.auth;

import io.brain.backend.auth.AuthState;
import io.brain.backend.auth.Caller;
import io.brain.backend.fair.Tenant;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.server.grpc.CallLimits;
import io.brain.server.grpc.Connection;
import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Metadata;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Finds out who calls: the user of the token, or else of the client certificate. It is decided
 * where the caller is needed, for each request of a stream again, as in etcd. Thread-safe.
 */
public final class Callers {
    /** Absent if the call has neither token nor certificate. */
    private static final Context.Key<Supplier<Caller>> KEY = Context.key("brain-caller");

    private static final Metadata.Key<String> TOKEN =
            Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    private static final String BEARER = "Bearer ";

    private final Supplier<AuthState> state;
    private final Tokens tokens;
    private final boolean certificates;

    /**
     * Creates the callers of a server.
     *
     * @param state the newest known one
     * @param certificates true if a client certificate names a user
     */
    public Callers(Supplier<AuthState> state, Tokens tokens, boolean certificates) {
        this.state = state;
        this.tokens = tokens;
        this.certificates = certificates;
    }

    /**
     * Who makes the call in whose gRPC context this runs; nobody while calls are not checked.
     *
     * @throws BackendException INVALID_AUTH_TOKEN
     */
    public static Caller current() {
        Supplier<Caller> caller = KEY.get();
        return caller == null ? Caller.of(connection()) : caller.get();
    }

    /** Whose the current call is without a user. */
    private static Tenant connection() {
        Connection current = CallLimits.currentConnection();
        return current == null ? Tenant.SERVER : current.tenant();
    }

    /**
     * The context in which a call is handled; {@code null} if nobody is named, for the current one.
     *
     * @param connection attributes of the call
     */
    Context context(Metadata headers, Attributes connection) {
        String named = first(headers, TOKEN);
        String text = named == null ? first(headers, AUTHORIZATION) : named;
        if (text != null) {
            String token = text.startsWith(BEARER) ? text.substring(BEARER.length()) : text;
            return with(owner -> ofToken(token, owner));
        }
        if (!certificates) {
            return null;
        }
        return CertificateUser.of(connection, headers)
                .map(name -> with(owner -> ofCertificate(name, owner)))
                .orElse(null);
    }

    /** The current context, with a caller who is verified whenever it is asked for. */
    private static Context with(Function<Tenant, Caller> verification) {
        Tenant connection = connection();
        Supplier<Caller> verifier =
                new Supplier<>() {
                    @Override
                    public Caller get() {
                        return verification.apply(connection).verifiedBy(this);
                    }
                };
        return Context.current().withValue(KEY, verifier);
    }

    /** The value that etcd takes of several; null if there is none. */
    private static String first(Metadata headers, Metadata.Key<String> key) {
        Iterable<String> values = headers.getAll(key);
        return values == null ? null : values.iterator().next();
    }

    private Caller ofToken(String token, Tenant connection) {
        AuthState now = state.get();
        if (!now.enabled()) {
            return Caller.of(connection);
        }
        return tokens.verify(token, new StateView(now))
                .map(user -> Caller.of(user.name(), user.authRevision(), connection))
                .orElseThrow(() -> new BackendException(ErrorKind.INVALID_AUTH_TOKEN));
    }

    private Caller ofCertificate(String name, Tenant connection) {
        AuthState now = state.get();
        return now.enabled() ? Caller.of(name, now.revision(), connection) : Caller.of(connection);
    }

    /**
     * Fails if the caller of the current context may not call a method.
     *
     * @throws BackendException with etcd's error
     */
    void require(MethodAccess.Need need) {
        AuthState now = state.get();
        if (!now.enabled()) {
            return;
        }
        switch (need) {
            case CALLER -> now.requireCaller(current());
            case ADMIN -> now.requireAdmin(current());
            case NOTHING, KEYS -> {}
        }
    }

    /** True while calls are checked and a client certificate names a user. */
    public boolean certificatesName() {
        return certificates && state.get().enabled();
    }
}
