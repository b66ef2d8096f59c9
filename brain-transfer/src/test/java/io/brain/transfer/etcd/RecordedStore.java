package io.brain.transfer.etcd;

import io.brain.backend.Node;
import io.brain.backend.NodeSettings;
import io.brain.backend.cluster.election.TermContext.TermSettings;
import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.compact.CompactSettings;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.Txn;
import io.brain.backend.runtime.BackendThreads;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import io.brain.storage.StorageTrait;
import io.brain.storage.testkit.MemoryStorage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** A node on a memory storage, and a list of all changes that it made. */
public final class RecordedStore implements AutoCloseable {
    public static final String KEYSPACE = "test";

    private final ExecutorService engine = Executors.newSingleThreadExecutor();
    private final BackendThreads threads = new BackendThreads(1);
    private final MemoryStorage storage =
            new MemoryStorage(engine, Set.of(StorageTrait.EXCLUSIVE_OPEN));
    private final Node node;
    private final List<Change> changes = new ArrayList<>();

    /** Of each key that exists: create revision, version, lease. */
    private final TreeMap<String, long[]> live = new TreeMap<>();

    private long revision = 1;
    private long floor = -1;

    /**
     * A change.
     *
     * @param kv the encoded KeyValue
     */
    public record Change(String key, long revision, int sub, boolean tombstone, Bytes kv) {}

    /** A store whose compactions remove little at a time. */
    public RecordedStore() throws Exception {
        TermSettings term = TermSettings.DEFAULTS;
        NodeSettings settings =
                NodeSettings.defaults(8 << 20)
                        .withKeyspace(KEYSPACE)
                        .withMember(
                                "s<1>",
                                List.of("http://127.0.0.1:2380"),
                                List.of("http://127.0.0.1:2379"),
                                Duration.ofSeconds(3))
                        .withTerm(
                                new TermSettings(
                                        term.write(),
                                        term.lease(),
                                        new CompactSettings(
                                                3,
                                                100,
                                                100,
                                                2,
                                                Duration.ofMillis(1),
                                                Duration.ofMillis(5),
                                                1000,
                                                0)));
        node = Node.open(storage, settings, threads.runtime());
        await(node.elected());
    }

    public Exporter exporter(long sortBytesMax) {
        return new Exporter(storage, KEYSPACE, "3.7.0", sortBytesMax);
    }

    public MemoryStorage storage() {
        return storage;
    }

    Node node() {
        return node;
    }

    public long revision() {
        return revision;
    }

    long floor() {
        return floor;
    }

    <T> T submit(LeaderCommand<T> command) throws Exception {
        return await(node.submit(command));
    }

    /** Compacts at a revision above the floor; waits for the removal if {@code physical}. */
    public void compact(long at, boolean physical) throws Exception {
        submit(new LeaderCommand.Compact(at, physical));
        floor = at;
    }

    /** Revokes a lease, which deletes its keys. */
    void revoke(long lease) throws Exception {
        submit(new LeaderCommand.RevokeLease(lease));
        List<String> attached = new ArrayList<>();
        live.forEach((key, kv) -> attached.addAll(kv[2] == lease ? List.of(key) : List.of()));
        int sub = 0;
        for (String key : attached) {
            addDelete(key, revision + 1, sub++);
        }
        revision += sub > 0 ? 1 : 0;
    }

    /** Runs operations as one transaction. */
    public void change(Op... ops) throws Exception {
        await(node.txn(new Txn(List.of(), List.of(ops), List.of()), 100)).held().close();
        long next = revision + 1;
        int sub = 0;
        for (Op op : ops) {
            if (op instanceof Op.Put put) {
                String key = text(put.key());
                long[] kv = live.computeIfAbsent(key, none -> new long[] {next, 0, 0});
                kv[1]++;
                kv[2] = put.lease();
                Bytes stored =
                        KeyValueCodec.encode(
                                put.key(), kv[0], next, kv[1], put.value(), put.lease());
                changes.add(new Change(key, next, sub++, false, stored));
            } else {
                KeySpan span = ((Op.Delete) op).span();
                for (String key : keysIn(span)) {
                    addDelete(key, next, sub++);
                }
            }
        }
        revision = sub > 0 ? next : revision;
    }

    public static Op put(String key, String value, long lease) {
        return new Op.Put(Bytes.utf8(key), Bytes.utf8(value), lease, false, false, false);
    }

    public static Op delete(String key) {
        return new Op.Delete(KeySpan.of(Bytes.utf8(key)), false);
    }

    /** Deletes all keys from {@code key} on; etcd allows a put of one in the same transaction. */
    public static Op deleteFrom(String key) {
        return new Op.Delete(KeySpan.of(Bytes.utf8(key), Bytes.wrap(new byte[1])), false);
    }

    /** All changes, in order. */
    public List<Change> changes() {
        return List.copyOf(changes);
    }

    /** The changes that an etcd has in its database, up to a revision. */
    List<Change> inDatabase(long at) {
        Map<String, Change> atFloor = new HashMap<>();
        for (Change change : changes) {
            if (change.revision() <= floor) {
                atFloor.put(change.key(), change);
            }
        }
        List<Change> kept = new ArrayList<>();
        for (Change change : changes) {
            boolean old = change.revision() <= floor;
            boolean last = change.equals(atFloor.get(change.key()));
            boolean forgotten = change.tombstone() && change.revision() < floor;
            if (change.revision() <= at && (!old || (last && !forgotten))) {
                kept.add(change);
            }
        }
        return kept;
    }

    private List<String> keysIn(KeySpan span) {
        String from = text(span.key());
        if (span.single()) {
            return live.containsKey(from) ? List.of(from) : List.of();
        }
        return List.copyOf(live.tailMap(from).keySet());
    }

    private void addDelete(String key, long at, int sub) {
        live.remove(key);
        changes.add(new Change(key, at, sub, true, KeyValueCodec.encodeTombstone(Bytes.utf8(key))));
    }

    private static <T> T await(CompletableFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    private static String text(Bytes bytes) {
        return new String(bytes.array(), StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        node.close();
        threads.close();
        storage.checkNoOpenSnapshots();
        storage.close();
        engine.shutdown();
    }
}
