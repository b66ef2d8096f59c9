package io.brain.storage.placed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.MemoryStorage;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A placed store that takes less than the base. */
final class StoreLimitsTest {
    private static final int KEY_MAX = 1000;
    private static final int VALUE_MAX = 2000;

    private final MemoryStorage base = Prefixes.base();
    private final PlacedStorage storage =
            Prefixes.open(
                    base,
                    Map.of(
                            "small",
                            new ForwardingKvStorage(new MemoryStorage()) {
                                @Override
                                public int keyBytesMax() {
                                    return KEY_MAX;
                                }

                                @Override
                                public int valueBytesMax() {
                                    return VALUE_MAX;
                                }
                            }));

    @AfterEach
    void close() {
        storage.close();
    }

    private static Bytes text(String prefix, int length) {
        return Bytes.utf8(prefix + "x".repeat(length - prefix.length()));
    }

    private CommitResult put(Bytes key, Bytes value) {
        return Futures.join(storage.commit(WriteBatch.builder().put(key, value).build()));
    }

    private Bytes get(Bytes key) {
        try (Snapshot snapshot = storage.snapshot()) {
            return snapshot.get(key);
        }
    }

    private void assertRefused(Bytes key, Bytes value) {
        Bytes before = get(key);
        assertThat(put(key, value)).isInstanceOf(CommitResult.Unavailable.class);
        assertThat(((CommitResult.Unavailable) put(key, value)).cause())
                .hasMessageContaining("too large for store small")
                .extracting(StorageException::kind)
                .isEqualTo(Kind.TOO_LARGE);
        assertThat(get(key)).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource({"1000, 2000, true", "1001, 1, false", "10, 2001, false"})
    void whatAStoreMayRefuseIsRefusedBeforeTheBaseHasIt(int key, int value, boolean fits) {
        Prefixes.move(storage, "p/", "small");
        if (fits) {
            assertThat(put(text("p/", key), text("", value)))
                    .isInstanceOf(CommitResult.Committed.class);
        } else {
            assertRefused(text("p/", key), text("", value));
        }
        // Not what others take, and not what comes after it.
        assertThat(put(text("other", key), text("", value)))
                .isInstanceOf(CommitResult.Committed.class);
        assertThat(put(Bytes.utf8("p/1"), Bytes.utf8("1")))
                .isInstanceOf(CommitResult.Committed.class);
    }

    @Test
    void aValueThatTheTargetMayRefuseIsNotCopied() {
        Bytes first = Bytes.utf8("p/1");
        Bytes large = Bytes.utf8("p/2");
        put(first, Bytes.utf8("1"));
        put(large, text("", VALUE_MAX + 1));
        storage.place(Bytes.utf8("p/"), "small");
        assertThatThrownBy(storage::moveStep).hasMessageContaining("too large for store small");

        put(large, text("", VALUE_MAX));
        Prefixes.finish(storage);
        assertThat(get(large)).isEqualTo(text("", VALUE_MAX));
        try (Snapshot snapshot = base.snapshot()) {
            assertThat(snapshot.get(large)).isNull();
        }
    }

    @Test
    void aChangeOfWhatIsCopiedFitsIntoTheTarget() {
        for (int i = 10; i < 30; i++) {
            put(Bytes.utf8("p/" + i), Bytes.utf8("1"));
        }
        storage.place(Bytes.utf8("p/"), "small");
        storage.moveStep();
        assertRefused(Bytes.utf8("p/10"), text("", VALUE_MAX + 1));
        Prefixes.finish(storage);
        assertThat(get(Bytes.utf8("p/10"))).isEqualTo(Bytes.utf8("1"));
    }
}
