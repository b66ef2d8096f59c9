package io.brain.storage.tikv.client;

import org.tikv.common.util.ChannelFactory;
import org.tikv.shade.io.grpc.ManagedChannel;

/** The connections to the servers of one cluster. Thread-safe. */
final class Channels implements AutoCloseable {
    private static final int MESSAGE_BYTES_MAX = 512 << 20;
    private static final int KEEPALIVE_SECONDS = 10;
    private static final int KEEPALIVE_TIMEOUT_SECONDS = 3;

    /** The client pings on idle connections too: PD closes them, with a warning, after 30 s. */
    private static final int IDLE_SECONDS = 20;

    private static final int CONNECTION_RECYCLE_SECONDS = 60;

    /** Interval of certificate reloads; with 0 the client disables TLS. */
    private static final int CERTIFICATE_RELOAD_SECONDS = 10;

    private final TikvSettings.Network network;
    private final ChannelFactory factory;

    Channels(TikvSettings.Network network) {
        this.network = network;
        TikvSettings.Tls tls = network.tls();
        this.factory =
                tls == null
                        ? new ChannelFactory(
                                MESSAGE_BYTES_MAX,
                                KEEPALIVE_SECONDS,
                                KEEPALIVE_TIMEOUT_SECONDS,
                                IDLE_SECONDS)
                        : new ChannelFactory(
                                MESSAGE_BYTES_MAX,
                                KEEPALIVE_SECONDS,
                                KEEPALIVE_TIMEOUT_SECONDS,
                                IDLE_SECONDS,
                                CONNECTION_RECYCLE_SECONDS,
                                CERTIFICATE_RELOAD_SECONDS,
                                tls.ca(),
                                tls.certificate(),
                                tls.key());
    }

    /**
     * The channel to a server.
     *
     * @param address host:port, before the translation of the address map
     */
    ManagedChannel to(String address) {
        return factory.getChannel(address, network::reached);
    }

    @Override
    public void close() {
        factory.close();
    }
}
