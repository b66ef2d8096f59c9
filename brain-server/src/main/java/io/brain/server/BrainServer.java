package io.brain.server;

import io.brain.admin.console.Console;
import io.brain.backend.Node;
import io.brain.backend.NodeSettings;
import io.brain.backend.model.NodeStatus;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.BackendThreads;
import io.brain.server.auth.Authentication;
import io.brain.server.config.BrainConfig;
import io.brain.server.config.Versions;
import io.brain.server.etcd.EtcdServices;
import io.brain.server.etcd.Snapshots;
import io.brain.server.front.EventLoops;
import io.brain.server.front.HttpListener;
import io.brain.server.front.Listeners;
import io.brain.server.gateway.Gateway;
import io.brain.server.http.AllowedHosts;
import io.brain.server.http.ConsoleEndpoints;
import io.brain.server.http.HealthEndpoints;
import io.brain.server.http.HealthReads;
import io.brain.server.http.HttpRoutes;
import io.brain.server.http.Profiles;
import io.brain.server.logging.AccessLog;
import io.brain.server.logging.SlowLog;
import io.brain.server.metrics.AccessMetrics;
import io.brain.server.metrics.BackendMetrics;
import io.brain.server.metrics.MeteredBackend;
import io.brain.server.metrics.MeteredStorage;
import io.brain.server.metrics.MetricsPage;
import io.brain.server.metrics.MetricsSource;
import io.brain.server.metrics.NodeMetrics;
import io.brain.server.metrics.PeerMetrics;
import io.brain.server.metrics.ProcessMetrics;
import io.brain.server.peer.GrpcPeers;
import io.brain.server.peer.PeerListener;
import io.brain.server.placement.PlacementService;
import io.brain.server.process.ServerException;
import io.brain.server.process.StoreWait;
import io.brain.server.tls.TlsContexts;
import io.brain.server.warmup.TemporaryServer;
import io.brain.storage.StorageException;
import io.brain.storage.StorageTrait;
import io.brain.transfer.etcd.Exporter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running server: storage, node and listeners, wired without a framework. */
public final class BrainServer implements TemporaryServer.Server {
    private static final Logger LOG = LoggerFactory.getLogger(BrainServer.class);
    private static final Duration STORE_PAUSE_MIN = Duration.ofMillis(250);
    private static final Duration STORE_PAUSE_MAX = Duration.ofSeconds(5);
    private static final int RESIGN_SECONDS = 2;
    private static final int DRAIN_MILLIS_MAX = 1000;
    private static final int STOP_SECONDS_MAX = 2;

    private final StoreWait wait;
    private final PeerMetrics peerMetrics = new PeerMetrics();
    private MeteredStorage storage;

    /** Null if the data is not on a local disk. */
    private DiskProbe disk;

    private BackendThreads threads;
    private EventLoops loops;
    private volatile Node node;
    private PeerListener peers;
    private GrpcPeers links;
    private Snapshots snapshots;

    /** Null if the server follows no cluster. */
    private StandbySetup standby;

    private Authentication authentication;
    private MetricsPage page;

    /** Null if profiles are not served. */
    private Profiles profiles;

    private Console console;
    private TlsContexts clientTls;
    private TlsContexts peerTls;
    private HttpListener metrics;
    private Listeners listeners;

    /** Null if the access log is off. */
    private AccessLog access;

    private BrainServer(CompletableFuture<Void> stop) {
        wait = new StoreWait(stop, STORE_PAUSE_MIN, STORE_PAUSE_MAX);
    }

    /** Starts a server that cannot be stopped while it starts. */
    public static BrainServer start(BrainConfig config) throws ServerException {
        return start(config, new CompletableFuture<>());
    }

    /**
     * Starts a server; it serves clients when this returns. Waits for a shared store to be
     * available; meanwhile only the metrics listener answers.
     *
     * @param stop completes when the process must stop
     * @throws ServerException if the start fails or is stopped; all components are closed then
     */
    public static BrainServer start(BrainConfig config, CompletableFuture<Void> stop)
            throws ServerException {
        BrainServer server = new BrainServer(stop);
        try {
            server.run(config, stop);
            return server;
        } catch (ServerException failure) {
            server.close();
            throw failure;
        } catch (RuntimeException failure) {
            if (!(failure instanceof StorageException)) {
                LOG.error("unexpected error during startup", failure);
            }
            server.close();
            throw new ServerException("start failed: " + failure.getMessage(), failure);
        }
    }

    private void run(BrainConfig config, CompletableFuture<Void> stop) throws ServerException {
        LOG.info(
                "starting Brain version={} etcdApi={} name={} dataDir={}",
                Versions.brain(),
                Versions.API,
                config.name(),
                config.dataDir().toAbsolutePath());
        BrainConfig.Access logged = config.log().calls().access();
        access = logged == null ? null : ServerException.wrapping(() -> AccessLog.open(logged));
        int cores = Runtime.getRuntime().availableProcessors();
        loops = new EventLoops(cores);
        serveWhileStarting(config);
        retry(config, () -> StandbySetup.fill(config, stop));
        storage = new MeteredStorage(retry(config, () -> Storages.open(config)));
        if (storage.traits().contains(StorageTrait.EXCLUSIVE_OPEN)) {
            disk = DiskProbe.in(config.dataDir(), storage::lastSynced);
        }
        threads = new BackendThreads(cores);
        BackendMetrics stages = new BackendMetrics(new SlowLog(config.log().slowBatch()));
        peerTls = new TlsContexts(config.cluster().tls());
        openNode(config, stages);
        wait.awaitElection(node.elected(), isShared(config));
        listen(config, stages);
    }

    private void serveWhileStarting(BrainConfig config) throws ServerException {
        clientTls = new TlsContexts(config.urls().tls());
        try {
            metrics = Listeners.metrics(config, clientTls, HttpRoutes.whileStarting(), loops);
            metrics.start();
        } catch (IOException failure) {
            throw new ServerException("cannot listen: " + failure.getMessage(), failure);
        }
    }

    /** Runs a step that needs the store; repeats it while a shared store is unavailable. */
    private <T> T retry(BrainConfig config, StoreWait.Step<T> step) throws ServerException {
        return isShared(config) ? wait.repeat(step) : wait.once(step);
    }

    private static boolean isShared(BrainConfig config) {
        return !config.cluster().peers().isEmpty();
    }

    private void openNode(BrainConfig config, BackendMetrics stages) throws ServerException {
        BackendRuntime runtime = threads.runtime().withListener(stages);
        NodeSettings settings = BackendSettings.of(config, runtime);
        if (!isShared(config)) {
            node = Node.open(storage, settings, runtime);
            return;
        }
        try {
            links =
                    new GrpcPeers(
                            loops,
                            peerTls,
                            settings.limits().requestTimeout(),
                            peerMetrics,
                            this::memberId);
            // Assigned in the attempt, so that an abandoned attempt is closed as well.
            Node opened = retry(config, () -> node = Node.open(storage, settings, links, runtime));
            peers = new PeerListener(config, opened.leaderEndpoint(), peerTls, loops, peerMetrics);
            peers.start();
            links.keepReady(opened.cluster()::members);
        } catch (IOException unusable) {
            throw new ServerException("cannot serve peers: " + unusable.getMessage(), unusable);
        }
    }

    /** Called by transport threads, also before the node is open. */
    private long memberId() {
        Node opened = node;
        return opened == null ? 0 : opened.status().memberId();
    }

    public NodeStatus status() {
        return node.status();
    }

    /** See {@link Node#broken}. */
    public CompletableFuture<StorageException> broken() {
        return node.broken();
    }

    /** Maximum size of the store in bytes; -1 if it is not on a local disk. */
    private long capacity(BrainConfig config) {
        return disk == null ? -1 : Storages.capacity(config.dataDir(), node.status().storedBytes());
    }

    private void listen(BrainConfig config, BackendMetrics stages) throws ServerException {
        BackendRuntime runtime = threads.runtime();
        MeteredBackend backend = new MeteredBackend(node, config.log().slowBatch());
        standby = StandbySetup.start(config, node, backend, storage, wait);
        String keyspace = config.cluster().keyspace();
        snapshots = Snapshots.of(new Exporter(storage, keyspace, Versions.CLUSTER), config, node);
        authentication =
                ServerException.wrapping(() -> Authentication.open(config.auth(), runtime.clock()));
        EtcdServices services =
                new EtcdServices(
                        backend,
                        runtime.scheduler(),
                        config,
                        authentication,
                        snapshots,
                        () -> capacity(config),
                        access,
                        standby == null ? null : standby.following(),
                        new PlacementService(storage.placed(), runtime.background()));
        HealthReads reads = new HealthReads(node, runtime.scheduler(), this::oldestWriteNanos);
        HealthEndpoints health = new HealthEndpoints(node, reads, EtcdServices::describe);
        console = ConsoleSetup.start(config, node, runtime, stages, backend);
        ConsoleEndpoints consoleEndpoints =
                new ConsoleEndpoints(
                        console.endpoints(),
                        AllowedHosts.of(config.urls()),
                        EtcdServices::describe);
        Stream<MetricsSource> sources =
                Stream.of(
                        new NodeMetrics(node),
                        backend,
                        stages,
                        services.metrics(),
                        snapshots,
                        standby == null ? null : standby.following(),
                        peerMetrics,
                        health,
                        storage,
                        disk,
                        access == null ? null : new AccessMetrics(access),
                        TlsContexts.expiries(List.of(clientTls, peerTls)),
                        new ProcessMetrics());
        page = new MetricsPage(sources.filter(Objects::nonNull).toList());
        Gateway gateway = Gateway.of(services, config);
        BrainConfig.Http http = config.urls().http();
        profiles = http.profiles() ? new Profiles() : null;
        Listeners.Routes routes =
                new Listeners.Routes(
                        HttpRoutes.forClients(health, page, http, gateway, profiles),
                        HttpRoutes.forMetrics(health, page, consoleEndpoints));
        try {
            listeners = new Listeners(config, clientTls, services, routes, metrics, loops);
            listeners.start();
        } catch (IOException failure) {
            throw new ServerException("cannot listen: " + failure.getMessage(), failure);
        }
        page.startJvmMetrics();
    }

    private long oldestWriteNanos() {
        long commit = Math.max(storage.oldestCommitNanos(), node.stats().write().batchNanos());
        return disk == null ? commit : Math.max(commit, disk.stalledNanos());
    }

    /** Addresses of the client listener, Unix sockets included. */
    public List<SocketAddress> clientSockets() {
        return listeners.clients().sockets();
    }

    @Override
    public List<InetSocketAddress> clientAddresses() {
        return listeners.clients().addresses();
    }

    /** TCP addresses of the metrics listener. */
    public List<InetSocketAddress> metricsAddresses() {
        return metrics.addresses();
    }

    /**
     * Stops within seconds: running calls may complete, streams end with an error that makes
     * clients reconnect elsewhere, the storage is closed last.
     */
    @Override
    public void close() {
        if (node != null) {
            // While clients are still served: their calls are forwarded to the next leader.
            stop("resignation", () -> node.resign().get(RESIGN_SECONDS, TimeUnit.SECONDS));
        }
        if (listeners != null) {
            stop("drain", () -> listeners.clients().drain(DRAIN_MILLIS_MAX));
        }
        stop("standby", standby);
        stop("snapshots", snapshots);
        stop("node", node);
        if (listeners != null) {
            stop("calls", () -> listeners.clients().stop(STOP_SECONDS_MAX));
        }
        stop("passwords", authentication);
        stop("peers", peers);
        stop("links", links);
        stop("HTTP listener", listeners);
        stop("metrics listener", metrics);
        stop("profiles", profiles);
        stop("access log", access);
        stop("console", console);
        stop("metrics", page);
        stop("event loops", loops);
        stop("threads", threads);
        stop("disk probe", disk);
        stop("storage", storage);
    }

    /** Closes a component; logs failures, so that the others are closed as well. */
    private static void stop(String name, AutoCloseable component) {
        if (component == null) {
            return;
        }
        try {
            component.close();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (Exception failure) {
            LOG.error("close failed component={}", name, failure);
        }
    }
}
