package io.brain.conformance.cases;

import static io.brain.conformance.script.Requests.ZERO;
import static io.brain.conformance.script.Requests.all;
import static io.brain.conformance.script.Requests.delete;
import static io.brain.conformance.script.Requests.get;
import static io.brain.conformance.script.Requests.lease;
import static io.brain.conformance.script.Requests.put;
import static io.brain.conformance.script.Requests.range;
import static io.brain.conformance.script.Requests.txn;
import static io.brain.conformance.script.Requests.version;
import static io.brain.conformance.script.Requests.watchAll;
import static io.brain.conformance.script.Requests.when;
import static io.brain.conformance.script.Scenario.scenario;
import static io.brain.proto.etcd.Compare.CompareResult.EQUAL;

import com.google.protobuf.Message;
import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.WatchStream;
import io.brain.proto.etcd.Compare;
import io.brain.proto.etcd.RequestOp;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Transactions: what they may hold, and what their operations see and answer. */
final class TxnCases {

    private TxnCases() {}

    static List<Scenario> scenarios() {
        return Stream.of(empty(), order(), reads(), limits(), checks())
                .flatMap(List::stream)
                .toList();
    }

    private static List<Scenario> empty() {
        return List.of(
                scenario(
                        35,
                        "an empty transaction succeeds and changes nothing",
                        s -> {
                            s.txn(txn());
                            s.put("a", "1");
                            s.txn(txn());
                        }),
                scenario(
                        36,
                        "a failed compare without an else branch is no change",
                        s -> {
                            s.txn(when(version("a", EQUAL, 1)).then(put("a", "1")));
                            s.range(get("a"));
                        }),
                scenario(
                        37,
                        "deleting nothing in a transaction is no change",
                        s -> {
                            s.txn(txn(delete("a")));
                            s.txn(txn(delete("a", "z").setPrevKv(true), delete(ZERO, ZERO)));
                        }),
                scenario(
                        54,
                        "an operation without a request is refused",
                        s -> {
                            s.txn(txn(RequestOp.newBuilder()));
                            s.txn(txn(put("a", "1"), RequestOp.newBuilder()));
                            s.txn(
                                    when(version("a", EQUAL, 0))
                                            .then(put("a", "1"))
                                            .otherwise(RequestOp.newBuilder()));
                            s.range(get("a"));
                        }),
                scenario(
                        63,
                        "a transaction that only reads is no change",
                        s -> {
                            s.put("a", "1");
                            s.txn(txn(get("a"), all()));
                            s.txn(txn(get("a").setSerializable(true)));
                            s.txn(when(version("a", EQUAL, 9)).then().otherwise(get("a")));
                            s.txn(txn(txn(get("a")).nested()));
                        }));
    }

    private static List<Scenario> order() {
        return List.of(
                scenario(
                        38,
                        "inner headers: the old revision until the first change, then the new",
                        s -> {
                            s.put("z", "1");
                            s.txn(txn(delete("a"), put("b", "1"), delete("c")));
                        }),
                scenario(
                        39,
                        "reads see what came before them in the transaction",
                        s -> {
                            s.put("a", "old");
                            s.put("b", "old");
                            s.txn(
                                    txn(
                                            all(),
                                            put("c", "new").setPrevKv(true),
                                            put("a", "new").setPrevKv(true),
                                            all(),
                                            delete("b").setPrevKv(true),
                                            all(),
                                            all().setCountOnly(true)));
                        }),
                scenario(
                        118,
                        "a transaction's events come in its order, in one response",
                        s -> {
                            s.put("b1", "1");
                            s.put("b3", "3");
                            s.put("b2", "2");
                            WatchStream watch = s.watch();
                            watch.create(watchAll().setPrevKv(true));
                            s.txn(txn(put("zz", "1"), delete("b", "c"), put("aa", "1")));
                            watch.expect(1);
                            watch.expectNothing();
                        }));
    }

    private static List<Scenario> reads() {
        return List.of(
                scenario(
                        40,
                        "a read at the revision before the transaction does not see its writes",
                        s -> {
                            s.put("a", "1");
                            long before = s.revision();
                            s.txn(
                                    txn(
                                            put("b", "1"),
                                            range("a", "z").setRevision(before),
                                            range("a", "z"),
                                            get("a").setRevision(before - 1)));
                        }),
                scenario(
                        41,
                        "a read at the transaction's own revision is refused with all the rest",
                        s -> {
                            long next = s.revision() + 1;
                            s.txn(txn(put("b", "1"), get("b").setRevision(next)));
                            s.range(get("b"));
                        }),
                scenario(
                        42,
                        "what the branch not taken would read does not matter",
                        s -> {
                            long next = s.revision() + 5;
                            s.txn(
                                    when(version("a", EQUAL, 0))
                                            .then(put("a", "1"))
                                            .otherwise(get("a").setRevision(next)));
                            s.txn(
                                    when(version("a", EQUAL, 0))
                                            .then(get("a").setRevision(next))
                                            .otherwise(put("a", "2").setPrevKv(true)));
                        }));
    }

    private static List<Scenario> limits() {
        return List.of(
                scenario(
                        55,
                        "128 operations or compares pass, 129 do not",
                        s -> {
                            s.txn(txn(puts(128)));
                            s.txn(txn(puts(129)));
                            s.txn(when(compares(128)).then(put("a", "1")));
                            s.txn(when(compares(129)).then(put("a", "1")));
                            s.txn(when(version("a", EQUAL, 0)).then().otherwise(puts(129)));
                            s.range(all().setCountOnly(true));
                        }),
                scenario(
                        56,
                        "nested transactions share what their parent leaves of the limit",
                        s -> {
                            s.txn(txn(withNested(27, txn(puts(100)).nested())));
                            s.txn(txn(withNested(28, txn(puts(100)).nested())));
                            s.txn(when(compares(100)).then(txn(puts(29)).nested()));
                            s.txn(when(compares(100)).then(txn(puts(28)).nested()));
                            s.txn(
                                    txn(
                                            txn(puts(100)).nested(),
                                            txn(delete("q"), txn(gets(110)).nested()).nested()));
                        }),
                scenario(
                                214,
                                "the number of operations can be limited",
                                s -> {
                                    s.txn(txn(puts(3)));
                                    s.txn(txn(puts(4)));
                                    s.txn(txn(put("a", "1"), txn(puts(1)).nested()));
                                    s.txn(txn(put("a", "1"), txn(puts(2)).nested()));
                                })
                        .onFreshServer("--max-txn-ops=3"));
    }

    private static List<Scenario> checks() {
        return List.of(
                scenario(
                        61,
                        "a bad put undoes the good one before it",
                        s -> {
                            s.txn(txn(put("a", "1"), put("b", "1").setLease(999)));
                            s.txn(txn(put("a", "1"), put("b", "").setIgnoreValue(true)));
                            s.range(all());
                        }),
                scenario(
                        62,
                        "of a bad lease and a missing key in a transaction, the lease is reported",
                        s -> {
                            s.txn(txn(put("a", "").setIgnoreValue(true).setLease(999)));
                            s.txn(
                                    txn(
                                            put("a", "").setIgnoreValue(true),
                                            put("b", "1").setLease(999)));
                        }),
                scenario(
                        215,
                        "bad puts in the branch not taken do not matter",
                        s -> {
                            s.txn(
                                    when(version("a", EQUAL, 0))
                                            .then(put("a", "1"))
                                            .otherwise(put("b", "1").setLease(999)));
                            s.txn(
                                    when(version("a", EQUAL, 0))
                                            .then(put("b", "").setIgnoreValue(true))
                                            .otherwise(put("a", "").setIgnoreValue(true)));
                            s.range(all());
                        }),
                scenario(
                        216,
                        "what an operation needs must be there before the transaction",
                        s -> {
                            s.txn(txn(put("a", "1"), put("b", "").setIgnoreValue(true)));
                            s.range(all());
                            s.txn(txn(put("c", "1"), txn(get("c").setRevision(-7)).nested()));
                            s.range(all());
                        }),
                scenario(
                        217,
                        "leases, ignored values and previous keys work inside",
                        s -> {
                            s.grant(lease(77, 600));
                            s.put("a", "1");
                            s.txn(
                                    txn(
                                            put("a", "").setIgnoreValue(true).setLease(77),
                                            put("b", "2").setLease(77).setPrevKv(true)));
                            s.timeToLive(77);
                            s.txn(
                                    txn(
                                            put("a", "3").setIgnoreLease(true).setPrevKv(true),
                                            delete("b").setPrevKv(true)));
                            s.timeToLive(77);
                            s.range(all());
                        }));
    }

    private static Message.Builder[] puts(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> put("p" + i, "v"))
                .toArray(Message.Builder[]::new);
    }

    private static Message.Builder[] gets(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> get("p" + i).setKeysOnly(true))
                .toArray(Message.Builder[]::new);
    }

    private static Message.Builder[] withNested(int others, Message.Builder nested) {
        Message.Builder[] ops = new Message.Builder[others + 1];
        for (int i = 0; i < others; i++) {
            ops[i] = put("o" + i, "v");
        }
        ops[others] = nested;
        return ops;
    }

    private static Compare.Builder[] compares(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> version("c" + i, EQUAL, 0))
                .toArray(Compare.Builder[]::new);
    }
}
