package io.brain.server.etcd;

import io.brain.options.Endpoints;
import io.brain.server.tls.ClientIdentity;
import io.brain.transfer.mirror.SourceCluster;
import io.grpc.Channel;
import io.grpc.ChannelCredentials;
import io.grpc.ClientInterceptors;
import io.grpc.ConnectivityState;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Calls one server of a running cluster of Brain or etcd: the first that can be reached. */
public final class ClusterClient implements Closeable {
    private static final int ALIVE_SECONDS = 30;
    private static final int ALIVE_ANSWER_SECONDS = 10;
    private static final int RECONNECT_MILLIS = 200;
    private static final int MESSAGE_BYTES_MAX = 64 << 20;

    private final Endpoints servers;
    private final ManagedChannel channel;
    private final Channel calls;

    /**
     * Files for TLS, PEM.
     *
     * @param trusted CA bundle that verifies the server; null: Java's default
     * @param certificate client certificate; null for none
     * @param key its private key; null for none
     */
    public record Tls(Path trusted, Path certificate, Path key) {
        private ChannelCredentials of(Endpoints servers)
                throws GeneralSecurityException, IOException {
            return servers.isSecure()
                    ? ClientIdentity.credentials(trusted, certificate, key)
                    : InsecureChannelCredentials.create();
        }
    }

    /** A user and the password, which is in no text. */
    public record Login(String user, String password) {
        /**
         * Reads the password.
         *
         * @param user null: nobody
         * @return null: nobody
         */
        public static Login read(String user, Path passwordFile) throws IOException {
            return user == null ? null : new Login(user, Files.readString(passwordFile).strip());
        }

        @Override
        public String toString() {
            return user;
        }
    }

    /**
     * Creates a client, which connects with its first call.
     *
     * @param tls used for https
     * @param login null: calls without a token
     */
    public ClusterClient(Endpoints servers, Tls tls, Login login)
            throws IOException, GeneralSecurityException {
        this.servers = servers;
        channel =
                Grpc.newChannelBuilder(ListedServers.target(servers.urls()), tls.of(servers))
                        .maxInboundMessageSize(MESSAGE_BYTES_MAX)
                        .keepAliveTime(ALIVE_SECONDS, TimeUnit.SECONDS)
                        .keepAliveTimeout(ALIVE_ANSWER_SECONDS, TimeUnit.SECONDS)
                        .build();
        calls =
                login == null
                        ? channel
                        : ClientInterceptors.intercept(channel, new TokenInterceptor(login));
        reconnectSoon();
    }

    /** gRPC itself would wait for up to two minutes before it connects again. */
    private void reconnectSoon() {
        ConnectivityState state = channel.getState(false);
        if (state == ConnectivityState.SHUTDOWN) {
            return;
        }
        if (state == ConnectivityState.TRANSIENT_FAILURE) {
            CompletableFuture.delayedExecutor(RECONNECT_MILLIS, TimeUnit.MILLISECONDS)
                    .execute(channel::resetConnectBackoff);
        }
        channel.notifyWhenStateChanged(state, this::reconnectSoon);
    }

    /** For other calls. */
    public Channel channel() {
        return calls;
    }

    /** For calls that have a token of their own, or none. */
    public Channel withoutLogin() {
        return channel;
    }

    /** Its data and alarms. */
    public SourceCluster cluster() {
        return new SourceCluster(servers.toString(), calls);
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
