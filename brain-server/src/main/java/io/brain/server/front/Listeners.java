package io.brain.server.front;

import io.brain.server.config.BrainConfig;
import io.brain.server.config.BrainConfig.Endpoint;
import io.brain.server.config.BrainConfig.Urls;
import io.brain.server.etcd.EtcdServices;
import io.brain.server.http.HttpRoutes;
import io.brain.server.tls.TlsContexts;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.util.List;

/** All listeners of a server. */
public final class Listeners implements AutoCloseable {
    private final ClientListener clients;
    private final HttpListener pages;
    private final HttpListener metrics;

    /**
     * Routes by listener.
     *
     * @param clients of the client listener
     * @param metrics of the metrics listener
     */
    public record Routes(HttpRoutes clients, HttpRoutes metrics) {}

    /**
     * Creates the listeners; {@link #start} binds them.
     *
     * @param metrics may already be started
     * @throws IOException if certificates cannot be loaded
     */
    public Listeners(
            BrainConfig config,
            TlsContexts tls,
            EtcdServices services,
            Routes routes,
            HttpListener metrics,
            EventLoops loops)
            throws IOException {
        Urls urls = config.urls();
        SslContext forClients = isAnyOverTls(urls.clients()) ? tls.clients() : null;
        SslContext forPages = isAnyOverTls(urls.pages()) ? tls.pages() : null;
        HttpRoutes withCalls = urls.pages().isEmpty() ? routes.clients() : null;
        clients = new ClientListener(config, forClients, services, withCalls, loops);
        pages = new HttpListener(urls.pages(), forPages, routes.clients(), loops);
        this.metrics = metrics;
        metrics.serve(routes.metrics());
    }

    /**
     * Creates the metrics listener, which can be started first.
     *
     * @param routes initial routes
     * @throws IOException if certificates cannot be loaded
     */
    public static HttpListener metrics(
            BrainConfig config, TlsContexts tls, HttpRoutes routes, EventLoops loops)
            throws IOException {
        List<Endpoint> urls = config.urls().metrics();
        return new HttpListener(urls, isAnyOverTls(urls) ? tls.pages() : null, routes, loops);
    }

    private static boolean isAnyOverTls(List<Endpoint> endpoints) {
        return endpoints.stream().anyMatch(Endpoint::tls);
    }

    /**
     * Starts all listeners except metrics; the client listener last.
     *
     * @throws IOException if an address cannot be bound
     */
    public void start() throws IOException {
        pages.start();
        clients.start();
    }

    /** The client listener. */
    public ClientListener clients() {
        return clients;
    }

    /** The metrics listener. */
    public HttpListener metrics() {
        return metrics;
    }

    /** The HTTP-only client listener; it may have no address. */
    public HttpListener pages() {
        return pages;
    }

    /** Closes the HTTP-only client listener; the others are closed separately. */
    @Override
    public void close() throws IOException {
        pages.close();
    }
}
