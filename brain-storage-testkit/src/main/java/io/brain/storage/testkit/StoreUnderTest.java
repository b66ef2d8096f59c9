package io.brain.storage.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Cursor;
import io.brain.storage.Cursor.Direction;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Common base of the parts of {@link KvStorageContract}: a new store and helper methods. */
interface StoreUnderTest {
    /** The store of the running test, empty when it began. */
    KvStorage store();

    /** Closes the store and opens it again. */
    KvStorage reopened();

    /** The traits of the adapter. */
    Set<StorageTrait> traits();

    /** Waits for {@code stage}, for at most a minute. */
    default CommitResult await(CompletionStage<CommitResult> stage) {
        try {
            return stage.toCompletableFuture().get(1, TimeUnit.MINUTES);
        } catch (Exception e) {
            throw new AssertionError("commit did not complete normally", e);
        }
    }

    /** Commits a batch, which must succeed; returns the timestamp. */
    default long commit(WriteBatch.Builder batch) {
        CommitResult end = await(store().commit(batch.build()));
        assertThat(end).isInstanceOf(CommitResult.Committed.class);
        return ((CommitResult.Committed) end).timestamp();
    }

    /** Puts one pair. */
    default long put(String key, String value) {
        return commit(batch().put(bytes(key), bytes(value)));
    }

    /** Puts each of the keys, with the value "of " and the key. */
    default void putAll(String... keys) {
        WriteBatch.Builder batch = batch();
        for (String key : keys) {
            batch.put(bytes(key), bytes("of " + key));
        }
        commit(batch);
    }

    /** The newest value of a key; null if it has none. */
    default String get(String key) {
        try (Snapshot snapshot = store().snapshot()) {
            return text(snapshot.get(bytes(key)));
        }
    }

    /** The keys of {@code range}, by a cursor. */
    default List<String> keys(KeyRange range, Direction direction) {
        try (Snapshot snapshot = store().snapshot()) {
            return keys(snapshot, range, direction);
        }
    }

    /** The keys of {@code range}, by a cursor. */
    default List<String> keys(Snapshot snapshot, KeyRange range, Direction direction) {
        try (Cursor cursor = snapshot.cursor(range, direction)) {
            List<String> keys = new ArrayList<>();
            while (cursor.next()) {
                keys.add(text(cursor.key()));
            }
            return keys;
        }
    }

    /** Moves the cursor {@code steps} times; false at the end. */
    default boolean step(Cursor cursor, int steps) {
        for (int i = 0; i < steps; i++) {
            if (!cursor.next()) {
                return false;
            }
        }
        return true;
    }

    /** The kind of the {@link StorageException} that {@code call} must throw. */
    default StorageException.Kind refusal(ThrowingCallable call) {
        StorageException[] thrown = new StorageException[1];
        assertThatThrownBy(call).isInstanceOfSatisfying(StorageException.class, e -> thrown[0] = e);
        return thrown[0].kind();
    }

    /** Starts a batch. */
    default WriteBatch.Builder batch() {
        return WriteBatch.builder();
    }

    /** From {@code start} to before {@code end}. */
    default KeyRange range(String start, String end) {
        return new KeyRange(bytes(start), bytes(end));
    }

    /** One byte per character, so that tests can write any byte. */
    default Bytes bytes(String text) {
        return Bytes.wrap(text.getBytes(ISO_8859_1));
    }

    /** The text of {@link #bytes}; null for null. */
    default String text(Bytes bytes) {
        return bytes == null ? null : new String(bytes.array(), ISO_8859_1);
    }
}
