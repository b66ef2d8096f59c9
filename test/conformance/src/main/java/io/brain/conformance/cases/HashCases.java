package io.brain.conformance.cases;

import static io.brain.conformance.script.Requests.ZERO;
import static io.brain.conformance.script.Requests.compact;
import static io.brain.conformance.script.Requests.delete;
import static io.brain.conformance.script.Requests.get;
import static io.brain.conformance.script.Requests.lease;
import static io.brain.conformance.script.Requests.put;
import static io.brain.conformance.script.Requests.txn;
import static io.brain.conformance.script.Scenario.scenario;

import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.Session;
import io.brain.proto.etcd.DefragmentRequest;
import io.brain.proto.etcd.HashKVRequest;
import io.brain.proto.etcd.MaintenanceGrpc;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The hash of the history. It is of every byte of it, lease ids too, so these begin where nothing
 * else is left, and choose ids themselves.
 */
final class HashCases {

    private static final int FIRST_HISTORY = 301;
    private static final int HISTORIES = 20;

    private HashCases() {}

    static List<Scenario> scenarios() {
        return Stream.of(
                        uncompacted(),
                        compacted(),
                        IntStream.range(0, HISTORIES).mapToObj(HashCases::history).toList())
                .flatMap(List::stream)
                .toList();
    }

    static void hash(Session s, long revision) {
        s.call(
                MaintenanceGrpc.getHashKVMethod(),
                HashKVRequest.newBuilder().setRevision(revision).build());
    }

    private static void defragment(Session s) {
        s.call(MaintenanceGrpc.getDefragmentMethod(), DefragmentRequest.getDefaultInstance());
    }

    private static List<Scenario> uncompacted() {
        return List.of(
                scenario(
                                102,
                                "before any compaction the hash is of all there was",
                                s -> {
                                    hashes(s, 0, 2);
                                    changes(s);
                                    hashes(s, -7, s.revision() + 1);
                                    hash(s, Long.MAX_VALUE);
                                    hash(s, Long.MIN_VALUE);
                                    s.killAndRestart();
                                    hashes(s, -1, s.revision() + 1);
                                })
                        .onFreshServer(),
                scenario(
                                280,
                                "a change that another one in its revision overwrote is hashed too",
                                s -> {
                                    s.put("x", "0");
                                    s.txn(txn(put("x", "1"), delete("x", ZERO)));
                                    s.put("y", "0");
                                    s.txn(txn(delete("x", ZERO), put("x", "2"), put("y", "1")));
                                    s.txn(
                                            txn(
                                                    txn(put("m", "1")).nested(),
                                                    txn(delete("m")).nested()));
                                    long last = s.revision();
                                    hashes(s, 0, last);
                                    s.put("x", "3");
                                    s.compact(compact(last).setPhysical(true));
                                    hash(s, 0);
                                    s.put("m", "2");
                                    hashes(s, last + 1, last + 2);
                                })
                        .onFreshServer());
    }

    private static List<Scenario> compacted() {
        return List.of(
                scenario(
                                103,
                                "after a compaction the hash is of what it leaves",
                                s -> {
                                    changes(s);
                                    long last = s.revision();
                                    for (long revision = 3; revision <= last; revision += 4) {
                                        s.compact(compact(revision).setPhysical(true));
                                        hash(s, 0);
                                        hash(s, revision - 1);
                                        hashes(s, revision + 1, last + 1);
                                    }
                                    s.compact(compact(last).setPhysical(true));
                                    hash(s, 0);
                                    hash(s, last - 1);
                                    s.killAndRestart();
                                    hashes(s, last - 1, last + 1);
                                })
                        .onFreshServer(),
                scenario(
                                281,
                                "a compaction at a delete, and one of revision 0",
                                s -> {
                                    s.compact(compact(0).setPhysical(true));
                                    s.put("a", "1");
                                    hash(s, 2);
                                    s.put("b", "1");
                                    s.delete(delete("a"));
                                    s.compact(compact(4).setPhysical(true));
                                    s.put("a", "2");
                                    hashes(s, 5, 6);
                                    s.compact(compact(5).setPhysical(true));
                                    s.put("c", "1");
                                    hash(s, 6);
                                })
                        .onFreshServer(),
                scenario(
                                282,
                                "when no key is left the hash is of what was compacted",
                                s -> {
                                    s.put("a", "1");
                                    s.put("b", "1");
                                    s.compact(compact(3).setPhysical(true));
                                    s.put("b", "2");
                                    s.delete(delete(ZERO, ZERO));
                                    hashes(s, 4, 5);
                                    s.put("a", "2");
                                    hash(s, 6);
                                    s.txn(txn(delete(ZERO, ZERO), put(ZERO, "3")));
                                    hashes(s, 4, 7);
                                })
                        .onFreshServer(),
                scenario(
                                284,
                                "the hash of a revision stays when that is compacted and"
                                        + " defragmented",
                                s -> {
                                    changes(s);
                                    long last = s.revision();
                                    hash(s, 5);
                                    s.compact(compact(5).setPhysical(true));
                                    defragment(s);
                                    hash(s, 5);
                                    hashes(s, 8, last);
                                    s.compact(compact(8).setPhysical(true));
                                    hash(s, 8);
                                    hash(s, 0);
                                    hash(s, last);
                                    s.compact(compact(last).setPhysical(true));
                                    defragment(s);
                                    hash(s, last);
                                    s.put("later", "1");
                                    hash(s, last);
                                    s.killAndRestart();
                                    hashes(s, last, last + 1);
                                })
                        .onFreshServer(),
                scenario(
                        283,
                        "hashing changes nothing, and nothing else does what it does",
                        s -> {
                            s.put("a", "1");
                            long last = s.revision();
                            hash(s, last + 1);
                            s.range(get("a"));
                            s.note("revision", s.revision() - last);
                        }));
    }

    /** Whatever a seed says, hashed on the way and in the end. */
    private static Scenario history(int seed) {
        return scenario(
                        FIRST_HISTORY + seed,
                        "the hash of made-up history " + seed,
                        s -> new HashedHistory(s, seed).play())
                .onFreshServer();
    }

    private static void changes(Session s) {
        s.grant(lease(71, 600));
        s.put(put("a", "1").setLease(71));
        s.put("b", "1");
        s.put("\u00ff\0$%", "");
        s.put("a", "2");
        s.delete(delete("b"));
        s.put("b", "2");
        s.txn(txn(put("c", "1"), put("d", "1"), delete("a")));
        s.put(put("e", "1").setLease(71));
        s.put(put("d", "2").setLease(71));
        s.revoke(71);
        s.delete(delete("c"));
        s.put("c", "\n");
        s.put(put("c", "").setIgnoreValue(true));
    }

    /** Hashes at the revisions of [from, to]. */
    private static void hashes(Session s, long from, long to) {
        for (long revision = from; revision <= to; revision++) {
            hash(s, revision);
        }
    }
}
