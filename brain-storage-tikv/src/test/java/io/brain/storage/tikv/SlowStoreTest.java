package io.brain.storage.tikv;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.brain.proto.tikv.Kvrpcpb.CheckTxnStatusResponse;
import io.brain.proto.tikv.Kvrpcpb.CommitResponse;
import io.brain.proto.tikv.Kvrpcpb.KeyError;
import io.brain.proto.tikv.Kvrpcpb.KvPair;
import io.brain.proto.tikv.Kvrpcpb.LockInfo;
import io.brain.proto.tikv.Kvrpcpb.PrewriteResponse;
import io.brain.proto.tikv.Kvrpcpb.ResolveLockResponse;
import io.brain.proto.tikv.Kvrpcpb.ScanResponse;
import io.brain.proto.tikv.Kvrpcpb.TxnHeartBeatRequest;
import io.brain.proto.tikv.Kvrpcpb.TxnHeartBeatResponse;
import io.brain.proto.tikv.TikvGrpc;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.WriteBatch;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A store that takes longer for the keys of one batch than one request may take. */
@Timeout(60)
final class SlowStoreTest {
    private static final int KEYS = 20_000;
    private static final int KEYS_PER_MILLI = 4;
    private static final long RPC_TIMEOUT = 4000;
    private static final long LOCK_TTL = 2000;

    private final AtomicInteger keys = new AtomicInteger();
    private StubCluster cluster;
    private KvStorage storage;

    @BeforeEach
    void open() throws Exception {
        cluster = new StubCluster();
        storage =
                cluster.open(
                        "rpc-timeout-ms", "" + RPC_TIMEOUT,
                        "lock-ttl-ms", "" + LOCK_TTL);
    }

    @AfterEach
    void close() throws Exception {
        storage.close();
        cluster.close();
    }

    private static Bytes key(int number) {
        return Bytes.utf8(String.format(Locale.ROOT, "key %06d", number));
    }

    /** Takes as long as a store that works on one request after the other. */
    private synchronized <R> R work(int count, R answer) {
        keys.addAndGet(count);
        try {
            TimeUnit.MILLISECONDS.sleep(count / KEYS_PER_MILLI);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return answer;
    }

    private static WriteBatch largeBatch() {
        WriteBatch.Builder batch =
                WriteBatch.builder().putIfAbsent(Bytes.utf8("fence"), Bytes.utf8("1"));
        IntStream.range(0, KEYS).forEach(i -> batch.put(key(i), Bytes.utf8("v")));
        return batch.build();
    }

    private void prewriteSlowly() {
        cluster.answer(
                1,
                TikvGrpc.getKvPrewriteMethod(),
                request ->
                        work(request.getMutationsCount(), PrewriteResponse.getDefaultInstance()));
    }

    @Test
    void aLargeBatchIsCommittedInParts() throws Exception {
        cluster.answer(
                1,
                TikvGrpc.getKvCommitMethod(),
                request -> work(request.getKeysCount(), CommitResponse.getDefaultInstance()));

        assertThat(storage.commit(largeBatch()).toCompletableFuture().get(30, TimeUnit.SECONDS))
                .isInstanceOf(CommitResult.Committed.class);
        storage.close(); // waits for the secondaries
        assertThat(keys).as("no key is sent twice").hasValue(KEYS + 1);
        assertThat(storage.stats()).containsEntry("region_errors", 0L);
    }

    @Test
    void theLockOfALargeBatchIsExtendedUntilItIsPrewritten() throws Exception {
        List<TxnHeartBeatRequest> extensions = new CopyOnWriteArrayList<>();
        cluster.answer(
                1,
                TikvGrpc.getKvTxnHeartBeatMethod(),
                request -> {
                    extensions.add(request);
                    return TxnHeartBeatResponse.getDefaultInstance();
                });
        prewriteSlowly();

        assertThat(storage.commit(largeBatch()).toCompletableFuture().get(30, TimeUnit.SECONDS))
                .isInstanceOf(CommitResult.Committed.class);
        assertThat(extensions).hasSizeGreaterThan(1);
        long last = 0;
        for (TxnHeartBeatRequest extension : extensions) {
            assertThat(extension.getPrimaryLock().toStringUtf8()).isEqualTo("fence");
            assertThat(extension.getAdviseLockTtl()).isGreaterThan(last);
            last = extension.getAdviseLockTtl();
        }
        assertThat(last).isGreaterThan(RPC_TIMEOUT);
    }

    @Test
    void theLocksOfALargeBatchAreResolvedInParts() {
        long startTs = storage.timestamp();
        cluster.answer(
                1,
                TikvGrpc.getKvScanMethod(),
                request ->
                        keys.get() == KEYS ? ScanResponse.getDefaultInstance() : locked(startTs));
        cluster.answer(
                1,
                TikvGrpc.getKvCheckTxnStatusMethod(),
                request ->
                        CheckTxnStatusResponse.newBuilder().setCommitVersion(startTs + 1).build());
        cluster.answer(
                1,
                TikvGrpc.getKvResolveLockMethod(),
                request -> work(request.getKeysCount(), ResolveLockResponse.getDefaultInstance()));

        try (Snapshot snapshot = storage.snapshot();
                Cursor cursor =
                        snapshot.cursor(
                                KeyRange.prefix(Bytes.utf8("key ")), Cursor.Direction.FORWARD)) {
            assertThat(cursor.next()).isFalse();
        }
        assertThat(keys).as("no lock is resolved twice").hasValue(KEYS);
    }

    private static ScanResponse locked(long startTs) {
        ScanResponse.Builder answer = ScanResponse.newBuilder();
        for (int i = 0; i < KEYS; i++) {
            ByteString key = ByteString.copyFrom(key(i).array());
            LockInfo.Builder lock =
                    LockInfo.newBuilder()
                            .setKey(key)
                            .setPrimaryLock(ByteString.copyFromUtf8("fence"))
                            .setLockVersion(startTs)
                            .setLockTtl(LOCK_TTL);
            answer.addPairs(KvPair.newBuilder().setError(KeyError.newBuilder().setLocked(lock)));
        }
        return answer.build();
    }
}
