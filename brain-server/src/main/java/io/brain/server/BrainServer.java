package io.brain.server;

import io.brain.backend.Node;
import io.brain.backend.NodeSettings;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.BackendThreads;
import io.brain.server.config.BrainConfig;
import io.brain.server.config.Versions;
import io.brain.server.console.Console;
import io.brain.server.console.Sources;
import io.brain.server.etcd.EtcdServices;
import io.brain.server.front.EventLoops;
import io.brain.server.front.HttpListener;
import io.brain.server.front.Listeners;
import io.brain.server.http.ConsoleEndpoints;
import io.brain.server.http.HealthEndpoints;
import io.brain.server.http.HealthReads;
import io.brain.server.http.HttpRoutes;
import io.brain.server.http.OwnNames;
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
import io.brain.server.tls.CertificateMetrics;
import io.brain.server.tls.TlsContexts;
import io.brain.storage.StorageException;
import io.brain.storage.StorageTrait;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running server: storage, node and listeners, wired by hand. */
public final class BrainServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BrainServer.class);
    private static final int ELECTION_SECONDS_MAX = 60;
    private static final Duration STORE_PAUSE_MIN = Duration.ofMillis(250);
    private static final Duration STORE_PAUSE_MAX = Duration.ofSeconds(5);
    private static final int HAND_OVER_SECONDS = 2;
    private static final int DRAIN_MILLIS_MAX = 1000;
    private static final int STOP_SECONDS_MAX = 2;

    private final StoreWait wait;
    private final PeerMetrics peerMetrics = new PeerMetrics();
    private MeteredStorage storage;

    /** Null where the data is not on this machine's disk. */
    private DiskProbe disk;

    private BackendThreads threads;
    private EventLoops loops;
    private volatile Node node;
    private PeerListener peers;
    private MetricsPage page;
    private Console console;
    private TlsContexts clientTls;
    private TlsContexts peerTls;
    private HttpListener metrics;
    private Listeners listeners;

    /** Null if there is none. */
    private AccessLog access;

    private BrainServer(CompletableFuture<Void> stop) {
        wait = new StoreWait(stop, STORE_PAUSE_MIN, STORE_PAUSE_MAX);
    }

    /** The same; nothing tells it to stop while it starts. */
    public static BrainServer start(BrainConfig config) throws ServerException {
        return start(config, new CompletableFuture<>());
    }

    /**
     * Starts a server; it serves when this returns. A store that several servers share is waited
     * for; meanwhile only the listener for metrics answers.
     *
     * @param stop completes when the process is to end
     * @throws ServerException if it cannot, or was told to stop; nothing is left running then
     */
    public static BrainServer start(BrainConfig config, CompletableFuture<Void> stop)
            throws ServerException {
        BrainServer server = new BrainServer(stop);
        try {
            server.run(config);
            return server;
        } catch (ServerException failure) {
            server.close();
            throw failure;
        } catch (RuntimeException failure) {
            if (!(failure instanceof StorageException)) {
                LOG.error("this is a defect", failure);
            }
            server.close();
            throw new ServerException("cannot start: " + failure.getMessage(), failure);
        }
    }

    private void run(BrainConfig config) throws ServerException {
        LOG.info(
                "starting Brain {} (API of etcd {}), name {}, data in {}",
                Versions.brain(),
                Versions.API,
                config.name(),
                config.dataDir().toAbsolutePath());
        DataDirectory directory = new DataDirectory(config.dataDir());
        access = accessLog(config.log().calls().access());
        int cores = Runtime.getRuntime().availableProcessors();
        loops = new EventLoops(cores);
        serveWhileStarting(config);
        storage = new MeteredStorage(reach(config, () -> Storages.open(config, directory)));
        if (storage.traits().contains(StorageTrait.EXCLUSIVE_OPEN)) {
            DiskProbe.Disk file = DiskProbe.file(directory.path().resolve("PROBE"));
            disk = new DiskProbe(file, storage::lastSynced);
        }
        threads = new BackendThreads(cores);
        BackendMetrics stages = new BackendMetrics(new SlowLog(config.log().slowBatch()));
        peerTls = new TlsContexts(config.cluster().tls());
        openNode(config, stages);
        awaitElection(config);
        listen(config, directory, stages);
    }

    private void serveWhileStarting(BrainConfig config) throws ServerException {
        clientTls = new TlsContexts(config.urls().tls());
        try {
            metrics = Listeners.metrics(config, clientTls, HttpRoutes.whileStarting(), loops);
            metrics.start();
        } catch (IOException taken) {
            throw new ServerException("cannot listen: " + taken.getMessage(), taken);
        }
    }

    /** Does what needs the store: again and again if that is shared and away. */
    private <T> T reach(BrainConfig config, StoreWait.Step<T> step) throws ServerException {
        return isShared(config) ? wait.repeat(step) : step.run();
    }

    private static boolean isShared(BrainConfig config) {
        return !config.cluster().peers().isEmpty();
    }

    private void openNode(BrainConfig config, BackendMetrics stages) throws ServerException {
        BackendRuntime runtime = threads.runtime().withListener(stages);
        NodeSettings settings = BackendSettings.of(config);
        if (!isShared(config)) {
            node = Node.open(storage, settings, runtime);
            return;
        }
        try {
            GrpcPeers ways =
                    new GrpcPeers(
                            loops,
                            peerTls,
                            settings.limits().requestTimeout(),
                            peerMetrics,
                            this::memberId);
            // Assigned by the attempt: one that ends after the wait for it is closed, too.
            Node opened = reach(config, () -> node = Node.open(storage, settings, ways, runtime));
            peers = new PeerListener(config, opened.leaderSide(), peerTls, loops, peerMetrics);
            peers.start();
        } catch (IOException unusable) {
            throw new ServerException("cannot serve peers: " + unusable.getMessage(), unusable);
        }
    }

    /** Asked by the transport's threads, from before the node is there. */
    private long memberId() {
        Node opened = node;
        return opened == null ? 0 : opened.status().memberId();
    }

    /** See {@link Node#broken}. */
    CompletableFuture<StorageException> broken() {
        return node.broken();
    }

    /** Bytes that the store could grow to; -1 where it is not on this server's disk. */
    private long capacity(DataDirectory directory) {
        return disk == null ? -1 : directory.capacity(node.status().storedBytes());
    }

    private void listen(BrainConfig config, DataDirectory directory, BackendMetrics stages)
            throws ServerException {
        MeteredBackend backend = new MeteredBackend(node, config.log().slowBatch());
        EtcdServices services =
                new EtcdServices(
                        backend,
                        threads.runtime().scheduler(),
                        config,
                        () -> capacity(directory),
                        access);
        HealthReads healthReads =
                new HealthReads(node, threads.runtime().scheduler(), this::oldestWriteNanos);
        HealthEndpoints health = new HealthEndpoints(node, healthReads, EtcdServices::describe);
        console =
                new Console(
                        new Sources(
                                node,
                                node::stats,
                                node.insight(),
                                stages,
                                backend::readTimes,
                                threads.runtime()),
                        config);
        ConsoleEndpoints ui =
                new ConsoleEndpoints(
                        console.facts(), OwnNames.of(config.urls()), EtcdServices::describe);
        Stream<MetricsSource> sources =
                Stream.of(
                        new NodeMetrics(node),
                        backend,
                        stages,
                        services.metrics(),
                        peerMetrics,
                        health,
                        storage,
                        disk,
                        access == null ? null : new AccessMetrics(access),
                        new CertificateMetrics(List.of(clientTls, peerTls)),
                        new ProcessMetrics());
        page = new MetricsPage(sources.filter(Objects::nonNull).toList());
        Listeners.Routes routes =
                new Listeners.Routes(
                        HttpRoutes.forClients(health, page),
                        HttpRoutes.forMetrics(health, page, ui));
        try {
            listeners = new Listeners(config, clientTls, services, routes, metrics, loops);
            listeners.start();
        } catch (IOException taken) {
            throw new ServerException("cannot listen: " + taken.getMessage(), taken);
        }
        page.watchMachine();
    }

    private long oldestWriteNanos() {
        long commit = storage.oldestCommitNanos();
        return disk == null ? commit : Math.max(commit, disk.hangingNanos());
    }

    private void awaitElection(BrainConfig config) throws ServerException {
        try {
            if (isShared(config)) {
                wait.await(node.elected());
                return;
            }
            node.elected().get(ELECTION_SECONDS_MAX, TimeUnit.SECONDS);
        } catch (StorageException refused) {
            throw new ServerException(refused.getMessage(), refused);
        } catch (ExecutionException refused) {
            throw new ServerException(refused.getCause().getMessage(), refused.getCause());
        } catch (TimeoutException late) {
            throw new ServerException("the store cannot be led: see the log above", late);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new ServerException("interrupted while starting", interrupted);
        }
    }

    private static AccessLog accessLog(BrainConfig.Access wanted) throws ServerException {
        try {
            return wanted == null ? null : AccessLog.open(wanted);
        } catch (IOException unusable) {
            throw new ServerException(unusable.getMessage(), unusable);
        }
    }

    /** Where clients are served, sockets in the file system included. */
    public List<SocketAddress> clientSockets() {
        return listeners.clients().sockets();
    }

    /** Where clients are served. */
    public List<InetSocketAddress> clientAddresses() {
        return listeners.clients().addresses();
    }

    /** Where metrics are served besides. */
    public List<InetSocketAddress> metricsAddresses() {
        return metrics.addresses();
    }

    /**
     * Stops within seconds: calls that run get a moment to end, streams end with an error that
     * sends clients elsewhere, the storage is closed last.
     */
    @Override
    public void close() {
        if (node != null) {
            // While clients are still served: their calls go to the next leader then.
            stop("handing over", () -> node.handOver().get(HAND_OVER_SECONDS, TimeUnit.SECONDS));
        }
        if (listeners != null) {
            stop("draining", () -> listeners.clients().drain(DRAIN_MILLIS_MAX));
        }
        stop("node", node);
        if (listeners != null) {
            stop("calls", () -> listeners.clients().stop(STOP_SECONDS_MAX));
        }
        stop("peers", peers);
        stop("HTTP listener", listeners);
        stop("metrics listener", metrics);
        stop("access log", access);
        stop("console", console);
        stop("metrics", page);
        stop("event loops", loops);
        stop("threads", threads);
        stop("disk probe", disk);
        stop("storage", storage);
    }

    /** Stops one part; whatever goes wrong, the others are stopped too. */
    private static void stop(String what, AutoCloseable part) {
        if (part == null) {
            return;
        }
        try {
            part.close();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (Exception failure) {
            LOG.error("stopping: {} failed", what, failure);
        }
    }
}
