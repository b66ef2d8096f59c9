package io.brain.server.etcd;

import io.brain.proto.etcd.AuthGrpc;
import io.brain.proto.etcd.AuthenticateRequest;
import io.brain.proto.etcd.WatchResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors.CheckedForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.TimeUnit;

/**
 * Sends a user's token with each call, and gets another one after the server refused it: then the
 * call fails, and its repetition has the new token. The call that gets a token waits for it. While
 * authentication is not enabled, calls have no token. Thread-safe.
 */
final class TokenInterceptor implements ClientInterceptor {
    private static final Metadata.Key<String> TOKEN =
            Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER);
    private static final int LOGIN_SECONDS = 10;
    private static final String NO_TOKEN = "";

    private final ClusterClient.Login login;

    /** Null before the first call. */
    private volatile String token;

    TokenInterceptor(ClusterClient.Login login) {
        this.login = login;
    }

    @Override
    public <Q, R> ClientCall<Q, R> interceptCall(
            MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
        return new CheckedForwardingClientCall<>(next.newCall(method, options)) {
            @Override
            protected void checkedStart(Listener<R> listener, Metadata headers) {
                String sent = token(next);
                if (!sent.equals(NO_TOKEN)) {
                    headers.put(TOKEN, sent);
                }
                delegate().start(new Refusals<>(listener, sent), headers);
            }
        };
    }

    private synchronized String token(Channel channel) {
        if (token == null) {
            token = signIn(channel);
        }
        return token;
    }

    private String signIn(Channel channel) {
        AuthenticateRequest request =
                AuthenticateRequest.newBuilder()
                        .setName(login.user())
                        .setPassword(login.password())
                        .build();
        try {
            return AuthGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(LOGIN_SECONDS, TimeUnit.SECONDS)
                    .authenticate(request)
                    .getToken();
        } catch (StatusRuntimeException failed) {
            if (says(failed.getStatus().getDescription(), "authentication is not enabled")) {
                return NO_TOKEN;
            }
            throw failed;
        }
    }

    private static boolean isRefusal(String text) {
        return says(text, "invalid auth token")
                || says(text, "auth store is old")
                || says(text, "user name is empty");
    }

    private static boolean says(String text, String part) {
        return text != null && text.contains(part);
    }

    private synchronized void forget(String refused) {
        if (refused.equals(token)) {
            token = null;
        }
    }

    /** Notices that a token is not valid. */
    private final class Refusals<R> extends SimpleForwardingClientCallListener<R> {
        private final String sent;

        Refusals(ClientCall.Listener<R> listener, String sent) {
            super(listener);
            this.sent = sent;
        }

        @Override
        public void onMessage(R message) {
            if (message instanceof WatchResponse response
                    && isRefusal(response.getCancelReason())) {
                forget(sent);
            }
            super.onMessage(message);
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            if (status.getCode() == Status.Code.UNAUTHENTICATED
                    || isRefusal(status.getDescription())) {
                forget(sent);
            }
            super.onClose(status, trailers);
        }
    }
}
