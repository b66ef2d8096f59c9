package io.brain.backend;

import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Txn;
import io.brain.backend.runtime.BackendListener;
import io.brain.backend.runtime.SimulatedRuntime;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageTrait;
import io.brain.storage.testkit.MemoryStorage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/** A node in a simulation, on a memory storage that outlives it. */
public final class NodeFixture {
    final SimulatedRuntime simulation;
    final KeyCoder coder = new KeyCoder(Bytes.EMPTY);
    NodeSettings settings = NodeSettings.defaults(8 << 20);
    UnaryOperator<KvStorage> faults = UnaryOperator.identity();
    BackendListener listener = BackendListener.NONE;
    MemoryStorage storage;
    Node node;

    /** A storage whose snapshots show the newest state only, as RocksDB's do. */
    NodeFixture(long seed) {
        this(seed, Set.of(StorageTrait.EXCLUSIVE_OPEN));
    }

    NodeFixture(long seed, Set<StorageTrait> traits) {
        simulation = new SimulatedRuntime(seed);
        storage = new MemoryStorage(simulation.engine(), traits);
    }

    /** Opens the node and waits until it leads. */
    NodeFixture open() {
        node =
                Node.open(
                        faults.apply(storage),
                        settings,
                        simulation.runtime().withListener(listener));
        simulation.await(node.elected());
        return this;
    }

    /** The process is killed, and perhaps the machine; then it starts again. */
    void crash(boolean losesUnsynced) {
        storage.crash(losesUnsynced);
        node.close();
        simulation.run();
        storage = storage.openAgain(simulation.engine());
        open();
    }

    <T> T await(CompletableFuture<T> future) {
        return simulation.await(future);
    }

    void advance(Duration time) {
        simulation.advance(time);
    }

    CompletableFuture<Reply<OpResult.Txn>> submit(Op... ops) {
        return node.txn(new Txn(List.of(), List.of(ops), List.of()), 100);
    }

    /** Runs steps as one transaction; answers its revision. */
    long txn(Op... ops) {
        return await(submit(ops)).answer().revision();
    }

    long put(String key, String value) {
        return txn(putOf(key, value, 0));
    }

    long put(String key, String value, long lease) {
        return txn(putOf(key, value, lease));
    }

    long delete(String key) {
        return txn(deleteOf(key));
    }

    /** The value of a key; null if it does not exist. */
    String get(String key) {
        OpResult.Range range = range(RangeQuery.of(KeySpan.of(Bytes.utf8(key))));
        return range.kvs().isEmpty() ? null : valueOf(range.kvs().get(0));
    }

    OpResult.Range range(RangeQuery query) {
        Reply<OpResult.Range> reply = await(node.range(query));
        reply.held().close();
        return reply.answer();
    }

    static String valueOf(Bytes kv) {
        return new String(KeyValue.decode(kv).value().array(), StandardCharsets.UTF_8);
    }

    public static Op putOf(String key, String value, long lease) {
        return new Op.Put(Bytes.utf8(key), Bytes.utf8(value), lease, false, false, false);
    }

    static Op deleteOf(String key) {
        return new Op.Delete(KeySpan.of(Bytes.utf8(key)), false);
    }
}
