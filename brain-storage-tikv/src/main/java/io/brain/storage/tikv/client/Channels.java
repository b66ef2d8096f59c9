package io.brain.storage.tikv.client;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.util.AdvancedTlsX509KeyManager;
import io.grpc.util.AdvancedTlsX509TrustManager;
import java.io.File;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The connections to the servers of one cluster. Thread-safe. */
final class Channels implements AutoCloseable {
    private static final int MESSAGE_BYTES_MAX = 512 << 20;
    private static final int KEEPALIVE_SECONDS = 10;
    private static final int KEEPALIVE_TIMEOUT_SECONDS = 3;

    /** The client pings on idle connections too: PD closes them, with a warning, after 30 s. */
    private static final int IDLE_SECONDS = 20;

    private static final int CERTIFICATE_RELOAD_SECONDS = 10;

    private final TikvSettings.Network network;
    private final ChannelCredentials credentials;

    /** Reloads certificates; null without TLS. */
    private final ScheduledExecutorService reloader;

    /** By host:port, after the translation of the address map. */
    private final Map<String, ManagedChannel> channels = new ConcurrentHashMap<>();

    private volatile boolean closed;

    /**
     * @throws StorageException kind REFUSED for a certificate or key that cannot be used
     */
    Channels(TikvSettings.Network network) {
        this.network = network;
        if (network.tls() == null) {
            reloader = null;
            credentials = InsecureChannelCredentials.create();
        } else {
            reloader =
                    Executors.newSingleThreadScheduledExecutor(
                            task -> {
                                Thread thread = new Thread(task, "tikv-certificates");
                                thread.setDaemon(true);
                                return thread;
                            });
            credentials = credentials(network.tls());
        }
    }

    private ChannelCredentials credentials(TikvSettings.Tls tls) {
        File ca = readable(tls.ca());
        File certificate = readable(tls.certificate());
        File key = readable(tls.key());
        try {
            AdvancedTlsX509TrustManager trusted = AdvancedTlsX509TrustManager.newBuilder().build();
            trusted.updateTrustCredentials(
                    ca, CERTIFICATE_RELOAD_SECONDS, TimeUnit.SECONDS, reloader);
            AdvancedTlsX509KeyManager own = new AdvancedTlsX509KeyManager();
            own.updateIdentityCredentials(
                    certificate, key, CERTIFICATE_RELOAD_SECONDS, TimeUnit.SECONDS, reloader);
            return TlsChannelCredentials.newBuilder().trustManager(trusted).keyManager(own).build();
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            throw refused("cannot use the certificates for TiKV: " + e.getMessage(), e);
        }
    }

    private File readable(String path) {
        File file = new File(path);
        if (!file.canRead()) {
            throw refused("cannot read the file for TiKV: " + path, null);
        }
        return file;
    }

    private StorageException refused(String message, Throwable cause) {
        reloader.shutdownNow();
        return new StorageException(Kind.REFUSED, message, cause);
    }

    /**
     * The channel to a server.
     *
     * @param address host:port, before the translation of the address map
     */
    ManagedChannel to(String address) {
        ManagedChannel channel = channels.computeIfAbsent(network.reached(address), this::open);
        if (closed) {
            channel.shutdownNow();
        }
        return channel;
    }

    private ManagedChannel open(String address) {
        return NettyChannelBuilder.forTarget("dns:///" + address, credentials)
                .maxInboundMessageSize(MESSAGE_BYTES_MAX)
                .keepAliveTime(KEEPALIVE_SECONDS, TimeUnit.SECONDS)
                .keepAliveTimeout(KEEPALIVE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .keepAliveWithoutCalls(true)
                .idleTimeout(IDLE_SECONDS, TimeUnit.SECONDS)
                .build();
    }

    /** Ends all calls; later ones fail. */
    @Override
    public void close() {
        closed = true;
        channels.values().forEach(ManagedChannel::shutdownNow);
        if (reloader != null) {
            reloader.shutdownNow();
        }
    }
}
