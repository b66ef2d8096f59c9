package io.brain.jmh;

import io.brain.backend.Node;
import io.brain.backend.NodeSettings;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Txn;
import io.brain.backend.runtime.BackendThreads;
import io.brain.storage.Bytes;
import io.brain.storage.KvStorage;
import io.brain.storage.rocksdb.RocksDbStorageFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A node on RocksDB without transport, and without waiting for the disk: 256 requests at once, and
 * the time until all are answered, for each.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class NodeBenchmark {
    private static final int AT_ONCE = 256;
    private static final int KEYS = 10_000;
    private static final int LIST = 500;

    private final Bytes value = Bytes.wrap(new byte[512]);
    private final List<Bytes> keys = new ArrayList<>();
    private Path directory;
    private KvStorage storage;
    private BackendThreads threads;
    private Node node;
    private int next;

    /** Opens a node, and puts what is read. */
    @Setup(Level.Trial)
    public void open() throws IOException {
        directory = Files.createTempDirectory("brain-jmh");
        storage =
                new RocksDbStorageFactory()
                        .open(Map.of("data-dir", directory.toString(), "sync-writes", "false"));
        threads = new BackendThreads(2);
        node = Node.open(storage, NodeSettings.forHeap(1L << 30), threads.runtime());
        node.elected().join();
        for (int i = 0; i < KEYS; i++) {
            keys.add(Bytes.utf8("/registry/pods/ns-00012/pod-%09d".formatted(i)));
        }
        for (int i = 0; i < KEYS; i += AT_ONCE) {
            put();
        }
    }

    /** Ends the node, and removes what it stored. */
    @TearDown(Level.Trial)
    public void close() throws IOException {
        node.close();
        threads.close();
        storage.close();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** Puts of keys in turns. */
    @Benchmark
    @OperationsPerInvocation(AT_ONCE)
    public int put() {
        List<CompletableFuture<Reply<OpResult.Txn>>> answers = new ArrayList<>(AT_ONCE);
        for (int i = 0; i < AT_ONCE; i++) {
            Op put = new Op.Put(nextKey(), value, 0, false, false, false);
            answers.add(node.txn(Txn.of(put), value.length()));
        }
        answers.forEach(answer -> answer.join().held().close());
        return answers.size();
    }

    /** Gets of keys in turns, each read once before it is read again. */
    @Benchmark
    @OperationsPerInvocation(AT_ONCE)
    public int get() {
        int found = 0;
        for (int i = 0; i < AT_ONCE; i++) {
            Reply<OpResult.Range> reply = node.range(RangeQuery.of(KeySpan.of(nextKey()))).join();
            found += reply.answer().kvs().size();
            reply.held().close();
        }
        return found;
    }

    /** A list of 500; the time is that of a key. */
    @Benchmark
    @OperationsPerInvocation(LIST)
    public int list() {
        KeySpan span = KeySpan.of(keys.get(0), keys.get(LIST));
        Reply<OpResult.Range> reply = node.range(RangeQuery.of(span)).join();
        int found = reply.answer().kvs().size();
        reply.held().close();
        return found;
    }

    private Bytes nextKey() {
        next = (next + 1) % KEYS;
        return keys.get(next);
    }
}
