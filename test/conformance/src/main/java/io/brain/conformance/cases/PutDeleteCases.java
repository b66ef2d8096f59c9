package io.brain.conformance.cases;

import static io.brain.conformance.script.Requests.ZERO;
import static io.brain.conformance.script.Requests.all;
import static io.brain.conformance.script.Requests.delete;
import static io.brain.conformance.script.Requests.get;
import static io.brain.conformance.script.Requests.large;
import static io.brain.conformance.script.Requests.lease;
import static io.brain.conformance.script.Requests.put;
import static io.brain.conformance.script.Requests.txn;
import static io.brain.conformance.script.Requests.watchAll;
import static io.brain.conformance.script.Scenario.scenario;

import io.brain.conformance.script.Scenario;
import io.brain.conformance.script.WatchStream;
import java.util.List;
import java.util.stream.Stream;

/** Puts and deletes. */
final class PutDeleteCases {

    private PutDeleteCases() {}

    static List<Scenario> scenarios() {
        return Stream.of(refusals(), puts(), leases(), deletes(), sizes())
                .flatMap(List::stream)
                .toList();
    }

    private static List<Scenario> refusals() {
        return List.of(
                scenario(
                        21,
                        "a put without a key is refused",
                        s -> {
                            s.put("", "v");
                            s.put(put("", "v").setIgnoreValue(true));
                            s.put(put("", "").setLease(99));
                        }),
                scenario(
                        22,
                        "ignoring what is also given is refused",
                        s -> {
                            s.put(put("a", "v").setIgnoreValue(true));
                            s.put(put("a", "").setIgnoreLease(true).setLease(5));
                            s.put(
                                    put("a", "v")
                                            .setIgnoreValue(true)
                                            .setIgnoreLease(true)
                                            .setLease(5));
                            s.txn(txn(put("a", "v").setIgnoreValue(true)));
                            s.txn(txn(put("a", "").setIgnoreLease(true).setLease(5)));
                        }),
                scenario(
                        23,
                        "ignoring the value or the lease of a missing key is refused",
                        s -> {
                            s.put(put("a", "").setIgnoreValue(true));
                            s.put(put("a", "v").setIgnoreLease(true));
                            s.put("a", "1");
                            s.delete(delete("a"));
                            s.put(put("a", "").setIgnoreValue(true));
                            s.range(get("a"));
                        }),
                scenario(
                        24,
                        "an unknown lease is refused and nothing is written",
                        s -> {
                            s.put(put("a", "v").setLease(12345));
                            s.put(put("a", "v").setLease(-1));
                            s.range(get("a"));
                        }),
                scenario(
                        25,
                        "of an unknown lease and a missing key, the lease is reported",
                        s -> {
                            s.put(put("a", "").setIgnoreValue(true).setLease(12345));
                            s.put(put("a", "").setIgnoreValue(true).setIgnoreLease(true));
                        }),
                scenario(
                        33,
                        "a delete without a key is refused",
                        s -> {
                            s.delete(delete(""));
                            s.delete(delete("", "z"));
                            s.delete(delete("", ZERO));
                        }));
    }

    private static List<Scenario> puts() {
        return List.of(
                scenario(
                        29,
                        "the previous key is absent at first, then what the first put wrote",
                        s -> {
                            s.put(put("a", "1").setPrevKv(true));
                            s.put(put("a", "2").setPrevKv(true));
                            s.put(put("a", "").setPrevKv(true).setIgnoreValue(true));
                            s.put(put("a", "3"));
                        }),
                scenario(
                        32,
                        "a key that is put again after a delete starts anew",
                        s -> {
                            s.put("a", "1");
                            s.put("a", "2");
                            s.delete(delete("a"));
                            s.put(put("a", "3").setPrevKv(true));
                            s.range(get("a"));
                        }),
                scenario(
                        117,
                        "putting the same value again is a change",
                        s -> {
                            WatchStream watch = s.watch();
                            watch.create(watchAll().setPrevKv(true));
                            s.put("a", "1");
                            s.put("a", "1");
                            watch.expect(2);
                            s.range(get("a"));
                        }),
                scenario(
                        209,
                        "an empty value is a value",
                        s -> {
                            s.put("a", "");
                            s.range(get("a"));
                            s.put(put("a", "x").setPrevKv(true));
                            s.put(put("a", "").setPrevKv(true));
                            s.put(put("a", "").setIgnoreValue(true).setPrevKv(true));
                            s.range(get("a"));
                        }));
    }

    private static List<Scenario> leases() {
        return List.of(
                scenario(
                        26,
                        "ignoring the value keeps it and takes the lease that is named: none",
                        s -> {
                            s.grant(lease(77, 600));
                            s.put(put("a", "1").setLease(77));
                            s.put(put("a", "").setIgnoreValue(true));
                            s.range(get("a"));
                            s.timeToLive(77);
                            s.put(put("a", "").setIgnoreValue(true).setLease(77));
                            s.range(get("a"));
                            s.timeToLive(77);
                        }),
                scenario(
                        27,
                        "ignoring the lease keeps it",
                        s -> {
                            s.grant(lease(77, 600));
                            s.put(put("a", "1").setLease(77));
                            s.put(put("a", "2").setIgnoreLease(true));
                            s.range(get("a"));
                            s.put(put("a", "").setIgnoreLease(true).setIgnoreValue(true));
                            s.range(get("a"));
                            s.timeToLive(77);
                        }),
                scenario(
                        28,
                        "a plain put takes a key off its lease",
                        s -> {
                            s.grant(lease(77, 600));
                            s.put(put("a", "1").setLease(77));
                            s.timeToLive(77);
                            s.put("a", "2");
                            s.range(get("a"));
                            s.timeToLive(77);
                        }));
    }

    private static List<Scenario> deletes() {
        return List.of(
                scenario(
                        30,
                        "deleting nothing is no change",
                        s -> {
                            s.delete(delete("a"));
                            s.delete(delete("a", "z").setPrevKv(true));
                            s.range(get("a"));
                        }),
                scenario(
                        31,
                        "deleting a range is one revision; previous keys come in key order",
                        s -> {
                            s.put("c", "3");
                            s.put("a", "1");
                            s.put("b", "2");
                            s.put("d", "4");
                            s.delete(delete("a", "d").setPrevKv(true));
                            s.range(all());
                        }),
                scenario(
                        210,
                        "deletes of reversed, open and binary ranges",
                        s -> {
                            for (String key : List.of("\0", "$", "%", "a", "b", "\u00ff")) {
                                s.put(key, key);
                            }
                            s.delete(delete("b", "a").setPrevKv(true));
                            s.delete(delete("a", "a"));
                            s.delete(delete("\0", "$").setPrevKv(true));
                            s.delete(delete("b", ZERO).setPrevKv(true));
                            s.delete(delete(ZERO, ZERO));
                            s.delete(delete(ZERO, ZERO));
                            s.range(all());
                        }),
                scenario(
                        211,
                        "a deleted key is off its lease",
                        s -> {
                            s.grant(lease(77, 600));
                            s.put(put("a", "1").setLease(77));
                            s.put(put("b", "1").setLease(77));
                            s.delete(delete("a").setPrevKv(true));
                            s.timeToLive(77);
                            s.delete(delete("b", ZERO));
                            s.timeToLive(77);
                            s.revoke(77);
                        }));
    }

    private static List<Scenario> sizes() {
        return List.of(
                scenario(
                        34,
                        "requests at, above and far above the size limits",
                        s -> {
                            s.put(put("key", large(1_572_834)));
                            s.range(get("key").setCountOnly(true));
                            s.put(put("key", large(1_572_864)));
                            s.put(put("key", large(2_097_152)));
                            s.range(get("key").setKeysOnly(true));
                        }),
                scenario(
                        212,
                        "the size limit is the whole request's: keys, operations, deletes",
                        s -> {
                            s.txn(txn(put("a", large(900_000)), put("b", large(900_000))));
                            s.txn(txn(put("a", large(780_000)), put("b", large(780_000))));
                            s.delete(delete("a".repeat(1_600_000)));
                            s.put("a".repeat(1_600_000), "v");
                            s.put("a".repeat(1_500_000), "v");
                            s.range(get("a".repeat(1_500_000)).setKeysOnly(true));
                            s.range(get("a".repeat(2_097_000)));
                            s.range(get("a".repeat(2_097_152)));
                        }),
                scenario(
                                213,
                                "the size limit can be set, and moves the transport's",
                                s -> {
                                    s.put(put("key", large(9_900)));
                                    s.put(put("key", large(10_000)));
                                    s.put(put("key", large(500_000)));
                                    s.put(put("key", large(534_288)));
                                })
                        .onFreshServer("--max-request-bytes=10000"));
    }
}
