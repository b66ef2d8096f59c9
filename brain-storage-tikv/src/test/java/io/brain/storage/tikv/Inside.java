package io.brain.storage.tikv;

import io.brain.proto.tikv.Kvrpcpb.Mutation;
import io.brain.proto.tikv.Kvrpcpb.Op;
import io.brain.proto.tikv.Kvrpcpb.PrewriteRequest;
import io.brain.proto.tikv.Kvrpcpb.PrewriteResponse;
import io.brain.storage.Bytes;
import io.brain.storage.WriteBatch;
import io.brain.storage.tikv.client.Backoff;
import io.brain.storage.tikv.client.Cluster;
import io.brain.storage.tikv.client.Counters;
import io.brain.storage.tikv.client.RegionFanout;
import io.brain.storage.tikv.client.SilentStores;
import io.brain.storage.tikv.client.TikvSettings;
import io.brain.storage.tikv.client.Wire;
import java.time.Duration;
import java.util.Map;
import java.util.function.LongSupplier;

/** The parts of a storage, for tests that stop a transaction in the middle. */
final class Inside implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    final Counters counters = new Counters();
    final Cluster cluster;
    final RegionFanout fanout;
    final LockResolver locks;
    final Reader reader;

    Inside(Map<String, String> options) {
        this(options, System::currentTimeMillis);
    }

    /** With a system clock of the test. */
    Inside(Map<String, String> options, LongSupplier systemMillis) {
        TikvSettings settings = TikvSettings.parse(options);
        cluster = Cluster.connect(settings, counters, systemMillis);
        SilentStores silent = new SilentStores(cluster.regions());
        fanout = new RegionFanout(cluster.regions(), silent);
        InFlight inFlight = new InFlight(settings.rpcTimeout());
        locks = new LockResolver(fanout, cluster.clock(), inFlight, counters);
        reader =
                new Reader(
                        fanout, cluster.regions(), silent, locks, at -> {}, settings.readTimeout());
    }

    static Backoff backoff() {
        return new Backoff(TIMEOUT);
    }

    long now() {
        return cluster.clock().now(backoff());
    }

    /** One that commits its primary alone, so that it can stop behind that. */
    Transaction begin(WriteBatch batch, Duration lockTtl) {
        return begin(batch, lockTtl, 0);
    }

    Transaction begin(WriteBatch batch, Duration lockTtl, int withPrimaryBytes) {
        return new Transaction(fanout, locks, batch, now(), lockTtl.toMillis(), withPrimaryBytes);
    }

    /** Locks one key that is not the transaction's primary, and nothing else. */
    void orphan(Transaction transaction, String key, String value, Duration lockTtl) {
        PrewriteResponse answer =
                fanout.one(
                        Wire.of(Bytes.utf8(key)),
                        (stub, location) ->
                                stub.kvPrewrite(
                                        PrewriteRequest.newBuilder()
                                                .setContext(location.context())
                                                .addMutations(
                                                        Mutation.newBuilder()
                                                                .setOp(Op.Put)
                                                                .setKey(Wire.of(Bytes.utf8(key)))
                                                                .setValue(
                                                                        Wire.of(Bytes.utf8(value))))
                                                .setPrimaryLock(transaction.primary())
                                                .setStartVersion(transaction.startTs())
                                                .setLockTtl(lockTtl.toMillis())
                                                .setMinCommitTs(transaction.startTs() + 1)
                                                .build()),
                        r -> r.hasRegionError() ? r.getRegionError() : null,
                        backoff());
        if (answer.getErrorsCount() > 0) {
            throw RefusedException.of(answer.getErrors(0));
        }
    }

    Bytes get(String key) {
        return getAt(key, now());
    }

    Bytes getAt(String key, long timestamp) {
        return reader.get(Wire.of(Bytes.utf8(key)), new ReadPoint(timestamp));
    }

    @Override
    public void close() {
        cluster.close();
    }
}
