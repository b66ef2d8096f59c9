package io.brain.server.standby;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.Node;
import io.brain.backend.NodeSettings;
import io.brain.backend.cluster.election.StoredStandby;
import io.brain.backend.runtime.BackendThreads;
import io.brain.backend.store.KeyCoder;
import io.brain.server.BrainServer;
import io.brain.storage.Bytes;
import io.brain.storage.Mutation;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.Fault;
import io.brain.storage.testkit.FaultyStorage;
import io.brain.storage.testkit.MemoryStorage;
import io.brain.transfer.etcd.EtcdDatabase;
import io.brain.transfer.etcd.KeyFilter;
import io.brain.transfer.etcd.PartFile;
import io.brain.transfer.etcd.StepListener;
import io.brain.transfer.load.ImportOptions;
import io.brain.transfer.load.Importer;
import io.brain.transfer.mirror.SourceCluster;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A cutover whose last commit is stored, and whose server does not learn that. */
class LostAnswerTest {
    private static final StepListener SILENT = (step, done, total) -> {};
    private static final Bytes IMPORT = KeyCoder.of("").importKey();

    @TempDir private Path directory;

    private final ExecutorService engine = Executors.newSingleThreadExecutor();
    private final MemoryStorage memory =
            new MemoryStorage(engine, Set.of(StorageTrait.EXCLUSIVE_OPEN));

    /** The end of the standby is applied, and nobody can say so. */
    private static Fault plan(WriteBatch batch) {
        boolean ends =
                batch.mutations().stream()
                        .anyMatch(
                                one -> one instanceof Mutation.Delete && one.key().equals(IMPORT));
        return ends
                ? Fault.of(Fault.Outcome.UNCERTAIN_APPLIED)
                        .withKind(Kind.CORRUPT)
                        .resolvedAfter(1000)
                : Fault.NONE;
    }

    @Test
    @Timeout(120)
    void aCutoverThatEndedSaysThatTheClusterHasMoved() throws Exception {
        try (BrainServer server = StandbyClient.server(directory.resolve("source"));
                StandbyClient client =
                        new StandbyClient(server.clientAddresses().get(0).getPort());
                FaultyStorage storage = new FaultyStorage(memory, LostAnswerTest::plan);
                BackendThreads threads = new BackendThreads(1)) {
            var unused = client.put("a", "1");
            ManagedChannel channel =
                    NettyChannelBuilder.forAddress(server.clientAddresses().get(0))
                            .usePlaintext()
                            .build();
            SourceCluster source = new SourceCluster("source", channel, 7);
            copy(source);
            Node node = open(storage, threads);
            StoredStandby stored = new StoredStandby(storage, "");
            assertThat(stored.source()).isEqualTo(source.id());
            try (Following following =
                    new Following(
                            node::standby, stored::source, node, source, channel, channel, false)) {
                following.start(false);
                assertThatThrownBy(() -> following.cutover().get(60, TimeUnit.SECONDS))
                        .hasMessageContaining("the cluster has moved, but: ");
                assertThat(following.isOpen()).isTrue();
                assertThat(source.isFenced()).isTrue();
            }
            channel.shutdownNow();
            node.close();
        }
        engine.shutdownNow();
    }

    private static Node open(FaultyStorage storage, BackendThreads threads) throws Exception {
        NodeSettings settings =
                NodeSettings.defaults(8 << 20)
                        .withMember(
                                "m1",
                                List.of("http://127.0.0.1:2380"),
                                List.of("http://127.0.0.1:2379"),
                                Duration.ofSeconds(3));
        Node node = Node.open(storage, settings, threads.runtime());
        node.elected().get(60, TimeUnit.SECONDS);
        return node;
    }

    private void copy(SourceCluster source) throws Exception {
        Path snapshot = directory.resolve("snapshot");
        try (PartFile file = PartFile.create(snapshot)) {
            assertThat(source.receive(0, file.channel(), SILENT)).isTrue();
            file.complete(SILENT);
        }
        long id = source.id();
        try (EtcdDatabase database = EtcdDatabase.open(snapshot, false, SILENT)) {
            ImportOptions options = new ImportOptions(KeyFilter.ALL, id, id);
            new Importer(database, "source", "", options, new SecureRandom(), SILENT).run(memory);
        }
    }
}
