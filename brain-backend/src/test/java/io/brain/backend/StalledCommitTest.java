package io.brain.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.cluster.link.LeaderCommand.KeepLeaseAlive;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Txn;
import io.brain.backend.runtime.BackendThreads;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.MemoryStorage;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls that do not wait for a commit that hangs. */
@Timeout(300)
class StalledCommitTest {
    private final MemoryStorage memory =
            new MemoryStorage(Runnable::run, Set.of(StorageTrait.EXCLUSIVE_OPEN));
    private final CountDownLatch held = new CountDownLatch(1);
    private final CompletableFuture<Void> released = new CompletableFuture<>();
    private final BackendThreads threads = new BackendThreads(2);
    private volatile boolean stalls;
    private Node node;

    /** Does not commit until released, as an engine does whose disk hangs. */
    private final class Stalling extends ForwardingKvStorage {
        Stalling(KvStorage delegate) {
            super(delegate);
        }

        @Override
        public CompletionStage<CommitResult> commit(WriteBatch batch) {
            if (!stalls) {
                return super.commit(batch);
            }
            held.countDown();
            return released.thenCompose(done -> super.commit(batch));
        }
    }

    @BeforeEach
    void open() throws Exception {
        // With the usual timeout, a put that waits could fail before a slow machine has looked.
        NodeSettings patient =
                NodeSettings.defaults(8 << 20)
                        .withLimits(
                                new NodeSettings.Limits(0, 1 << 20, 128, Duration.ofMinutes(1)));
        node = Node.open(new Stalling(memory), patient, threads.runtime());
        await(node.elected());
    }

    @AfterEach
    void close() {
        released.complete(null);
        node.close();
        threads.close();
        memory.close();
    }

    @Test
    void readsAndLeaseRenewalsContinue() throws Exception {
        put("k", "1").get(1, TimeUnit.MINUTES);
        await(node.submit(new GrantLease(7, 100)));
        stalls = true;
        CompletableFuture<?> put = put("k", "2");
        held.await();

        assertThat(get("k")).isEqualTo("1");
        await(node.checkReadable(false));
        assertThat(await(node.submit(new KeepLeaseAlive(7))).ttl()).isEqualTo(100);
        CompletableFuture<?> behind = put("k", "3");
        assertThat(put).isNotDone();
        assertThat(node.stats().write().pending()).isEqualTo(2);

        stalls = false;
        released.complete(null);
        await(put);
        await(behind);
        assertThat(get("k")).isEqualTo("3");
    }

    @Test
    void aNodeThatIsClosedAnswersAtOnce() throws Exception {
        stalls = true;
        CompletableFuture<?> put = put("k", "1");
        held.await();
        node.close();
        ExecutionException failed =
                catchThrowableOfType(ExecutionException.class, () -> await(put));
        assertThat(((BackendException) failed.getCause()).kind()).isEqualTo(ErrorKind.STOPPED);
    }

    private CompletableFuture<Reply<OpResult.Txn>> put(String key, String value) {
        return node.txn(Txn.of(NodeFixture.putOf(key, value, 0)), 50);
    }

    private String get(String key) throws Exception {
        Reply<OpResult.Range> reply = await(node.range(RangeQuery.of(KeySpan.of(Bytes.utf8(key)))));
        reply.held().close();
        return NodeFixture.valueOf(reply.answer().kvs().get(0));
    }

    private static <T> T await(CompletableFuture<T> future) throws Exception {
        return future.get(1, TimeUnit.MINUTES);
    }
}
