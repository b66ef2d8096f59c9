package io.brain.server;

import io.brain.server.auth.Authentication;
import io.brain.server.auth.TokenOptions;
import io.brain.server.config.BrainConfig;
import io.brain.server.config.CommandLineReader;
import io.brain.server.etcd.EtcdServices;
import io.brain.server.etcd.Snapshots;
import io.brain.server.front.EventLoops;
import io.brain.server.front.HttpListener;
import io.brain.server.front.Listeners;
import io.brain.server.gateway.Gateway;
import io.brain.server.http.HealthEndpoints;
import io.brain.server.http.HealthReads;
import io.brain.server.http.HttpRoutes;
import io.brain.server.http.Profiles;
import io.brain.server.logging.AccessLog;
import io.brain.server.metrics.MetricsPage;
import io.brain.server.placement.PlacementService;
import io.brain.server.tls.TlsContexts;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The listeners on a {@link FakeBackend}, on ports of the system's choice. */
public final class TestServer implements AutoCloseable {
    public final FakeBackend backend = new FakeBackend();

    /** Simulated age of the oldest pending write. */
    public final AtomicLong oldestWriteNanos = new AtomicLong();

    /** Divisor of the stall guard's times. */
    private volatile int haste = 1;

    /** Writes the databases that Snapshot sends. */
    public volatile Snapshots.Source snapshotSource = (after, file, sortFile, check) -> {};

    private final Snapshots snapshots =
            new Snapshots(
                    (after, file, sortFile, check) ->
                            snapshotSource.write(after, file, sortFile, check),
                    Path.of("target"),
                    Duration.ofSeconds(3),
                    () -> 1);

    private final EventLoops loops = new EventLoops(1);
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final MetricsPage page;
    private final Profiles profiles = new Profiles();
    private final Listeners listeners;
    private final ManagedChannel channel;

    /** Null without an access log. */
    public final AccessLog access;

    /** A server on https with the certificate "server" of {@code directory}. */
    public static TestServer secure(Path directory, String... more) throws IOException {
        List<String> args =
                new ArrayList<>(
                        List.of(
                                "--listen-client-urls=https://127.0.0.1:0",
                                "--cert-file=" + directory.resolve("server.crt"),
                                "--key-file=" + directory.resolve("server.key")));
        args.addAll(List.of(more));
        return new TestServer(args.toArray(String[]::new));
    }

    /** Simulated capacity of the store; negative for unknown. */
    public volatile long capacity = 4711;

    public TestServer(String... args) throws IOException {
        List<String> all =
                new ArrayList<>(
                        List.of(
                                "--name=m1",
                                "--listen-client-urls=http://127.0.0.1:0",
                                "--listen-metrics-urls=http://127.0.0.1:0",
                                "--advertise-client-urls=http://10.0.0.1:2379",
                                "--initial-advertise-peer-urls=http://10.0.0.1:2380"));
        all.addAll(List.of(args));
        BrainConfig config = CommandLineReader.read(all, Map.of()).config();
        BrainConfig.Access wanted = config.log().calls().access();
        access = wanted == null ? null : AccessLog.open(wanted);
        EtcdServices services =
                new EtcdServices(
                        backend,
                        this::schedule,
                        config,
                        authentication(config),
                        snapshots,
                        () -> capacity,
                        access,
                        null,
                        new PlacementService(null, Runnable::run));
        HealthReads healthReads = new HealthReads(backend, this::schedule, oldestWriteNanos::get);
        HealthEndpoints health = new HealthEndpoints(backend, healthReads, EtcdServices::describe);
        TlsContexts tls = new TlsContexts(config.urls().tls());
        page =
                new MetricsPage(
                        List.of(services.metrics(), health, TlsContexts.expiries(List.of(tls))));
        Listeners.Routes routes =
                new Listeners.Routes(
                        HttpRoutes.forClients(
                                health,
                                page,
                                config.urls().http(),
                                Gateway.of(services, config),
                                config.urls().http().profiles() ? profiles : null),
                        HttpRoutes.forMetrics(health, page));
        HttpListener metrics = Listeners.metrics(config, tls, routes.metrics(), loops);
        metrics.start();
        listeners = new Listeners(config, tls, services, routes, metrics, loops);
        listeners.start();
        channel = listeners.clients().addresses().isEmpty() ? null : connect();
    }

    private static Authentication authentication(BrainConfig config) {
        try {
            return Authentication.open(config.auth(), System::nanoTime);
        } catch (TokenOptions.InvalidException invalid) {
            throw new IllegalStateException(invalid);
        }
    }

    private ManagedChannel connect() {
        return NettyChannelBuilder.forAddress(address())
                .usePlaintext()
                .maxInboundMessageSize(1 << 30)
                .build();
    }

    private io.brain.backend.runtime.Scheduler.Timer schedule(
            Duration delay, java.util.concurrent.Executor executor, Runnable task) {
        long nanos = delay.toNanos() / haste;
        ScheduledFuture<?> scheduled =
                timer.schedule(() -> executor.execute(task), nanos, TimeUnit.NANOSECONDS);
        return () -> scheduled.cancel(false);
    }

    /** Reduces the time limit of clients that do not read to 1/100. */
    public void hurry() {
        haste = 100;
    }

    /** Stops the component that serves Snapshot. */
    public void stopSnapshots() {
        snapshots.close();
    }

    /** Address of the client listener. */
    public InetSocketAddress address() {
        return listeners.clients().addresses().get(0);
    }

    /** Address of the HTTP-only listener. */
    public InetSocketAddress pagesAddress() {
        return listeners.pages().addresses().get(0);
    }

    /** Address of the metrics listener. */
    public InetSocketAddress metricsAddress() {
        return listeners.metrics().addresses().get(0);
    }

    /** A plaintext connection; null with a Unix socket only. */
    public ManagedChannel channel() {
        return channel;
    }

    @Override
    public void close() {
        if (channel != null) {
            channel.shutdownNow();
        }
        try {
            snapshots.close();
            profiles.close();
            listeners.clients().drain(100);
            listeners.clients().stop(1);
            listeners.close();
            listeners.metrics().close();
            if (access != null) {
                access.close();
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        page.close();
        loops.close();
        timer.shutdownNow();
    }
}
