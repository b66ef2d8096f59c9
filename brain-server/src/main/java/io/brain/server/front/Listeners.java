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

/** All that clients can connect to. */
public final class Listeners implements AutoCloseable {
    private final ClientListener clients;
    private final HttpListener pages;
    private final HttpListener metrics;

    /**
     * What is served over HTTP.
     *
     * @param clients to clients
     * @param metrics on addresses for metrics
     */
    public record Routes(HttpRoutes clients, HttpRoutes metrics) {}

    /**
     * Listeners; {@link #start} makes them listen.
     *
     * @param metrics may listen already
     * @throws IOException if certificates cannot be used
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
     * The listener for metrics, which can be started before there is anything else to serve.
     *
     * @param routes what it serves until then
     * @throws IOException if certificates cannot be used
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
     * Begins to listen, but for metrics: for clients last.
     *
     * @throws IOException if an address cannot be had
     */
    public void start() throws IOException {
        pages.start();
        clients.start();
    }

    /** The one that serves calls. */
    public ClientListener clients() {
        return clients;
    }

    /** The one for metrics. */
    public HttpListener metrics() {
        return metrics;
    }

    /** The one that serves HTTP alone to clients; it may have no address. */
    public HttpListener pages() {
        return pages;
    }

    /** Takes no more connections for pages; the others are stopped by themselves. */
    @Override
    public void close() throws IOException {
        pages.close();
    }
}
