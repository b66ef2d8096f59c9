package io.brain.admin.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.store.Fence;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.VersionRecord;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.MemoryStorage;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Expiry records of a store with key a at revision 4, in a store of 6 revisions. */
class ExpiryCheckTest {
    private static final Bytes A = Bytes.utf8("a");
    private static final Bytes TIME = Bytes.wrap(new byte[8]);

    private final KeyCoder coder = new KeyCoder(Bytes.EMPTY);
    private final KvStorage storage =
            new MemoryStorage(Runnable::run, Set.of(StorageTrait.EXCLUSIVE_OPEN));

    @BeforeEach
    void write() {
        Bytes kv = KeyValueCodec.encode(A, 2, 4, 2, Bytes.EMPTY, 0);
        put(coder.headKey(A), new VersionRecord(4, 0, kv).encode());
        put(coder.fenceKey(), new Fence(1, 5, 6, 0, 1, 0).encode());
    }

    @Test
    void recordsOfTheHeadAndOfReplacedVersionsAreSound() {
        put(coder.expiries().key(4, A), TIME);
        put(coder.expiries().key(2, A), TIME);
        put(coder.expiries().key(3, Bytes.utf8("deleted")), TIME);
        assertThat(findings()).isEmpty();
    }

    @Test
    void aVersionThatNeverWasIsReported() {
        put(coder.expiries().key(5, A), TIME);
        assertThat(findings())
                .containsExactly(
                        "key \"a\" at revision 5: has an expiry record, but no such version");
    }

    @Test
    void malformedRecordsAreReported() {
        put(coder.expiries().key(7, A), TIME);
        put(coder.expiries().key(4, Bytes.EMPTY), TIME);
        put(coder.expiries().key(4, A), Bytes.wrap(new byte[7]));
        assertThat(findings())
                .hasSize(3)
                .allMatch(finding -> finding.startsWith("invalid expiry record: "));
    }

    private void put(Bytes key, Bytes value) {
        CommitResult result =
                storage.commit(WriteBatch.builder().put(key, value).build())
                        .toCompletableFuture()
                        .join();
        assertThat(result).isInstanceOf(CommitResult.Committed.class);
    }

    /** Those about expiry records: the store has nothing else. */
    private List<String> findings() {
        List<String> findings = new ArrayList<>();
        new StoreCheck(storage, "", findings::add, (step, progress) -> {}).run();
        return findings.stream()
                .filter(finding -> finding.contains("expiry") || finding.contains("unknown"))
                .toList();
    }
}
