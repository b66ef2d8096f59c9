package io.brain.storage.placed;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.MemoryStorage;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A store that takes smaller keys and values than the base. */
final class SizeLimitsTest {
    private static final int KEY_MAX = 20;
    private static final int VALUE_MAX = 10;

    private final KvStorage small =
            new ForwardingKvStorage(new MemoryStorage()) {
                @Override
                public int keyBytesMax() {
                    return KEY_MAX;
                }

                @Override
                public int valueBytesMax() {
                    return VALUE_MAX;
                }
            };

    @Test
    void whatIsTooLongForAPlacedStoreIsRefusedBeforeTheCommit() {
        try (PlacedStorage storage = Prefixes.open(Prefixes.base(), Map.of("hot", small))) {
            assertThat(storage.keyBytesMax()).isEqualTo(KEY_MAX);
            assertThat(storage.valueBytesMax()).isEqualTo(VALUE_MAX);
            commit(storage, "p/1", "1");
            storage.place(Bytes.utf8("p/"), "hot");
            Prefixes.finish(storage);

            assertRefused(commit(storage, "p/1", "v".repeat(VALUE_MAX + 1)));
            assertRefused(commit(storage, "p/" + "k".repeat(KEY_MAX), "1"));
            assertThat(commit(storage, "p/1", "v".repeat(VALUE_MAX)))
                    .isInstanceOf(CommitResult.Committed.class);
            assertThat(commit(storage, "other", "v".repeat(VALUE_MAX + 1)))
                    .isInstanceOf(CommitResult.Committed.class);
        }
    }

    private static void assertRefused(CommitResult result) {
        assertThat(result).isInstanceOf(CommitResult.Unavailable.class);
        assertThat(((CommitResult.Unavailable) result).cause())
                .hasMessage("a key or value is too long for store hot")
                .extracting(StorageException::kind)
                .isEqualTo(Kind.TOO_LARGE);
    }

    private static CommitResult commit(KvStorage storage, String key, String value) {
        return Futures.join(
                storage.commit(
                        WriteBatch.builder().put(Bytes.utf8(key), Bytes.utf8(value)).build()));
    }
}
