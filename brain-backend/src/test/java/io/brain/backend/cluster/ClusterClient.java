package io.brain.backend.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.cluster.link.LeaderCommand.KeepLeaseAlive;
import io.brain.backend.cluster.link.LeaderCommand.RevokeLease;
import io.brain.backend.model.Compare;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Txn;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** A client that sends one call at a time to random servers. Each write puts a unique value. */
final class ClusterClient extends OneCallClient {
    /** All keys. */
    static final KeySpan ALL = KeySpan.of(Bytes.wrap(new byte[1]), Bytes.wrap(new byte[1]));

    private static final KeySpan COUNTER = KeySpan.of(Bytes.utf8("counter"));

    private final Random random;
    private final String name;
    private int made;
    private ClientAnswers.Lease lease;

    ClusterClient(SimulatedCluster cluster, ClientAnswers answers, Random random, int number) {
        super(cluster, answers);
        this.random = random;
        this.name = "c" + number;
    }

    /** Starts its next request. */
    void act() {
        SimulatedServer server = cluster.any();
        if (!server.isAlive() || server.isStalled()) {
            return;
        }
        int dice = random.nextInt(100);
        if (dice < 25) {
            put(server);
        } else if (dice < 32) {
            delete(server);
        } else if (dice < 45) {
            increment(server);
        } else if (dice < 65) {
            read(server);
        } else if (dice < 78) {
            readSerializable(server);
        } else if (dice < 82) {
            readOld(server);
        } else if (dice < 86) {
            grant(server);
        } else if (dice < 90) {
            putWithLease(server);
        } else if (dice < 95) {
            keepAlive(server);
        } else if (dice < 96) {
            revoke(server);
        } else {
            compact(server);
        }
    }

    private void answered(SimulatedServer server, long revision, long since) {
        server.answered(revision, cluster.simulation.nanos() - since);
    }

    private String id() {
        return name + "#" + made++;
    }

    private void put(SimulatedServer server) {
        String id = id();
        long before = answers.newest();
        long since = cluster.simulation.nanos();
        Txn txn =
                random.nextBoolean()
                        ? Txn.of(put("own-" + name, id, 0))
                        : new Txn(
                                List.of(),
                                List.of(
                                        put("own-" + name, id, 0),
                                        new Op.Range(RangeQuery.of(ALL))),
                                List.of());
        ask(
                server,
                "put " + id,
                server.node().txn(txn, 100),
                reply -> {
                    reply.held().close();
                    long revision = reply.answer().revision();
                    answers.written(id, revision, before);
                    answered(server, revision, since);
                    if (reply.answer().results().size() > 1) {
                        OpResult.Range range = (OpResult.Range) reply.answer().results().get(1);
                        answers.read("a write's own range", null, range, revision);
                    }
                },
                () -> answers.refused(id));
    }

    private void delete(SimulatedServer server) {
        String id = id();
        long before = answers.newest();
        long since = cluster.simulation.nanos();
        Txn txn =
                new Txn(
                        List.of(),
                        List.of(
                                new Op.Delete(KeySpan.of(Bytes.utf8("own-" + name)), false),
                                put("mark-" + name, id, 0)),
                        List.of());
        ask(
                server,
                "delete " + id,
                server.node().txn(txn, 100),
                reply -> {
                    reply.held().close();
                    answers.written(id, reply.answer().revision(), before);
                    answered(server, reply.answer().revision(), since);
                },
                () -> answers.refused(id));
    }

    private void increment(SimulatedServer server) {
        ask(
                server,
                "get counter",
                server.node().range(RangeQuery.of(COUNTER)),
                reply -> {
                    reply.held().close();
                    if (server.isAlive()) {
                        increment(server, reply.answer().kvs());
                    }
                },
                () -> {});
    }

    private void increment(SimulatedServer server, List<Bytes> kvs) {
        KeyValue kv = kvs.isEmpty() ? null : KeyValue.decode(kvs.get(0));
        long count = kv == null ? 0 : Long.parseLong(StoredHistory.text(kv.value()));
        String id = id();
        Txn txn =
                new Txn(
                        List.of(
                                new Compare(
                                        COUNTER,
                                        Compare.Target.MOD,
                                        Compare.Relation.EQUAL,
                                        kv == null ? 0 : kv.modRevision(),
                                        Bytes.EMPTY)),
                        List.of(
                                put("counter", Long.toString(count + 1), 0),
                                put("mark-" + name, id, 0)),
                        List.of(new Op.Range(RangeQuery.of(COUNTER))));
        long before = answers.newest();
        long since = cluster.simulation.nanos();
        ask(
                server,
                "increment " + id,
                server.node().txn(txn, 50),
                reply -> {
                    reply.held().close();
                    long revision = reply.answer().revision();
                    answered(server, revision, since);
                    if (reply.answer().succeeded()) {
                        answers.written(id, revision, before);
                    } else {
                        assertThat(revision).isGreaterThanOrEqualTo(before);
                        OpResult.Range range = (OpResult.Range) reply.answer().results().get(0);
                        answers.read("a failed compare's range", "counter", range, revision);
                        answers.refused(id);
                        answers.sawRevision(revision);
                    }
                },
                () -> answers.refused(id));
    }

    /** Sends a linearizable read. */
    void read(SimulatedServer server) {
        long before = answers.newest();
        ask(
                server,
                "read",
                server.node().range(RangeQuery.of(ALL)),
                reply -> {
                    reply.held().close();
                    long revision = reply.answer().revision();
                    assertThat(revision).as("a read's revision").isGreaterThanOrEqualTo(before);
                    answers.sawRevision(revision);
                    answers.read("read", null, reply.answer(), revision);
                },
                () -> {});
    }

    private void readOld(SimulatedServer server) {
        long at = Math.max(1, answers.newest() - random.nextInt(10));
        ask(
                server,
                "read old",
                server.node().range(RangeQuery.at(ALL, at, 0)),
                reply -> {
                    reply.held().close();
                    answers.sawRevision(reply.answer().revision());
                    answers.read("read of an old revision", null, reply.answer(), at);
                },
                () -> {});
    }

    /** Sends a serializable read. */
    void readSerializable(SimulatedServer server) {
        RangeQuery all = RangeQuery.of(ALL);
        RangeQuery query =
                new RangeQuery(
                        all.span(),
                        0,
                        0,
                        all.sortOrder(),
                        all.sortTarget(),
                        false,
                        false,
                        true,
                        all.filter());
        long before = server.known;
        ask(
                server,
                "serializable read",
                server.node().range(query),
                reply -> {
                    reply.held().close();
                    long revision = reply.answer().revision();
                    assertThat(revision).as("back in time").isGreaterThanOrEqualTo(before);
                    server.known = Math.max(server.known, revision);
                    answers.sawRevision(revision);
                    answers.read("serializable read", null, reply.answer(), revision);
                },
                () -> {});
    }

    private void grant(SimulatedServer server) {
        int ttl = 2 + random.nextInt(4);
        long since = cluster.simulation.nanos();
        ask(
                server,
                "grant",
                server.node().submit(new GrantLease(0, ttl)),
                granted -> {
                    assertThat(granted.ttl()).isEqualTo(ttl);
                    Duration time = Duration.ofSeconds(ttl);
                    lease = new ClientAnswers.Lease(granted.id(), time.toNanos(), since);
                },
                () -> {});
    }

    private void putWithLease(SimulatedServer server) {
        ClientAnswers.Lease of = lease;
        if (of == null) {
            return;
        }
        String id = id();
        String key = "leased-" + id;
        answers.attached(key, of);
        long before = answers.newest();
        ask(
                server,
                "put with lease " + id,
                server.node().txn(Txn.of(put(key, id, of.id)), 100),
                reply -> {
                    reply.held().close();
                    answers.written(id, reply.answer().revision(), before);
                },
                () -> answers.refused(id));
    }

    private void keepAlive(SimulatedServer server) {
        ClientAnswers.Lease of = lease;
        if (of == null) {
            return;
        }
        long since = cluster.simulation.nanos();
        ask(
                server,
                "keep alive",
                server.node().submit(new KeepLeaseAlive(of.id)),
                granted -> {
                    if (granted.ttl() > 0) {
                        of.renewedAt(since);
                    } else {
                        boolean over = cluster.simulation.nanos() >= of.aliveUntil || of.revoked;
                        assertThat(over).as("lease %x is not lost", of.id).isTrue();
                    }
                },
                () -> {});
    }

    private void revoke(SimulatedServer server) {
        if (lease != null) {
            lease.revoked = true;
            ask(
                    server,
                    "revoke",
                    server.node().submit(new RevokeLease(lease.id)),
                    answers::sawRevision,
                    () -> {});
        }
    }

    private void compact(SimulatedServer server) {
        long revision = answers.newest() - random.nextInt(30);
        boolean physical = random.nextInt(4) == 0;
        ask(
                server,
                "compact " + physical,
                server.node().submit(new Compact(revision, physical)),
                answers::sawRevision,
                () -> {});
    }

    private static Op put(String key, String value, long lease) {
        return new Op.Put(Bytes.utf8(key), Bytes.utf8(value), lease, false, false, false);
    }
}
