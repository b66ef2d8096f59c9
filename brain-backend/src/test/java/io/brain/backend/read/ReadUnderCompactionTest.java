package io.brain.backend.read;

import static io.brain.backend.read.Queries.ALL;
import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.Node;
import io.brain.backend.NodeSettings;
import io.brain.backend.cluster.election.TermContext.TermSettings;
import io.brain.backend.cluster.link.EventStream;
import io.brain.backend.cluster.link.EventStream.EventSink;
import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.cluster.link.LeaderId;
import io.brain.backend.cluster.link.LeaderLink;
import io.brain.backend.cluster.link.LeaderUpdate;
import io.brain.backend.cluster.link.Peers;
import io.brain.backend.compact.CompactSettings;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Txn;
import io.brain.backend.runtime.BackendRuntime;
import io.brain.backend.runtime.BackendThreads;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import io.brain.storage.StorageTrait;
import io.brain.storage.testkit.MemoryStorage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads of a node while it writes and compacts: an answer is complete, or compacted. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReadUnderCompactionTest {
    private static final int WRITES_MIN = 1000;
    private static final int KEYS = 20;

    /** Keys and mod revisions at each revision; added before the revision is written. */
    private final Map<Long, Map<String, Long>> states = new ConcurrentHashMap<>();

    private final AtomicInteger complete = new AtomicInteger();
    private final AtomicInteger compacted = new AtomicInteger();
    private volatile boolean writing = true;

    @Test
    void anAnswerIsCompleteOrCompacted() throws Exception {
        MemoryStorage storage =
                new MemoryStorage(Runnable::run, Set.of(StorageTrait.EXCLUSIVE_OPEN));
        try (BackendThreads threads = new BackendThreads(2);
                Node node = Node.open(storage, settings("one"), threads.runtime())) {
            get(node.elected());
            run(node, node);
        }
        storage.checkNoOpenSnapshots();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anAnswerOfAFollowerIsCompleteOrCompacted(boolean opensTimestamps) throws Exception {
        MemoryStorage storage =
                new MemoryStorage(
                        Runnable::run,
                        opensTimestamps ? Set.of(StorageTrait.SNAPSHOT_AT_TIMESTAMP) : Set.of());
        MemoryStorage again = storage.openAgain(Runnable::run);
        Peers none =
                (id, urls) -> {
                    throw new IllegalStateException("the other one never leads");
                };
        try (BackendThreads threads = new BackendThreads(2);
                BackendThreads others = new BackendThreads(2);
                Node leader = Node.open(storage, settings("one"), none, threads.runtime())) {
            get(leader.elected());
            Peers peers = (id, urls) -> new DelayedLink(leader, id, others.runtime());
            try (Node follower = Node.open(again, settings("two"), peers, others.runtime())) {
                get(follower.elected());
                run(leader, follower);
            }
        }
        storage.checkNoOpenSnapshots();
        again.checkNoOpenSnapshots();
    }

    private static NodeSettings settings(String name) {
        CompactSettings eager =
                new CompactSettings(5, 200, 200, 2, Duration.ZERO, Duration.ofMillis(1), 0, 0);
        TermSettings defaults = TermSettings.DEFAULTS;
        return NodeSettings.defaults(64 << 20)
                .withLimits(new NodeSettings.Limits(0, 1 << 20, 1, Duration.ofMinutes(1)))
                .withTerm(new TermSettings(defaults.write(), defaults.lease(), eager))
                .withMember(name, List.of("peer:" + name), List.of(), Duration.ofMinutes(1));
    }

    /** Writes to one node, and reads from both. */
    private void run(Node leader, Node other) throws Exception {
        states.put(1L, Map.of());
        CompletableFuture<Void> readers =
                CompletableFuture.allOf(reader(leader, 1), reader(other, 2));
        try {
            write(leader, readers);
        } finally {
            writing = false;
        }
        get(readers);
        assertThat(complete.get()).isPositive();
        assertThat(compacted.get()).isPositive();
    }

    /** Writes until the readers have read complete and compacted states. */
    private void write(Node node, CompletableFuture<Void> readers) throws Exception {
        Random random = new Random(7);
        Map<String, Long> state = new TreeMap<>();
        for (long revision = 2; revision < WRITES_MIN || isMissed(readers); revision++) {
            String key = "key" + random.nextInt(KEYS);
            boolean delete = state.containsKey(key) && random.nextInt(3) == 0;
            Bytes bytes = Bytes.utf8(key);
            Op op =
                    delete
                            ? new Op.Delete(KeySpan.of(bytes), false)
                            : new Op.Put(bytes, bytes, 0, false, false, false);
            if (delete) {
                state.remove(key);
            } else {
                state.put(key, revision);
            }
            states.put(revision, Map.copyOf(state));
            assertThat(get(node.txn(Txn.of(op), 100)).answer().revision()).isEqualTo(revision);
            if (revision % 25 == 0) {
                long floor = revision - random.nextInt(20);
                assertThat(get(node.submit(new Compact(floor, random.nextInt(4) == 0))))
                        .isEqualTo(revision);
            }
        }
    }

    private boolean isMissed(CompletableFuture<Void> readers) {
        return (complete.get() == 0 || compacted.get() == 0) && !readers.isDone();
    }

    private CompletableFuture<Void> reader(Node node, int seed) {
        Random random = new Random(seed);
        CompletableFuture<Void> ended = new CompletableFuture<>();
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                while (writing) {
                                    long newest = check(node, 0);
                                    check(node, Math.max(1, newest - random.nextInt(40)));
                                }
                                ended.complete(null);
                            } catch (Throwable failure) {
                                ended.completeExceptionally(failure);
                            }
                        },
                        "reader-" + seed);
        thread.setDaemon(true);
        thread.start();
        return ended;
    }

    /** Reads at a revision and compares; returns the newest revision. */
    private long check(Node node, long revision) {
        Reply<OpResult.Range> reply;
        try {
            reply = node.range(RangeQuery.at(ALL, revision, 0)).join();
        } catch (CompletionException e) {
            assertThat(revision).as("only old revisions are compacted").isPositive();
            assertThat(e).hasCauseInstanceOf(BackendException.class);
            ErrorKind kind = ((BackendException) e.getCause()).kind();
            assertThat(kind).isEqualTo(ErrorKind.COMPACTED);
            compacted.incrementAndGet();
            return revision;
        }
        reply.held().close();
        OpResult.Range answer = reply.answer();
        long shown = revision == 0 ? answer.revision() : revision;
        assertThat(modRevisions(answer.kvs()))
                .as("state at %d", shown)
                .isEqualTo(states.get(shown));
        complete.incrementAndGet();
        return answer.revision();
    }

    /** A link whose event stream is always behind. */
    private static final class DelayedLink implements LeaderLink {
        private static final Duration DELAY = Duration.ofMillis(5);

        private final Node leader;
        private final LeaderId id;
        private final BackendRuntime runtime;
        private volatile EventStream stream;

        DelayedLink(Node leader, LeaderId id, BackendRuntime runtime) {
            this.leader = leader;
            this.id = id;
            this.runtime = runtime;
        }

        @Override
        public <T> CompletableFuture<T> submit(LeaderCommand<T> command) {
            return leader.leaderEndpoint().leader(id).submit(command);
        }

        @Override
        public void eventStream(long from, EventSink sink) {
            stream = leader.leaderEndpoint().eventStream(id, from, new DelayedTarget(sink));
        }

        @Override
        public void close() {
            stream.close();
        }

        private final class DelayedTarget implements EventStream.EventTarget {
            private final EventSink sink;

            DelayedTarget(EventSink sink) {
                this.sink = sink;
            }

            @Override
            public boolean isReady() {
                return true;
            }

            @Override
            public void send(LeaderUpdate update) {
                later(() -> sink.update(update, () -> {}));
            }

            @Override
            public void end() {
                later(sink::ended);
            }

            private void later(Runnable action) {
                runtime.scheduler().schedule(DELAY, runtime.prompt(), action);
            }
        }
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(1, TimeUnit.MINUTES);
    }

    private static Map<String, Long> modRevisions(List<Bytes> kvs) {
        Map<String, Long> revisions = new TreeMap<>();
        for (Bytes kv : kvs) {
            KeyValue decoded = KeyValue.decode(kv);
            revisions.put(decoded.key().toString(), decoded.modRevision());
        }
        return revisions;
    }
}
