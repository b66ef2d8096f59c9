package io.brain.server.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.brain.backend.Backend;
import io.brain.backend.Node;
import io.brain.backend.NodeSettings;
import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.cluster.link.LeaderCommand.ListLeases;
import io.brain.backend.cluster.link.LeaderCommand.RevokeLease;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.runtime.BackendThreads;
import io.brain.backend.wire.KeyValue;
import io.brain.server.Eventually;
import io.brain.server.lock.Acquisition.Owned;
import io.brain.storage.Bytes;
import io.brain.storage.StorageTrait;
import io.brain.storage.testkit.MemoryStorage;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Contenders on a node with its threads, on storage in memory. */
class LockTest {
    private static final Context.Key<String> CALLER = Context.key("caller");

    private final ExecutorService engine = Executors.newSingleThreadExecutor();
    private final BackendThreads threads = new BackendThreads(1);
    private final MemoryStorage storage =
            new MemoryStorage(engine, Set.of(StorageTrait.EXCLUSIVE_OPEN));
    private final Queue<String> callers = new ConcurrentLinkedQueue<>();
    private Node node;
    private Backend backend;

    @BeforeEach
    void start() throws Exception {
        node =
                Node.open(
                        storage,
                        NodeSettings.defaults(8 << 20)
                                .withMember(
                                        "m1",
                                        List.of("http://127.0.0.1:2380"),
                                        List.of("http://127.0.0.1:2379"),
                                        Duration.ofSeconds(3)),
                        threads.runtime());
        get(node.elected());
        backend =
                (Backend)
                        Proxy.newProxyInstance(
                                Backend.class.getClassLoader(),
                                new Class<?>[] {Backend.class},
                                (proxy, method, args) -> {
                                    callers.add(method.getName() + " by " + CALLER.get());
                                    return method.invoke(node, args);
                                });
    }

    @AfterEach
    void stop() {
        node.close();
        storage.close();
        threads.close();
        engine.shutdownNow();
    }

    @Test
    void theEndOfAnOwnerIsOneEvent() throws Exception {
        grant(1);
        get(acquire(1, null));
        List<CompletableFuture<Owned>> waiters = new ArrayList<>();
        for (long lease = 2; lease <= 200; lease++) {
            grant(lease);
            waiters.add(acquire(lease, null));
            int waiting = waiters.size();
            Eventually.holds(() -> node.stats().watch().watchers() == waiting);
        }
        long before = node.stats().watch().eventsSent();
        get(node.submit(new RevokeLease(1)));
        Owned next = get(waiters.get(0));
        assertThat(next.waited()).isTrue();
        assertThat(next.lease()).isEqualTo(2);
        assertThat(node.stats().watch().eventsSent() - before).isEqualTo(1);
        Eventually.holds(() -> node.stats().watch().watchers() == 198);
        assertThat(waiters.stream().filter(CompletableFuture::isDone)).hasSize(1);
    }

    @Test
    void aWaiterThatIsCancelledLeavesNothing() throws Exception {
        grant(1);
        grant(2);
        get(acquire(1, null));
        CompletableFuture<Owned> waiter = acquire(2, null);
        CompletableFuture<Owned> ownLease = acquire(0, null);
        Eventually.holds(() -> node.stats().watch().watchers() == 2);
        assertThat(get(node.submit(new ListLeases()))).hasSize(3);
        waiter.cancel(false);
        ownLease.cancel(false);
        Eventually.holds(() -> node.stats().watch().watchers() == 0);
        Eventually.holds(() -> keys().equals(List.of("l/1")));
        assertThat(get(node.submit(new ListLeases()))).containsExactlyInAnyOrder(1L, 2L);
    }

    @Test
    void aCancelledCallLeavesAlsoIfItWins() throws Exception {
        CompletableFuture<Owned> held = new CompletableFuture<>();
        grant(1);
        CompletableFuture<Owned> answer =
                new Acquisition<Owned>(calls(), contenders(), null, owned -> held).start(1);
        Eventually.holds(() -> keys().equals(List.of("l/1")));
        answer.cancel(false);
        held.complete(null);
        Eventually.holds(() -> keys().isEmpty());
    }

    @Test
    void aSecondCallThatIsCancelledLeavesTheOwnersKey() throws Exception {
        grant(1);
        get(acquire(1, null));
        CompletableFuture<Owned> held = new CompletableFuture<>();
        CompletableFuture<Owned> second =
                new Acquisition<Owned>(calls(), contenders(), null, owned -> held).start(1);
        second.cancel(false);
        held.complete(null);
        get(acquire(1, null));
        assertThat(keys()).containsExactly("l/1");
    }

    @Test
    void everyCallIsMadeInTheCallersContext() throws Exception {
        grant(1);
        get(acquire(1, null));
        callers.clear();
        CompletableFuture<Owned> waiter =
                Context.current()
                        .withValue(CALLER, "alice")
                        .call(() -> acquire(0, Bytes.utf8("value")));
        Eventually.holds(() -> node.stats().watch().watchers() == 1);
        get(node.submit(new RevokeLease(1)));
        get(waiter);
        assertThat(callers)
                .containsExactly(
                        "auth by alice",
                        "submit by alice",
                        "txn by alice",
                        "auth by alice",
                        "watch by alice",
                        "range by alice");
    }

    @Test
    void aWaiterWhosePredecessorLeavesWaitsForTheOneBefore() throws Exception {
        for (long lease = 1; lease <= 3; lease++) {
            grant(lease);
        }
        get(acquire(1, null));
        CompletableFuture<Owned> second = acquire(2, null);
        Eventually.holds(() -> node.stats().watch().watchers() == 1);
        CompletableFuture<Owned> third = acquire(3, null);
        Eventually.holds(() -> node.stats().watch().watchers() == 2);
        second.cancel(false);
        Eventually.holds(() -> keys().equals(List.of("l/1", "l/3")));
        Eventually.holds(() -> node.stats().watch().watchers() == 1);
        assertThat(third).isNotDone();
        get(node.submit(new RevokeLease(1)));
        assertThat(get(third).lease()).isEqualTo(3);
    }

    @Test
    void waitersEndWithTheServer() throws Exception {
        grant(1);
        grant(2);
        get(acquire(1, null));
        CompletableFuture<Owned> waiter = acquire(2, null);
        Eventually.holds(() -> node.stats().watch().watchers() == 1);
        node.close();
        assertThat(statusOf(waiter).getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(statusOf(waiter).getDescription()).isEqualTo("etcdserver: server stopped");
    }

    @Test
    void errorsLoseTheirCode() throws Exception {
        assertThat(statusOf(acquire(7, null)).getCode()).isEqualTo(Status.Code.UNKNOWN);
        assertThat(statusOf(acquire(7, null)).getDescription())
                .isEqualTo("etcdserver: requested lease not found");
        assertThat(keys()).isEmpty();
    }

    @Test
    void namesOfLeasesAreGosHexadecimalNumbers() {
        assertThat(contenders().key(255)).isEqualTo(Bytes.utf8("l/ff"));
        assertThat(contenders().key(-255)).isEqualTo(Bytes.utf8("l/-ff"));
        assertThat(contenders().key(Long.MIN_VALUE)).isEqualTo(Bytes.utf8("l/-8000000000000000"));
    }

    private CompletableFuture<Owned> acquire(long lease, Bytes value) {
        return new Acquisition<Owned>(
                        calls(), contenders(), value, CompletableFuture::completedFuture)
                .start(lease);
    }

    private RequestCalls calls() {
        return new RequestCalls(backend);
    }

    private static Contenders contenders() {
        return Contenders.of(ByteString.copyFromUtf8("l"));
    }

    private void grant(long lease) throws Exception {
        get(node.submit(new GrantLease(lease, 600)));
    }

    private List<String> keys() {
        Reply<OpResult.Range> reply = node.range(RangeQuery.of(contenders().span())).join();
        reply.held().close();
        return reply.answer().kvs().stream()
                .map(kv -> KeyValue.decode(kv).key().toString())
                .toList();
    }

    private static Status statusOf(CompletableFuture<?> call) {
        List<Status> statuses = new ArrayList<>();
        assertThatThrownBy(() -> get(call))
                .isInstanceOf(ExecutionException.class)
                .satisfies(
                        failure ->
                                statuses.add(
                                        ((StatusRuntimeException) failure.getCause()).getStatus()));
        return statuses.get(0);
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }
}
