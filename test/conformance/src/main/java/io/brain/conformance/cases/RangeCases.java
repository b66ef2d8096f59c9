package io.brain.conformance.cases;

import static io.brain.conformance.script.Requests.ZERO;
import static io.brain.conformance.script.Requests.all;
import static io.brain.conformance.script.Requests.compact;
import static io.brain.conformance.script.Requests.delete;
import static io.brain.conformance.script.Requests.get;
import static io.brain.conformance.script.Requests.lease;
import static io.brain.conformance.script.Requests.put;
import static io.brain.conformance.script.Requests.range;
import static io.brain.conformance.script.Requests.sorted;
import static io.brain.conformance.script.Requests.txn;
import static io.brain.conformance.script.Scenario.scenario;

import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.Session;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RangeRequest.SortOrder;
import io.brain.proto.etcd.RangeRequest.SortTarget;
import java.util.List;
import java.util.stream.Stream;

/** Reads. */
final class RangeCases {

    private RangeCases() {}

    static List<Scenario> scenarios() {
        return Stream.of(requests(), limits(), revisions(), more()).flatMap(List::stream).toList();
    }

    private static List<Scenario> requests() {
        return List.of(
                scenario(
                                1,
                                "a fresh store is at revision 1 and has no keys",
                                s -> {
                                    s.range(get("a"));
                                    s.range(all());
                                })
                        .onFreshServer(),
                scenario(
                        2,
                        "a range without a key is refused",
                        s -> {
                            s.range(get(""));
                            s.range(range("", "z"));
                        }),
                scenario(
                        3,
                        "a future revision is refused, whatever the kind of read",
                        s -> {
                            s.put("a", "1");
                            long next = s.revision() + 1;
                            s.range(get("a").setRevision(next));
                            s.range(get("a").setRevision(next).setSerializable(true));
                            s.range(get("a").setRevision(Long.MAX_VALUE));
                        }),
                scenario(
                                4,
                                "a negative revision is the newest, but not in a transaction",
                                s -> {
                                    s.put("a", "1");
                                    s.range(get("a").setRevision(-5));
                                    s.txn(txn(get("a").setRevision(-5)));
                                    s.txn(txn(get("a").setRevision(-1)));
                                })
                        .onFreshServer(),
                scenario(
                        5,
                        "unknown sort orders and targets are refused",
                        s -> {
                            s.range(get("a").setSortOrderValue(7));
                            s.range(get("a").setSortTargetValue(9));
                            s.range(get("a").setSortOrderValue(-1));
                            s.txn(txn(get("a").setSortTargetValue(5)));
                            s.range(get("").setSortOrderValue(7));
                        }),
                scenario(
                        8,
                        "an empty or reversed range has no keys and is no error",
                        s -> {
                            fill(s);
                            s.range(range("k4", "k1"));
                            s.range(range("k2", "k2"));
                        }),
                scenario(
                        9,
                        "a zero byte as end reads to the last key",
                        s -> {
                            fill(s);
                            s.range(all());
                            s.range(range("k2", ZERO));
                            s.range(range("k2x", ZERO));
                        }),
                scenario(
                        19,
                        "a limit does not matter to a single key",
                        s -> {
                            fill(s);
                            s.range(get("k1").setLimit(5));
                            s.range(get("nothing").setLimit(5));
                        }));
    }

    private static List<Scenario> limits() {
        return List.of(
                scenario(
                        6,
                        "a limit cuts the answer and says more; the count is the whole range's",
                        s -> {
                            fill(s);
                            s.range(keys().setLimit(2));
                            s.range(keys().setLimit(4));
                            s.range(keys().setLimit(5));
                        }),
                scenario(
                        7,
                        "a negative limit is none",
                        s -> {
                            fill(s);
                            s.range(keys().setLimit(-1));
                            s.range(keys().setLimit(Long.MAX_VALUE));
                            s.range(keys().setLimit(Long.MIN_VALUE));
                        }),
                scenario(
                        10,
                        "a count ignores limit and filters",
                        s -> {
                            fill(s);
                            long revision = s.revision();
                            s.range(keys().setCountOnly(true).setLimit(1));
                            s.range(keys().setCountOnly(true).setMinModRevision(revision));
                            s.range(
                                    keys().setCountOnly(true)
                                            .setLimit(1)
                                            .setMinModRevision(revision)
                                            .setRevision(revision - 1));
                        }),
                scenario(
                        13,
                        "keys only: no values, revisions kept",
                        s -> {
                            s.grant(lease(77, 600));
                            s.put(put("k1", "one").setLease(77));
                            s.put("k2", "two");
                            s.range(keys().setKeysOnly(true));
                            s.range(get("k1").setKeysOnly(true));
                            s.txn(txn(keys().setKeysOnly(true)));
                        }),
                scenario(
                        14,
                        "keys only, sorted by value: sorted by the real values, then blanked",
                        s -> {
                            s.grant(lease(77, 600));
                            s.put(put("k1", "b").setLease(77));
                            s.put("k2", "c");
                            s.put("k3", "a");
                            s.range(
                                    sorted(keys(), SortTarget.VALUE, SortOrder.DESCEND)
                                            .setKeysOnly(true));
                            s.range(
                                    sorted(keys(), SortTarget.VALUE, SortOrder.ASCEND)
                                            .setKeysOnly(true)
                                            .setLimit(2));
                        }));
    }

    private static List<Scenario> revisions() {
        return List.of(
                scenario(
                        18,
                        "a read at an old revision has the old values under today's header",
                        s -> {
                            fill(s);
                            long filled = s.revision();
                            s.put("k1", "new");
                            s.delete(delete("k2"));
                            s.range(keys().setRevision(filled));
                            s.range(keys().setRevision(filled - 2));
                            s.range(keys().setRevision(filled).setLimit(1).setSerializable(true));
                        }),
                scenario(
                        20,
                        "the compacted revision can be read, the one before cannot",
                        s -> {
                            fill(s);
                            s.put("k1", "new");
                            long last = s.revision();
                            s.compact(compact(last - 1));
                            s.range(keys().setRevision(last - 1));
                            s.range(keys().setRevision(last - 2));
                            s.range(keys().setRevision(last - 2).setSerializable(true));
                            s.range(keys().setRevision(last - 2).setCountOnly(true));
                            s.txn(txn(keys().setRevision(last - 2)));
                            s.range(keys().setRevision(1));
                            s.range(keys().setRevision(-1));
                        }),
                scenario(
                                204,
                                "revision 1 is an empty store, until it is compacted",
                                s -> {
                                    s.put("a", "1");
                                    s.range(all().setRevision(1));
                                    s.compact(compact(2));
                                    s.range(all().setRevision(1));
                                })
                        .onFreshServer(),
                scenario(
                        205,
                        "a read in a gap between deletion and re-creation finds nothing",
                        s -> {
                            s.put("a", "1");
                            long first = s.revision();
                            s.delete(delete("a"));
                            s.put("b", "1");
                            s.put("a", "2");
                            for (long revision = first; revision <= first + 3; revision++) {
                                s.range(get("a").setRevision(revision));
                                s.range(range("a", "b").setRevision(revision));
                            }
                        }));
    }

    private static List<Scenario> more() {
        return List.of(
                scenario(
                        206,
                        "keys are any bytes, in unsigned order",
                        s -> {
                            String[] keys = {
                                "\0",
                                "\0\0",
                                "\0$",
                                "$",
                                "$$",
                                "$%",
                                "%",
                                "%%",
                                "a",
                                "a\0",
                                "a$",
                                "a%",
                                "a%$",
                                "a%%",
                                "b",
                                "\u007f",
                                "\u0080",
                                "\u00ff",
                                "\u00ff\u00ff"
                            };
                            for (String key : keys) {
                                s.put(key, key);
                            }
                            s.range(all());
                            s.range(range("a", "b"));
                            s.range(range("a\0", "a%"));
                            s.range(range("\u00ff", ZERO));
                            s.range(range("$", "%"));
                            s.range(sorted(all(), SortTarget.VALUE, SortOrder.DESCEND));
                            for (String key : keys) {
                                s.range(get(key));
                                s.range(range(key, key + ZERO));
                            }
                        }),
                scenario(
                        207,
                        "an order of checks: key, sort, revision",
                        s -> {
                            s.range(get("").setRevision(Long.MAX_VALUE));
                            s.range(get("a").setSortTargetValue(9).setRevision(Long.MAX_VALUE));
                            s.range(get("a").setRevision(Long.MAX_VALUE).setCountOnly(true));
                        }),
                scenario(
                        208,
                        "a page of a thousand keys and the rest",
                        s -> {
                            for (int i = 0; i < 1100; i++) {
                                s.unrecorded()
                                        .call(
                                                io.brain.proto.etcd.KVGrpc.getPutMethod(),
                                                put(String.format("k%04d", i), "v" + i).build())
                                        .get();
                            }
                            s.range(keys().setLimit(1000));
                            s.range(range("k0999\0", "l").setLimit(1000));
                            s.range(keys().setCountOnly(true));
                        }));
    }

    private static RangeRequest.Builder keys() {
        return range("k", "l");
    }

    /** Four keys at four revisions, in key order. */
    private static void fill(Session s) {
        s.put("k1", "a");
        s.put("k2", "b");
        s.put("k3", "c");
        s.put("k4", "d");
    }
}
