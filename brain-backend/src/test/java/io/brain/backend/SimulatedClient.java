package io.brain.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.cluster.link.LeaderCommand.KeepLeaseAlive;
import io.brain.backend.cluster.link.LeaderCommand.RevokeLease;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.Compare;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Txn;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A client that does one thing at a time and remembers what it was told: a key of its own, a
 * counter that it shares with others, leases. A request without a clear answer may have happened.
 */
final class SimulatedClient {
    /** Ends that say for sure: it did not happen. */
    private static final Set<ErrorKind> REFUSALS =
            Set.of(
                    ErrorKind.TOO_MANY_REQUESTS,
                    ErrorKind.NO_LEADER,
                    ErrorKind.LEASE_NOT_FOUND,
                    ErrorKind.LEASE_EXISTS,
                    ErrorKind.COMPACTED,
                    ErrorKind.FUTURE_REVISION);

    /** A put that was acknowledged. */
    record Acknowledged(String key, String value, long revision) {}

    /** What all clients together know. */
    static final class Shared {
        /** The newest revision that anybody was told of. */
        long told = 1;

        long incrementsDone;
        long incrementsOpen;
        final List<Acknowledged> puts = new ArrayList<>();

        /** What was not as it must be. */
        final List<Throwable> violations = new ArrayList<>();
    }

    private static final String COUNTER = "counter";

    private final NodeFixture fixture;
    private final Random random;
    private final Shared shared;
    private final String key;
    private int written;

    /** What the own key may hold now; null stands for "does not exist". */
    private final Set<String> possible = new HashSet<>();

    private long lease;
    private boolean busy;

    SimulatedClient(NodeFixture fixture, Random random, Shared shared, int number) {
        this.fixture = fixture;
        this.random = random;
        this.shared = shared;
        this.key = "own" + number;
        possible.add(null);
    }

    String key() {
        return key;
    }

    /** What the own key may hold in the end. */
    Set<String> possible() {
        return possible;
    }

    boolean isBusy() {
        return busy;
    }

    /** Starts its next request. */
    void act() {
        int dice = random.nextInt(100);
        if (dice < 40) {
            write();
        } else if (dice < 55) {
            read();
        } else if (dice < 75) {
            increment();
        } else if (dice < 80) {
            grant();
        } else if (dice < 88) {
            putWithLease();
        } else if (dice < 94) {
            keepAlive();
        } else if (dice < 96) {
            revoke();
        } else {
            compact();
        }
    }

    private void write() {
        boolean delete = random.nextInt(4) == 0;
        String value = delete ? null : key + "#" + written++;
        long before = shared.told;
        boolean wasPossible = !possible.add(value);
        Op op = delete ? NodeFixture.deleteOf(key) : NodeFixture.putOf(key, value, 0);
        ask(
                fixture.submit(op),
                reply -> {
                    reply.held().close();
                    told(reply.answer().revision(), before, !delete);
                    possible.clear();
                    possible.add(value);
                    if (!delete) {
                        long revision = reply.answer().revision();
                        shared.puts.add(new Acknowledged(key, value, revision));
                    }
                },
                () -> {
                    if (!wasPossible) {
                        possible.remove(value);
                    }
                });
    }

    private void read() {
        long before = shared.told;
        ask(
                fixture.node.range(RangeQuery.of(KeySpan.of(Bytes.utf8(key)))),
                reply -> {
                    reply.held().close();
                    List<Bytes> kvs = reply.answer().kvs();
                    String value = kvs.isEmpty() ? null : NodeFixture.valueOf(kvs.get(0));
                    assertThat(possible).contains(value);
                    told(reply.answer().revision(), before, false);
                },
                () -> {});
    }

    private void increment() {
        KeySpan span = KeySpan.of(Bytes.utf8(COUNTER));
        ask(
                fixture.node.range(RangeQuery.of(span)),
                reply -> {
                    reply.held().close();
                    increment(span, reply.answer().kvs());
                },
                () -> {});
    }

    private void increment(KeySpan span, List<Bytes> kvs) {
        KeyValue kv = kvs.isEmpty() ? null : KeyValue.decode(kvs.get(0));
        long count = kv == null ? 0 : Long.parseLong(NodeFixture.valueOf(kv.encoded()));
        Txn txn =
                new Txn(
                        List.of(
                                new Compare(
                                        span,
                                        Compare.Target.MOD,
                                        Compare.Relation.EQUAL,
                                        kv == null ? 0 : kv.modRevision(),
                                        Bytes.EMPTY)),
                        List.of(NodeFixture.putOf(COUNTER, Long.toString(count + 1), 0)),
                        List.of(new Op.Range(RangeQuery.of(span))));
        long before = shared.told;
        shared.incrementsOpen++;
        ask(
                fixture.node.txn(txn, 50),
                reply -> {
                    reply.held().close();
                    boolean done = reply.answer().succeeded();
                    told(reply.answer().revision(), before, done);
                    shared.incrementsOpen--;
                    shared.incrementsDone += done ? 1 : 0;
                },
                () -> shared.incrementsOpen--);
    }

    private void grant() {
        ask(
                fixture.node.submit(new GrantLease(0, 2 + random.nextInt(4))),
                granted -> lease = granted.id(),
                () -> {});
    }

    private void putWithLease() {
        Op put = NodeFixture.putOf("leased" + random.nextInt(5), key, lease);
        ask(fixture.submit(put), reply -> reply.held().close(), () -> {});
    }

    private void keepAlive() {
        ask(fixture.node.submit(new KeepLeaseAlive(lease)), granted -> {}, () -> {});
    }

    private void revoke() {
        ask(fixture.node.submit(new RevokeLease(lease)), revision -> {}, () -> {});
    }

    private void compact() {
        long revision = shared.told - random.nextInt(30);
        ask(fixture.node.submit(new Compact(revision, random.nextBoolean())), done -> {}, () -> {});
    }

    private void told(long revision, long before, boolean changed) {
        if (changed) {
            assertThat(revision).isGreaterThan(before);
        } else {
            assertThat(revision).isGreaterThanOrEqualTo(before);
        }
        shared.told = Math.max(shared.told, revision);
    }

    private <T> void ask(CompletableFuture<T> future, Consumer<T> answered, Runnable refused) {
        busy = true;
        CompletionStage<T> stage = future;
        stage.whenComplete(
                (value, failure) -> {
                    busy = false;
                    try {
                        if (failure == null) {
                            answered.accept(value);
                        } else if (REFUSALS.contains(kindOf(failure))) {
                            refused.run();
                        }
                    } catch (RuntimeException | AssertionError violation) {
                        shared.violations.add(violation);
                    }
                });
    }

    private static ErrorKind kindOf(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return ((BackendException) cause).kind();
    }
}
