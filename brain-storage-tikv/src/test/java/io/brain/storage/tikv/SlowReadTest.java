package io.brain.storage.tikv;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.brain.proto.tikv.Kvrpcpb.BatchGetResponse;
import io.brain.proto.tikv.Kvrpcpb.KvPair;
import io.brain.proto.tikv.Kvrpcpb.ScanRequest;
import io.brain.proto.tikv.Kvrpcpb.ScanResponse;
import io.brain.proto.tikv.TikvGrpc;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Large values behind small ones, from a store that takes its time for each large one. */
@Timeout(120)
final class SlowReadTest {
    private static final int SMALL = 300;
    private static final int LARGE = 30;
    private static final KeyRange KEYS = KeyRange.prefix(Bytes.utf8("key "));
    private static final int LARGE_BYTES = 1 << 20;
    private static final int LARGE_MILLIS = 50;

    /** Longer than the timeout of a request. */
    private static final int SLOW_SCAN_MILLIS = 900;

    private StubCluster cluster;
    private KvStorage storage;

    @BeforeEach
    void open() throws Exception {
        cluster = new StubCluster();
        storage = cluster.open("rpc-timeout-ms", "600", "read-timeout-ms", "60000");
    }

    @AfterEach
    void close() throws Exception {
        storage.close();
        cluster.close();
    }

    private static ByteString key(int number) {
        return ByteString.copyFromUtf8(String.format(Locale.ROOT, "key %06d", number));
    }

    private static int number(ByteString key) {
        return Integer.parseInt(key.substring(4, 10).toStringUtf8());
    }

    /** A pair; slow if it is large, whatever the store does besides. */
    private synchronized KvPair pair(int number) {
        boolean large = number >= SMALL;
        if (large) {
            sleep(LARGE_MILLIS);
        }
        return KvPair.newBuilder()
                .setKey(key(number))
                .setValue(ByteString.copyFrom(new byte[large ? LARGE_BYTES : 1]))
                .build();
    }

    private static void sleep(int millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private ScanResponse scan(ScanRequest request) {
        ByteString start = request.getStartKey();
        int first = start.size() < 10 ? 0 : number(start) + (start.size() > 10 ? 1 : 0);
        int end = Math.min(SMALL + LARGE, first + request.getLimit());
        ScanResponse.Builder answer = ScanResponse.newBuilder();
        IntStream.range(first, end).forEach(number -> answer.addPairs(pair(number)));
        return answer.build();
    }

    @Test
    void aScanPassesLargeValues() {
        cluster.answer(1, TikvGrpc.getKvScanMethod(), this::scan);
        int count = 0;
        try (Snapshot snapshot = storage.snapshot();
                Cursor cursor = snapshot.cursor(KEYS, Cursor.Direction.FORWARD)) {
            while (cursor.next()) {
                assertThat(cursor.key()).isEqualTo(Bytes.wrap(key(count).toByteArray()));
                count++;
            }
        }
        assertThat(count).isEqualTo(SMALL + LARGE);
    }

    /** As behind many keys that were deleted and are not collected yet. */
    @Test
    void aScanFindsAPairThatTakesLongerThanARequestMay() {
        cluster.answer(
                1,
                TikvGrpc.getKvScanMethod(),
                request -> {
                    sleep(SLOW_SCAN_MILLIS);
                    return ScanResponse.newBuilder().addPairs(pair(0)).build();
                });
        try (Snapshot snapshot = storage.snapshot();
                Cursor cursor = snapshot.cursor(KEYS, Cursor.Direction.FORWARD)) {
            assertThat(cursor.next()).isTrue();
        }
    }

    /** The other pairs may lie behind many that are deleted. */
    @Test
    void aReverseScanFirstAsksForOnePair() {
        List<Integer> limits = new CopyOnWriteArrayList<>();
        cluster.answer(
                1,
                TikvGrpc.getKvScanMethod(),
                request -> {
                    limits.add(request.getLimit());
                    return ScanResponse.newBuilder().addPairs(pair(0)).build();
                });
        try (Snapshot snapshot = storage.snapshot();
                Cursor cursor = snapshot.cursor(KEYS, Cursor.Direction.REVERSE)) {
            assertThat(cursor.next()).isTrue();
        }
        assertThat(limits).containsExactly(1);
    }

    @Test
    void aLookupOfLargeValuesGetsThemInParts() {
        cluster.answer(
                1,
                TikvGrpc.getKvBatchGetMethod(),
                request -> {
                    BatchGetResponse.Builder answer = BatchGetResponse.newBuilder();
                    request.getKeysList().forEach(key -> answer.addPairs(pair(number(key))));
                    return answer.build();
                });
        List<Bytes> keys =
                IntStream.range(SMALL, SMALL + LARGE)
                        .mapToObj(number -> Bytes.wrap(key(number).toByteArray()))
                        .toList();
        try (Snapshot snapshot = storage.snapshot()) {
            assertThat(snapshot.get(keys)).hasSize(LARGE).doesNotContainNull();
        }
    }
}
