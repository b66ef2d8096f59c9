package io.brain.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Txn;
import io.brain.backend.runtime.BackendThreads;
import io.brain.storage.Bytes;
import io.brain.storage.StorageTrait;
import io.brain.storage.testkit.MemoryStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node on real threads: what the simulation cannot show. */
@Timeout(300)
class NodeOnThreadsTest {
    private static final int CLIENTS = 4;
    private static final int PUTS = 100;

    @Test
    void manyClientsWriteReadCompactAndRestart() throws Exception {
        ExecutorService engine = Executors.newSingleThreadExecutor();
        try {
            MemoryStorage storage = new MemoryStorage(engine, Set.of(StorageTrait.EXCLUSIVE_OPEN));
            try (BackendThreads threads = new BackendThreads(2);
                    Node node = open(storage, threads)) {
                writeFromManyClients(node);
                assertThat(node.status().revision()).isEqualTo(1 + CLIENTS * PUTS);
                assertThat(await(node.submit(new Compact(CLIENTS * PUTS, true))))
                        .isEqualTo(1 + CLIENTS * PUTS);
                assertEveryClientsLastPut(node);
            }
            storage.close();
            MemoryStorage again = storage.openAgain(engine);
            try (BackendThreads threads = new BackendThreads(2);
                    Node node = open(again, threads)) {
                assertThat(node.status().revision()).isEqualTo(1 + CLIENTS * PUTS);
                assertEveryClientsLastPut(node);
            }
            again.close();
        } finally {
            engine.shutdown();
        }
    }

    private static Node open(MemoryStorage storage, BackendThreads threads) throws Exception {
        NodeSettings patient =
                NodeSettings.defaults(8 << 20)
                        .withLimits(new NodeSettings.Limits(0, 1 << 20, 1, Duration.ofMinutes(1)));
        Node node = Node.open(storage, patient, threads.runtime());
        await(node.elected());
        return node;
    }

    private static void writeFromManyClients(Node node) throws Exception {
        List<CompletableFuture<Void>> clients = new ArrayList<>();
        for (int client = 0; client < CLIENTS; client++) {
            clients.add(putNext(node, client, 0));
        }
        for (CompletableFuture<Void> client : clients) {
            await(client);
        }
    }

    /** A client's puts, one after the other. */
    private static CompletableFuture<Void> putNext(Node node, int client, int done) {
        if (done == PUTS) {
            return CompletableFuture.completedFuture(null);
        }
        return node.txn(Txn.of(NodeFixture.putOf("client" + client, "put" + done, 0)), 50)
                .thenComposeAsync(reply -> putNext(node, client, done + 1));
    }

    private static void assertEveryClientsLastPut(Node node) throws Exception {
        for (int client = 0; client < CLIENTS; client++) {
            KeySpan key = KeySpan.of(Bytes.utf8("client" + client));
            Reply<OpResult.Range> reply = await(node.range(RangeQuery.of(key)));
            assertThat(NodeFixture.valueOf(reply.answer().kvs().get(0)))
                    .isEqualTo("put" + (PUTS - 1));
            reply.held().close();
        }
    }

    private static <T> T await(CompletableFuture<T> future) throws Exception {
        return future.get(1, TimeUnit.MINUTES);
    }
}
