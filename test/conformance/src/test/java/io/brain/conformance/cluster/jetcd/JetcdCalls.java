package io.brain.conformance.cluster.jetcd;

import static io.brain.conformance.cluster.jetcd.JetcdSide.bytes;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.maintenance.AlarmMember;
import io.etcd.jetcd.maintenance.AlarmType;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.CompactOption;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.LeaseOption;
import io.etcd.jetcd.options.PutOption;
import io.etcd.jetcd.options.WatchOption;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Calls of jetcd's clients, in the order in which they are made. */
final class JetcdCalls {

    private JetcdCalls() {}

    /**
     * A call.
     *
     * @param client of jetcd's
     * @param deviates true where Brain is known not to answer as etcd does
     */
    record Call(String client, String text, Asked asked, boolean deviates) {}

    /** Makes a call. */
    interface Asked {
        CompletableFuture<?> by(JetcdSide side) throws Exception;
    }

    static List<Call> all() {
        return Stream.of(kv(), watch(), maintenance(), cluster(), lease(), deviations())
                .flatMap(List::stream)
                .toList();
    }

    private static List<Call> kv() {
        GetOption sorted =
                GetOption.builder()
                        .isPrefix(true)
                        .withLimit(2)
                        .withSortField(GetOption.SortTarget.MOD)
                        .withSortOrder(GetOption.SortOrder.DESCEND)
                        .build();
        DeleteOption withValues = DeleteOption.builder().isPrefix(true).withPrevKV(true).build();
        Cmp isThere = new Cmp(bytes("a"), Cmp.Op.GREATER, CmpTarget.version(0));
        Op.PutOp put = Op.put(bytes("t"), bytes("1"), PutOption.DEFAULT);
        Op.GetOp get = Op.get(bytes("a"), GetOption.DEFAULT);
        Op.DeleteOp delete = Op.delete(bytes("t"), DeleteOption.DEFAULT);
        return List.of(
                kv("put", kv -> kv.put(bytes("a"), bytes("1"))),
                kv(
                        "put, previous value",
                        kv ->
                                kv.put(
                                        bytes("a"),
                                        bytes("2"),
                                        PutOption.builder().withPrevKV().build())),
                kv("put of an empty key", kv -> kv.put(ByteSequence.EMPTY, bytes("1"))),
                kv("put of another key", kv -> kv.put(bytes("ab"), bytes("3"))),
                kv("get", kv -> kv.get(bytes("a"))),
                kv("get of nothing", kv -> kv.get(bytes("missing"))),
                kv("get, prefix, sorted, limited", kv -> kv.get(bytes("a"), sorted)),
                kv("get, old revision", kv -> kv.get(bytes("a"), at(2))),
                kv("get, future revision", kv -> kv.get(bytes("a"), at(1000))),
                kv(
                        "get, keys only",
                        kv -> kv.get(bytes("a"), GetOption.builder().withKeysOnly(true).build())),
                kv(
                        "get, count only, serializable",
                        kv ->
                                kv.get(
                                        bytes("a"),
                                        GetOption.builder()
                                                .isPrefix(true)
                                                .withCountOnly(true)
                                                .withSerializable(true)
                                                .build())),
                kv("txn, then", kv -> kv.txn().If(isThere).Then(put, get).Else(delete).commit()),
                kv(
                        "txn, nested",
                        kv ->
                                kv.txn()
                                        .Then(
                                                Op.txn(
                                                        new Cmp[] {isThere},
                                                        new Op[] {delete},
                                                        new Op[] {put}))
                                        .commit()),
                kv("txn, a key twice", kv -> kv.txn().Then(put, put).commit()),
                kv("delete, prefix, previous values", kv -> kv.delete(bytes("a"), withValues)),
                kv("delete of nothing", kv -> kv.delete(bytes("missing"))),
                kv("compact", kv -> kv.compact(4)),
                kv("compact again", kv -> kv.compact(4)),
                kv(
                        "compact, physical",
                        kv ->
                                kv.compact(
                                        5,
                                        CompactOption.builder().withCompactPhysical(true).build())),
                kv("get, compacted revision", kv -> kv.get(bytes("a"), at(2))));
    }

    private static List<Call> watch() {
        return List.of(
                watch("a put", side -> side.watch("w", option(), 1, () -> put(side, "w", "1"))),
                watch(
                        "previous values, prefix, a delete",
                        side ->
                                side.watch(
                                        "w",
                                        option().withPrevKV(true).isPrefix(true),
                                        2,
                                        () -> {
                                            put(side, "w/1", "2");
                                            delete(side, "w");
                                        })),
                watch("history", side -> side.watch("w", option().withRevision(6), 1, () -> {})),
                watch(
                        "filter: no puts",
                        side ->
                                side.watch(
                                        "w",
                                        option().withNoPut(true),
                                        1,
                                        () -> {
                                            put(side, "w", "3");
                                            delete(side, "w");
                                        })),
                watch("compacted", side -> side.watch("w", option().withRevision(1), 1, () -> {})),
                watch("progress, asked for", side -> side.watch("w", option(), -1, () -> {})));
    }

    private static List<Call> maintenance() {
        return List.of(
                of("Maintenance", "statusMember", s -> maintenance(s).statusMember(s.endpoint())),
                of("Maintenance", "hashKV", s -> maintenance(s).hashKV(s.endpoint(), 0)),
                of("Maintenance", "hashKV, revision", s -> maintenance(s).hashKV(s.endpoint(), 8)),
                of("Maintenance", "hashKV, future", s -> maintenance(s).hashKV(s.endpoint(), 999)),
                of("Maintenance", "hashKV, compacted", s -> maintenance(s).hashKV(s.endpoint(), 2)),
                of("Maintenance", "listAlarms", s -> maintenance(s).listAlarms()),
                of(
                        "Maintenance",
                        "snapshot",
                        s ->
                                maintenance(s)
                                        .snapshot(new ByteArrayOutputStream())
                                        .thenApply(bytes -> "a snapshot")),
                of(
                        "Maintenance",
                        "alarmDisarm",
                        s ->
                                maintenance(s)
                                        .alarmDisarm(
                                                new AlarmMember(s.member(), AlarmType.NOSPACE))),
                of(
                        "Maintenance",
                        "defragmentMember",
                        s -> maintenance(s).defragmentMember(s.endpoint())),
                of("Maintenance", "moveLeader, itself", s -> maintenance(s).moveLeader(s.member())),
                of("Maintenance", "moveLeader, nobody", s -> maintenance(s).moveLeader(1234)));
    }

    private static List<Call> cluster() {
        return List.of(
                of("Cluster", "listMember", s -> cluster(s).listMember()),
                of("Cluster", "addMember, known URL", s -> cluster(s).addMember(own(s))),
                of("Cluster", "addMember, learner", s -> cluster(s).addMember(own(s), true)),
                of("Cluster", "removeMember, unknown", s -> cluster(s).removeMember(1234)),
                of("Cluster", "promoteMember, unknown", s -> cluster(s).promoteMember(1234)),
                of("Cluster", "promoteMember", s -> cluster(s).promoteMember(s.member())),
                of(
                        "Cluster",
                        "updateMember, same",
                        s -> cluster(s).updateMember(s.member(), own(s))),
                of("Cluster", "updateMember, unknown", s -> cluster(s).updateMember(1234, other())),
                of(
                        "Cluster",
                        "updateMember, other URL",
                        s -> cluster(s).updateMember(s.member(), other())));
    }

    private static List<Call> lease() {
        LeaseOption withKeys = LeaseOption.builder().withAttachedKeys().build();
        return List.of(
                of("Lease", "grant", s -> s.grant(1000)),
                of(
                        "KV",
                        "put with a lease",
                        s ->
                                s.client()
                                        .getKVClient()
                                        .put(
                                                bytes("l"),
                                                bytes("1"),
                                                PutOption.builder()
                                                        .withLeaseId(s.lease())
                                                        .build())),
                of("Lease", "timeToLive, keys", s -> leases(s).timeToLive(s.lease(), withKeys)),
                of("Lease", "keepAliveOnce", s -> leases(s).keepAliveOnce(s.lease())),
                of("Lease", "revoke", s -> leases(s).revoke(s.lease())),
                of("Lease", "revoke again", s -> leases(s).revoke(s.lease())),
                of("Lease", "timeToLive, gone", s -> leases(s).timeToLive(77, withKeys)),
                of("Lease", "keepAliveOnce, gone", s -> leases(s).keepAliveOnce(77)),
                of("Lease", "grant, 0 seconds", s -> s.grant(0)),
                of("Lease", "grant, too long", s -> s.grant(9_000_000_001L)));
    }

    /** In the end, because etcd does these. */
    private static List<Call> deviations() {
        return List.of(
                new Call(
                        "Cluster",
                        "addMember, another learner",
                        s -> cluster(s).addMember(List.of(URI.create("http://127.0.0.1:2")), true),
                        true));
    }

    private interface AskedOfKv {
        CompletableFuture<?> by(KV kv);
    }

    private static Call kv(String text, AskedOfKv asked) {
        return of("KV", text, side -> asked.by(side.client().getKVClient()));
    }

    private static Call watch(String text, Asked asked) {
        return of("Watch", text, asked);
    }

    private static Call of(String client, String text, Asked asked) {
        return new Call(client, text, asked, false);
    }

    private static GetOption at(long revision) {
        return GetOption.builder().withRevision(revision).build();
    }

    private static WatchOption.Builder option() {
        return WatchOption.builder();
    }

    private static void put(JetcdSide side, String key, String value) {
        var unused = side.client().getKVClient().put(bytes(key), bytes(value)).join();
    }

    private static void delete(JetcdSide side, String key) {
        var unused = side.client().getKVClient().delete(bytes(key)).join();
    }

    private static io.etcd.jetcd.Maintenance maintenance(JetcdSide side) {
        return side.client().getMaintenanceClient();
    }

    private static io.etcd.jetcd.Cluster cluster(JetcdSide side) {
        return side.client().getClusterClient();
    }

    private static io.etcd.jetcd.Lease leases(JetcdSide side) {
        return side.client().getLeaseClient();
    }

    private static List<URI> own(JetcdSide side) {
        return List.of(URI.create(side.peerUrl()));
    }

    private static List<URI> other() {
        return List.of(URI.create("http://127.0.0.1:1"));
    }
}
