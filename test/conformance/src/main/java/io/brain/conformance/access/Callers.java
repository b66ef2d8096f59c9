package io.brain.conformance.access;

import com.google.protobuf.Message;
import io.brain.conformance.compare.Entry;
import io.brain.conformance.script.Outcome;
import io.brain.conformance.script.Session;
import io.brain.conformance.script.Wire;
import io.brain.proto.etcd.AuthGrpc;
import io.brain.proto.etcd.AuthenticateRequest;
import io.brain.proto.etcd.AuthenticateResponse;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Calls of several users in one session. Answers are noted, tokens are not. For one thread. */
public final class Callers {
    /** Caller without a token. */
    public static final String NOBODY = "nobody";

    /** Answers that differ from server to server: that there is one is noted. */
    private static final Set<String> NOT_COMPARED =
            Set.of("Status", "Hash", "HashKV", "Snapshot", "MemberList", "Downgrade");

    private static final Metadata.Key<String> TOKEN = key("token");
    private static final Metadata.Key<String> AUTHORIZATION = key("authorization");

    private final Session session;
    private final Map<String, String> tokens = new LinkedHashMap<>();

    /** Creates callers without tokens, and two with wrong ones. */
    public Callers(Session session) {
        this.session = session;
        tokens.put("forger", "abcdefghijklmnop.1");
        tokens.put("babbler", "no token");
    }

    /** Signs in, and notes how that ends. A refused caller keeps its last token. */
    public void login(String user, String password) {
        Outcome<AuthenticateResponse> outcome =
                session.unrecorded()
                        .call(
                                AuthGrpc.getAuthenticateMethod(),
                                AuthenticateRequest.newBuilder()
                                        .setName(user)
                                        .setPassword(password)
                                        .build());
        if (outcome instanceof Outcome.Answer<AuthenticateResponse> answer) {
            tokens.put(user, answer.message().getToken());
            session.note(
                    user + " signs in",
                    answer.message().toBuilder()
                            .setToken(answer.message().getToken().isEmpty() ? "" : "a token")
                            .build());
        } else {
            session.note(user + " signs in", outcome.comparable());
        }
    }

    /** Remembers a user's present token as that of another caller. */
    public void keep(String user, String caller) {
        tokens.put(caller, tokens.getOrDefault(user, ""));
    }

    /** Gives a caller a token that no server has issued. */
    public void give(String caller, String token) {
        tokens.put(caller, token);
    }

    /** Calls with the caller's token, and notes the answer, or the first one of a stream. */
    public <Q extends Message, A extends Message> Outcome<A> call(
            String caller, MethodDescriptor<Q, A> method, Q request) {
        return call(caller, TOKEN, "", method, request);
    }

    /** As {@link #call}, with the token in the header that HTTP clients use. */
    public <Q extends Message, A extends Message> Outcome<A> callAuthorized(
            String caller, String scheme, MethodDescriptor<Q, A> method, Q request) {
        return call(caller, AUTHORIZATION, scheme, method, request);
    }

    private <Q extends Message, A extends Message> Outcome<A> call(
            String caller,
            Metadata.Key<String> header,
            String scheme,
            MethodDescriptor<Q, A> method,
            Q request) {
        Outcome<A> outcome =
                method.getType() == MethodType.UNARY
                        ? wire(caller, header, scheme).call(method, request)
                        : wire(caller, header, scheme).first(method, request);
        String name = method.getBareMethodName();
        boolean hidden = outcome instanceof Outcome.Answer && NOT_COMPARED.contains(name);
        session.note(
                caller + ": " + name + " { " + Entry.show(request) + "}",
                hidden ? "answered" : outcome.comparable());
        return outcome;
    }

    private Wire wire(String caller, Metadata.Key<String> header, String scheme) {
        return session.unrecorded().with(metadata(caller, header, scheme));
    }

    /** What a stream of the caller begins with; its present token. */
    Metadata metadata(String caller) {
        return metadata(caller, TOKEN, "");
    }

    private Metadata metadata(String caller, Metadata.Key<String> header, String scheme) {
        Metadata metadata = new Metadata();
        String token = tokens.get(caller);
        if (token != null) {
            metadata.put(header, scheme + token);
        }
        return metadata;
    }

    private static Metadata.Key<String> key(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }
}
