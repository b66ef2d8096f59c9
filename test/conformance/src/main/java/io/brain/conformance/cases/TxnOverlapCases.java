package io.brain.conformance.cases;

import static io.brain.conformance.script.Requests.ZERO;
import static io.brain.conformance.script.Requests.all;
import static io.brain.conformance.script.Requests.delete;
import static io.brain.conformance.script.Requests.get;
import static io.brain.conformance.script.Requests.put;
import static io.brain.conformance.script.Requests.txn;
import static io.brain.conformance.script.Requests.version;
import static io.brain.conformance.script.Requests.watchAll;
import static io.brain.conformance.script.Requests.when;
import static io.brain.conformance.script.Scenario.scenario;
import static io.brain.proto.etcd.Compare.CompareResult.EQUAL;

import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.WatchStream;
import java.util.List;
import java.util.stream.Stream;

/** Transactions whose operations touch the same keys. */
final class TxnOverlapCases {

    private TxnOverlapCases() {}

    static List<Scenario> scenarios() {
        return Stream.of(overlaps(), deleteOverlaps()).flatMap(List::stream).toList();
    }

    private static List<Scenario> overlaps() {
        return List.of(
                scenario(
                        43,
                        "the same key twice in one branch is refused, in either branch",
                        s -> {
                            s.txn(txn(put("k", "1"), put("k", "2")));
                            s.txn(
                                    when(version("k", EQUAL, 0))
                                            .then(put("a", "1"))
                                            .otherwise(put("k", "1"), put("k", "2")));
                            s.range(all());
                        }),
                scenario(
                        49,
                        "the same key in both branches is fine",
                        s -> {
                            s.txn(
                                    when(version("k", EQUAL, 0))
                                            .then(put("k", "1"))
                                            .otherwise(put("k", "2"), delete("j")));
                            s.range(get("k"));
                        }),
                scenario(
                        50,
                        "keys of nested transactions count, but not across their branches",
                        s -> {
                            s.txn(txn(put("d", "1"), txn(put("d", "2")).nested()));
                            s.txn(txn(txn(put("d", "2")).nested(), put("d", "1")));
                            s.txn(txn(txn(put("d", "1")).nested(), txn(put("d", "2")).nested()));
                            s.txn(
                                    txn(
                                            when(version("d", EQUAL, 0))
                                                    .then(put("d", "1"))
                                                    .otherwise(put("d", "2"))
                                                    .nested()));
                            s.txn(
                                    txn(
                                            txn(put("e", "1")).otherwise(put("f", "1")).nested(),
                                            put("f", "2")));
                            s.range(all());
                        }),
                scenario(
                        51,
                        "a nested put and a later nested delete of it pass, the reverse does not",
                        s -> {
                            s.txn(txn(txn(put("m", "1")).nested(), txn(delete("m")).nested()));
                            s.txn(txn(txn(delete("m")).nested(), txn(put("m", "1")).nested()));
                            s.txn(txn(delete("m"), txn(put("m", "1")).nested()));
                            s.txn(txn(txn(put("m", "1")).nested(), delete("m")));
                            s.txn(txn(txn(delete("m")).nested(), put("m", "1")));
                            s.txn(txn(put("m", "1"), txn(delete("m")).nested()));
                            s.range(get("m"));
                        }));
    }

    private static List<Scenario> deleteOverlaps() {
        return List.of(
                scenario(
                        44,
                        "a put of a key that is deleted in the same branch is refused",
                        s -> {
                            s.txn(txn(delete("k"), put("k", "1")));
                            s.txn(txn(put("k", "1"), delete("k")));
                            s.txn(txn(put("k", "1"), delete("j", "l")));
                            s.txn(txn(delete("j", "l"), put("k", "1")));
                            s.txn(txn(delete("j", "k"), put("k", "1")));
                            s.range(all());
                        }),
                scenario(
                        45,
                        "a put and a delete of everything after it happen in order",
                        s -> {
                            s.put("x", "0");
                            s.put("y", "0");
                            WatchStream watch = s.watch();
                            watch.create(watchAll().setPrevKv(true));
                            s.txn(txn(put("x", "1").setPrevKv(true), delete("x", ZERO)));
                            watch.expect(1);
                            s.range(get("x"));
                            s.range(get("x").setRevision(s.revision() - 1));
                        }),
                scenario(
                        46,
                        "a delete of everything after a key, and a put of it, happen in order",
                        s -> {
                            s.put("x", "0");
                            WatchStream watch = s.watch();
                            watch.create(watchAll().setPrevKv(true));
                            s.txn(
                                    txn(
                                            delete("x", ZERO).setPrevKv(true),
                                            put("x", "1").setPrevKv(true),
                                            get("x")));
                            watch.expect(1);
                            s.range(get("x"));
                        }),
                scenario(
                        47,
                        "a delete of a reversed range beside a put in it is fine",
                        s -> {
                            s.txn(txn(delete("z", "a"), put("k", "1")));
                            s.txn(txn(put("k", "2"), delete("k", "k")));
                            s.range(get("k"));
                        }),
                scenario(
                        48,
                        "overlapping deletes: the second finds only what is left",
                        s -> {
                            for (String key : List.of("a", "b", "c")) {
                                s.put(key, key);
                            }
                            s.txn(
                                    txn(
                                            delete("a", "c").setPrevKv(true),
                                            delete("a", "d").setPrevKv(true),
                                            delete("b")));
                        }));
    }
}
