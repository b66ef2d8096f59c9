package io.brain.server;

import io.brain.backend.Backend;
import io.brain.backend.Node;
import io.brain.backend.cluster.election.StoredStandby;
import io.brain.server.config.BrainConfig;
import io.brain.server.config.BrainConfig.Source;
import io.brain.server.etcd.ClusterClient;
import io.brain.server.process.ServerException;
import io.brain.server.process.StoreWait;
import io.brain.server.standby.Following;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageException;
import io.brain.transfer.etcd.EtcdDatabase;
import io.brain.transfer.etcd.KeyFilter;
import io.brain.transfer.etcd.PartFile;
import io.brain.transfer.etcd.PrivateFiles;
import io.brain.transfer.etcd.StepListener;
import io.brain.transfer.load.ImportOptions;
import io.brain.transfer.load.ImportReport;
import io.brain.transfer.load.Importer;
import io.brain.transfer.mirror.SourceCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Fills the store of a server that follows another cluster, and follows it. */
final class StandbySetup implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StandbySetup.class);

    /** The source's database, in the data directory until it is imported. */
    private static final String SNAPSHOT = "STANDBY.db";

    /** What a file system and --auto-tls make in a data directory. */
    private static final Set<String> NO_DATA = Set.of("lost+found", "fixtures");

    /** The revision of a store without a write. */
    private static final long FIRST_REVISION = 1;

    private final ClusterClient client;
    private final Following following;

    private StandbySetup(ClusterClient client, Following following) {
        this.client = client;
        this.following = following;
    }

    /**
     * Imports the source into a new data directory, or into an empty keyspace of a shared store, or
     * continues that; does nothing otherwise. Blocks.
     *
     * @param stop ends it soon, with an exception
     * @return true if it imported
     * @throws StorageException kind UNAVAILABLE if a later attempt may succeed
     */
    static boolean fill(BrainConfig config, CompletableFuture<Void> stop) throws ServerException {
        Source source = config.source();
        if (source == null) {
            return false;
        }
        Path snapshot = config.dataDir().resolve(SNAPSHOT);
        try (ClusterClient client = client(source)) {
            boolean shared = !config.cluster().peers().isEmpty();
            boolean lacks = shared ? lacksCopy(config) : lacksCopy(config.dataDir(), snapshot);
            if (lacks) {
                var unused = stop.thenRun(client::close); // ends a call that waits
                PrivateFiles.createDirectories(config.dataDir());
                load(config, client, snapshot, stop);
            }
            Files.deleteIfExists(snapshot);
            return lacks;
        } catch (IOException | GeneralSecurityException failed) {
            throw new ServerException("cannot copy the source: " + failed.getMessage(), failed);
        }
    }

    /** True if a shared store has no data, or an unfinished copy. */
    private static boolean lacksCopy(BrainConfig config) throws ServerException {
        String keyspace = config.cluster().keyspace();
        try (KvStorage storage = Storages.openForLoading(config.storage(), keyspace)) {
            return new StoredStandby(storage, keyspace).lacksCopy();
        }
    }

    /** True if a data directory is new, or has an unfinished copy. */
    private static boolean lacksCopy(Path directory, Path snapshot) throws IOException {
        Path part = snapshot.resolveSibling(snapshot.getFileName() + ".part");
        return isEmpty(directory) || Files.exists(snapshot) || Files.exists(part);
    }

    private static boolean isEmpty(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return true;
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.allMatch(file -> NO_DATA.contains(file.getFileName().toString()));
        }
    }

    private static void load(
            BrainConfig config, ClusterClient client, Path snapshot, CompletableFuture<Void> stop)
            throws IOException, ServerException {
        StepListener listener =
                (step, done, total) -> {
                    if (stop.isDone()) {
                        throw new CancellationException("stopped");
                    }
                };
        if (!Files.exists(snapshot)) {
            try (PartFile file = PartFile.create(snapshot)) {
                boolean all = client.cluster().receive(0, file.channel(), listener);
                LOG.info("received the source's database complete={}", all);
                file.complete(listener);
            }
        }
        long id = client.cluster().id();
        try (EtcdDatabase database = EtcdDatabase.open(snapshot, false, listener)) {
            Importer importer =
                    new Importer(
                            database,
                            config.source().servers().toString(),
                            config.cluster().keyspace(),
                            new ImportOptions(KeyFilter.ALL, id, id),
                            new SecureRandom(),
                            listener);
            importer.check();
            try (KvStorage storage =
                    Storages.openForLoading(config.storage(), config.cluster().keyspace())) {
                if (!importer.isDone(storage)) {
                    ImportReport report = importer.run(storage);
                    LOG.info("imported the source: {}", report);
                }
            }
        }
    }

    private static ClusterClient client(Source source)
            throws IOException, GeneralSecurityException {
        return new ClusterClient(
                source.servers(),
                new ClusterClient.Tls(source.trusted(), source.certificate(), source.key()),
                ClusterClient.Login.read(source.user(), source.passwordFile()));
    }

    /**
     * Begins to follow the source; null if the server follows none. Waits while another server of
     * the cluster follows it.
     *
     * @param node has a leader
     * @throws ServerException if store and configuration do not fit
     */
    static StandbySetup start(
            BrainConfig config, Node node, Backend backend, KvStorage storage, StoreWait wait)
            throws ServerException {
        StoredStandby stored = new StoredStandby(storage, config.cluster().keyspace());
        if (config.source() == null) {
            long other = wait.repeat(stored::source);
            if (other != 0) {
                throw new ServerException(
                        "the store is a standby of the cluster %x: start the server with"
                                        .formatted(other)
                                + " --standby-of",
                        null);
            }
            return null;
        }
        wait.await(
                () -> node.standby() != null || stored.source() == 0,
                "waiting: another server of the cluster follows the source");
        boolean active = wait.repeat(stored::source) != 0;
        if (!active && node.status().revision() == FIRST_REVISION) {
            throw new ServerException(
                    "--standby-of: the store is empty, and its directory was not: delete it", null);
        }
        if (!active) {
            LOG.info(
                    "the cluster has moved here: --standby-of only keeps its leases at the source");
        }
        try {
            ClusterClient client = client(config.source());
            SourceCluster source =
                    new SourceCluster(
                            config.source().servers().toString(), client.channel(), stored.id());
            boolean checked = config.source().user() != null || backend.auth().enabled();
            Following following =
                    new Following(
                            node::standby,
                            stored::source,
                            backend,
                            source,
                            client.channel(),
                            client.withoutLogin(),
                            checked);
            following.start(!active);
            return new StandbySetup(client, following);
        } catch (IOException | GeneralSecurityException unusable) {
            throw new ServerException("--standby-of: " + unusable.getMessage(), unusable);
        }
    }

    Following following() {
        return following;
    }

    @Override
    public void close() {
        following.close();
        client.close();
    }
}
