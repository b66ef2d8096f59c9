package io.brain.conformance.cases;

import static io.brain.conformance.script.Requests.delete;
import static io.brain.conformance.script.Requests.get;
import static io.brain.conformance.script.Requests.put;
import static io.brain.conformance.script.Requests.range;
import static io.brain.conformance.script.Requests.sorted;
import static io.brain.conformance.script.Requests.txn;
import static io.brain.conformance.script.Scenario.scenario;

import com.google.protobuf.Message;
import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.Session;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RangeRequest.SortOrder;
import io.brain.proto.etcd.RangeRequest.SortTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Reads that filter and sort. */
final class RangeOrderCases {

    private RangeOrderCases() {}

    static List<Scenario> scenarios() {
        return Stream.of(filters(), sorts(), equalKeys()).flatMap(List::stream).toList();
    }

    private static List<Scenario> filters() {
        return List.of(
                scenario(
                        11,
                        "a revision filter thins the keys, not the count",
                        s -> {
                            fill(s);
                            long third = s.revision() - 1;
                            s.range(keys().setMinModRevision(third));
                            s.range(keys().setMinModRevision(third).setLimit(1));
                            s.range(keys().setMinModRevision(third).setLimit(2));
                        }),
                scenario(
                        12,
                        "all four filters include their bounds",
                        s -> {
                            fill(s);
                            s.put("k1", "again");
                            long last = s.revision();
                            s.range(keys().setMaxModRevision(last - 1));
                            s.range(keys().setMinModRevision(last - 1));
                            s.range(keys().setMaxCreateRevision(last - 3));
                            s.range(keys().setMinCreateRevision(last - 3));
                            s.range(
                                    keys().setMinCreateRevision(last - 4)
                                            .setMaxCreateRevision(last - 2)
                                            .setMaxModRevision(last - 1));
                        }),
                scenario(
                        201,
                        "filters with signed, unreachable and contradictory bounds",
                        s -> {
                            fill(s);
                            long last = s.revision();
                            s.range(keys().setMaxModRevision(-1));
                            s.range(keys().setMinModRevision(-1));
                            s.range(keys().setMaxCreateRevision(-1));
                            s.range(keys().setMinCreateRevision(Long.MAX_VALUE));
                            s.range(keys().setMinModRevision(last).setMaxModRevision(last - 1));
                            s.range(get("k1").setMinModRevision(last));
                        }),
                scenario(
                        202,
                        "filters at an old revision look at what was there then",
                        s -> {
                            fill(s);
                            long filled = s.revision();
                            s.put("k1", "new");
                            s.delete(delete("k2"));
                            s.range(keys().setRevision(filled).setMaxModRevision(filled - 2));
                            s.range(keys().setRevision(filled).setMinModRevision(filled + 1));
                        }));
    }

    private static List<Scenario> sorts() {
        return List.of(
                scenario(
                        15,
                        "a target without an order sorts only what the limit let in",
                        s -> {
                            fillAgainstKeyOrder(s);
                            RangeRequest.Builder byMod =
                                    sorted(keys(), SortTarget.MOD, SortOrder.NONE);
                            s.range(byMod.clone().setLimit(1));
                            s.range(byMod.clone().setLimit(2));
                            s.range(byMod);
                        }),
                scenario(
                        16,
                        "with an order, sorting comes before the limit",
                        s -> {
                            fillAgainstKeyOrder(s);
                            s.range(sorted(keys(), SortTarget.MOD, SortOrder.ASCEND).setLimit(1));
                            s.range(sorted(keys(), SortTarget.MOD, SortOrder.DESCEND).setLimit(1));
                            s.range(
                                    sorted(keys(), SortTarget.CREATE, SortOrder.DESCEND)
                                            .setLimit(3));
                        }),
                scenario(
                        17,
                        "keys descending, with a limit",
                        s -> {
                            fill(s);
                            s.range(sorted(keys(), SortTarget.KEY, SortOrder.DESCEND).setLimit(2));
                            s.range(sorted(keys(), SortTarget.KEY, SortOrder.ASCEND).setLimit(2));
                        }),
                scenario(
                        203,
                        "every target in every order, alone, with a limit, with a filter",
                        s -> {
                            fillAgainstKeyOrder(s);
                            s.put("k2", "zz");
                            s.put("k2", "\u00ff\0");
                            s.put("k3", "");
                            for (String value : List.of("x", "y", "d")) {
                                s.put("k4", value); // no two keys have the same version
                            }
                            long last = s.revision();
                            for (int target = 0; target < 5; target++) {
                                for (int order = 0; order < 3; order++) {
                                    RangeRequest.Builder range =
                                            keys().setSortTargetValue(target)
                                                    .setSortOrderValue(order);
                                    s.range(range);
                                    s.range(range.clone().setLimit(2));
                                    s.range(range.clone().setMaxModRevision(last - 1).setLimit(1));
                                }
                            }
                        }));
    }

    private static List<Scenario> equalKeys() {
        return List.of(
                scenario(
                        357,
                        "many keys that a target considers equal",
                        s -> {
                            for (int count : List.of(13, 40, 70)) {
                                fillEquals(s, count);
                                sortAll(s, count);
                            }
                        }));
    }

    /** Few versions and values, several keys in a revision. */
    private static void fillEquals(Session s, int count) {
        for (int i = 0; i < count; i++) {
            int key = i * 37 % count;
            for (int version = 0; version <= i * 7 % 3; version++) {
                s.put("k%03d".formatted(key), "v" + i * 11 % 3);
            }
        }
        List<Message.Builder> puts = new ArrayList<>();
        for (int i = 0; i < count; i += 3) {
            puts.add(put("k%03d".formatted(i), "v"));
        }
        s.txn(txn(puts.toArray(Message.Builder[]::new)));
    }

    private static void sortAll(Session s, int count) {
        for (int target = 0; target < 5; target++) {
            for (int order = 0; order < 3; order++) {
                RangeRequest.Builder range =
                        keys().setSortTargetValue(target).setSortOrderValue(order);
                s.range(range);
                s.range(range.clone().setLimit(count / 3));
                s.range(range.clone().setLimit(count - 1).setKeysOnly(true));
            }
        }
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

    /** Four keys, the oldest last. */
    private static void fillAgainstKeyOrder(Session s) {
        s.put("k4", "d");
        s.put("k2", "b");
        s.put("k3", "c");
        s.put("k1", "a");
    }
}
