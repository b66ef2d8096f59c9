package io.brain.conformance.cases;

import static io.brain.conformance.script.Requests.ZERO;
import static io.brain.conformance.script.Requests.bytes;
import static io.brain.conformance.script.Requests.compare;
import static io.brain.conformance.script.Requests.created;
import static io.brain.conformance.script.Requests.delete;
import static io.brain.conformance.script.Requests.get;
import static io.brain.conformance.script.Requests.lease;
import static io.brain.conformance.script.Requests.leased;
import static io.brain.conformance.script.Requests.modified;
import static io.brain.conformance.script.Requests.put;
import static io.brain.conformance.script.Requests.range;
import static io.brain.conformance.script.Requests.txn;
import static io.brain.conformance.script.Requests.value;
import static io.brain.conformance.script.Requests.version;
import static io.brain.conformance.script.Requests.when;
import static io.brain.conformance.script.Scenario.scenario;
import static io.brain.proto.etcd.Compare.CompareResult.EQUAL;
import static io.brain.proto.etcd.Compare.CompareResult.GREATER;
import static io.brain.proto.etcd.Compare.CompareResult.LESS;
import static io.brain.proto.etcd.Compare.CompareResult.NOT_EQUAL;

import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.Session;
import io.brain.proto.etcd.Compare;
import io.brain.proto.etcd.Compare.CompareResult;
import io.brain.proto.etcd.Compare.CompareTarget;
import java.util.List;
import java.util.stream.Stream;

/** Conditions of transactions, and the shapes that Kubernetes makes of them. */
final class CompareCases {

    private CompareCases() {}

    static List<Scenario> scenarios() {
        return Stream.of(missing(), odd(), all(), nested(), kubernetes())
                .flatMap(List::stream)
                .toList();
    }

    private static List<Scenario> missing() {
        return List.of(
                scenario(
                        57,
                        "the value of a missing key compares to nothing",
                        s -> {
                            for (CompareResult result : results()) {
                                holds(s, value("a", result, ""));
                                holds(s, value("a", result, "x"));
                            }
                        }),
                scenario(
                        58,
                        "the numbers of a missing key are 0",
                        s -> {
                            for (CompareResult result : results()) {
                                holds(s, modified("a", result, 0));
                                holds(s, leased("a", result, 0));
                                holds(s, version("a", result, 1));
                                holds(s, created("a", result, -1));
                            }
                        }),
                scenario(
                        59,
                        "an empty range compares as a missing key",
                        s -> {
                            s.put("x", "1");
                            holds(s, created("a", EQUAL, 0).setRangeEnd(bytes("b")));
                            holds(s, created("a", GREATER, 0).setRangeEnd(bytes("b")));
                            holds(s, value("a", EQUAL, "").setRangeEnd(bytes("b")));
                            holds(s, value("a", NOT_EQUAL, "x").setRangeEnd(bytes("b")));
                            holds(s, version("z", EQUAL, 0).setRangeEnd(bytes("a")));
                            holds(s, version("y", LESS, 1).setRangeEnd(bytes(ZERO)));
                        }));
    }

    private static List<Scenario> odd() {
        return List.of(
                scenario(
                        60,
                        "unknown results, targets and operands of another kind",
                        s -> {
                            s.put("a", "1");
                            holds(s, version("a", EQUAL, 5).setResultValue(9));
                            holds(s, version("a", EQUAL, 5).setResultValue(-1));
                            holds(s, version("a", EQUAL, 5).setTargetValue(9));
                            holds(s, version("a", NOT_EQUAL, 5).setTargetValue(9));
                            holds(s, version("a", GREATER, 1).setTarget(CompareTarget.MOD));
                            holds(s, version("a", EQUAL, 1).setTarget(CompareTarget.VALUE));
                            holds(s, value("a", EQUAL, "1").setTarget(CompareTarget.VERSION));
                            holds(s, leased("a", LESS, 1).setTarget(CompareTarget.CREATE));
                        }),
                scenario(
                        218,
                        "a compare without an operand compares to 0 or to nothing",
                        s -> {
                            s.put("a", "1");
                            s.put("e", "");
                            for (CompareTarget target : targets()) {
                                for (CompareResult result : results()) {
                                    holds(s, compare("a", target, result));
                                    holds(s, compare("e", target, result));
                                    holds(s, compare("missing", target, result));
                                }
                            }
                        }),
                scenario(
                        219,
                        "a compare without a key is refused, nested too",
                        s -> {
                            holds(s, version("", EQUAL, 0));
                            holds(s, version("", EQUAL, 0).setRangeEnd(bytes("z")));
                            s.txn(txn(when(version("", EQUAL, 0)).then().nested()));
                        }));
    }

    private static List<Scenario> all() {
        return List.of(
                scenario(
                        220,
                        "every target with every result, below, at and above",
                        s -> {
                            s.grant(lease(77, 600));
                            s.put("a", "k");
                            s.put(put("a", "m").setLease(77));
                            long mod = s.revision();
                            for (CompareResult result : results()) {
                                for (int d = -1; d <= 1; d++) {
                                    holds(s, version("a", result, 2 + d));
                                    holds(s, modified("a", result, mod + d));
                                    holds(s, created("a", result, mod - 1 + d));
                                    holds(s, leased("a", result, 77 + d));
                                }
                                for (String v : List.of("", "l", "m", "m\0", "n", "\u00ff")) {
                                    holds(s, value("a", result, v));
                                }
                            }
                        }),
                scenario(
                        221,
                        "over a range every key must satisfy the condition",
                        s -> {
                            s.put("a1", "x");
                            s.put("a2", "x");
                            s.put("a3", "y");
                            s.put("a2", "x");
                            long last = s.revision();
                            for (CompareResult result : results()) {
                                holds(s, value("a1", result, "x").setRangeEnd(bytes("a3")));
                                holds(s, value("a1", result, "x").setRangeEnd(bytes(ZERO)));
                                holds(s, version("a", result, 1).setRangeEnd(bytes("b")));
                                holds(s, version("a3", result, 1).setRangeEnd(bytes("b")));
                                holds(s, modified("a", result, last).setRangeEnd(bytes("b")));
                                holds(s, created("a2", result, last - 2).setRangeEnd(bytes(ZERO)));
                            }
                        }),
                scenario(
                        222,
                        "all conditions must hold, and the first that fails decides nothing more",
                        s -> {
                            s.put("a", "1");
                            s.txn(
                                    when(version("a", EQUAL, 1), value("a", EQUAL, "1"))
                                            .then(get("a"))
                                            .otherwise(get("b")));
                            s.txn(
                                    when(version("a", EQUAL, 1), value("a", EQUAL, "2"))
                                            .then(get("a"))
                                            .otherwise(put("c", "1"), get("c")));
                        }));
    }

    private static List<Scenario> nested() {
        return List.of(
                scenario(
                        52,
                        "nested conditions look at the store before the transaction",
                        s -> {
                            s.txn(
                                    txn(
                                            put("n", "1"),
                                            when(version("n", EQUAL, 0))
                                                    .then(put("saw", "the state before"))
                                                    .otherwise(put("saw", "the new key"))
                                                    .nested()));
                            s.range(get("saw"));
                        }),
                scenario(
                        53,
                        "a nested answer's header has no revision, its operations' have",
                        s -> {
                            s.txn(txn(txn(put("a", "1"), get("a"), delete("b")).nested()));
                            s.txn(txn(txn(get("a"), txn().nested()).nested()));
                            s.txn(txn(txn().nested()));
                        }),
                scenario(
                        223,
                        "conditions three deep, taken and not",
                        s -> {
                            s.put("a", "1");
                            s.txn(
                                    when(version("a", EQUAL, 1))
                                            .then(
                                                    when(version("a", EQUAL, 2))
                                                            .then(put("x", "1"))
                                                            .otherwise(
                                                                    when(value("a", EQUAL, "1"))
                                                                            .then(
                                                                                    put("y", "1"),
                                                                                    range("a", "z"))
                                                                            .otherwise(delete("a"))
                                                                            .nested(),
                                                                    get("y"))
                                                            .nested(),
                                                    delete("y", ZERO).setPrevKv(true),
                                                    range("a", "z")));
                            s.range(range("a", "z"));
                        }));
    }

    private static List<Scenario> kubernetes() {
        return List.of(
                scenario(
                        115,
                        "what the API server writes: create, update and delete, twice each",
                        s -> {
                            for (int i = 0; i < 2; i++) {
                                s.txn(when(modified("/r/a", EQUAL, 0)).then(put("/r/a", "v" + i)));
                            }
                            long stale = s.revision();
                            for (int i = 0; i < 2; i++) {
                                s.txn(
                                        when(modified("/r/a", EQUAL, stale))
                                                .then(put("/r/a", "w" + i))
                                                .otherwise(get("/r/a")));
                            }
                            s.txn(
                                    when(modified("/r/a", EQUAL, stale))
                                            .then(delete("/r/a"))
                                            .otherwise(get("/r/a")));
                            s.txn(
                                    when(modified("/r/a", EQUAL, s.revision()))
                                            .then(delete("/r/a"))
                                            .otherwise(get("/r/a")));
                            s.txn(
                                    when(modified("/r/a", EQUAL, stale))
                                            .then(put("/r/a", "w"))
                                            .otherwise(get("/r/a")));
                        }),
                scenario(
                        116,
                        "how the API server pages: a pinned revision, counts of what is left",
                        s -> {
                            for (int i = 1; i <= 5; i++) {
                                s.put("/r/" + i, "v");
                            }
                            long pinned = s.revision();
                            s.range(range("/r/", "/r0").setLimit(2));
                            s.put("/r/6", "later");
                            s.range(range("/r/2\0", "/r0").setLimit(2).setRevision(pinned));
                            s.range(range("/r/4\0", "/r0").setLimit(2).setRevision(pinned));
                        }));
    }

    /** Plays a transaction that only tells whether the condition holds. */
    private static void holds(Session s, Compare.Builder condition) {
        s.txn(when(condition));
    }

    private static List<CompareResult> results() {
        return List.of(EQUAL, GREATER, LESS, NOT_EQUAL);
    }

    private static List<CompareTarget> targets() {
        return List.of(
                CompareTarget.VERSION,
                CompareTarget.CREATE,
                CompareTarget.MOD,
                CompareTarget.VALUE,
                CompareTarget.LEASE);
    }
}
