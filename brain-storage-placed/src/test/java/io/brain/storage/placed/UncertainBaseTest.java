package io.brain.storage.placed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KvStorage;
import io.brain.storage.Mutation;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.MemoryStorage;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A commit of the base whose outcome is open, while a prefix moves or is placed. */
final class UncertainBaseTest {
    private final MemoryStorage hot = new MemoryStorage();
    private final LoggedStorage base = new LoggedStorage(Prefixes.base());

    /**
     * An engine that reads its log to resolve a commit, as RocksDB does: until then, readers do not
     * see one that is in the log.
     */
    private static final class LoggedStorage extends ForwardingKvStorage {
        private Predicate<WriteBatch> fails = batch -> false;
        private boolean isLogged;
        private WriteBatch logged;

        LoggedStorage(KvStorage engine) {
            super(engine);
        }

        /** The next commit that replaces a value is uncertain. */
        void failsWith(Bytes replaced, boolean inLog) {
            isLogged = inLog;
            fails =
                    batch ->
                            batch.primary() instanceof Mutation.CompareAndSet set
                                    && set.key().equals(replaced);
        }

        @Override
        public synchronized CompletionStage<CommitResult> commit(WriteBatch batch) {
            replay();
            if (!fails.test(batch)) {
                return super.commit(batch);
            }
            fails = another -> false;
            logged = isLogged ? batch : null;
            StorageException failure = new StorageException(Kind.UNAVAILABLE, "no sync");
            return CompletableFuture.completedFuture(new CommitResult.Uncertain(failure));
        }

        @Override
        public synchronized CompletionStage<CommitResult> resolve(WriteBatch batch) {
            replay();
            return super.resolve(batch);
        }

        private void replay() {
            if (logged != null) {
                assertThat(Futures.join(super.commit(logged)))
                        .isInstanceOf(CommitResult.Committed.class);
                logged = null;
            }
        }
    }

    /** A batch of the backend: a fence, and a change of a key. */
    private static WriteBatch batch(int number, String key, String value) {
        WriteBatch.Builder batch = WriteBatch.builder();
        Bytes fence = Bytes.utf8("fence");
        Bytes next = Bytes.utf8("" + number);
        if (number == 1) {
            batch.putIfAbsent(fence, next);
        } else {
            batch.compareAndSet(fence, Bytes.utf8("" + (number - 1)), next);
        }
        return batch.put(Bytes.utf8(key), Bytes.utf8(value)).build();
    }

    private static String get(KvStorage storage, String key) {
        try (Snapshot snapshot = storage.snapshot()) {
            Bytes value = snapshot.get(Bytes.utf8(key));
            return value == null ? null : value.toString();
        }
    }

    @Test
    void aMoveCopiesNothingBeforeItIsResolved() {
        try (PlacedStorage storage = Prefixes.open(base, Map.of("hot", hot))) {
            Futures.join(storage.commit(batch(1, "p/1", "old")));
            storage.place(Bytes.utf8("p/"), "hot");
            base.failsWith(Bytes.utf8("fence"), true);
            WriteBatch open = batch(2, "p/1", "new");
            assertThat(Futures.join(storage.commit(open)))
                    .isInstanceOf(CommitResult.Uncertain.class);
            storage.moveStep();
            assertThat(Futures.join(storage.resolve(open)))
                    .isInstanceOf(CommitResult.Committed.class);
            Prefixes.finish(storage);
            assertThat(get(storage, "p/1")).isEqualTo("new");
            assertThat(get(base, "p/1")).isNull();
        }
    }

    /** Until it is resolved, nothing can be read. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(60)
    void aPlacementIsResolvedWithoutAnotherCommit(boolean isLogged) throws Exception {
        try (PlacedStorage storage =
                PlacedStorage.open(base, Map.of("hot", hot), Prefixes.RANGES, Prefixes.ID)) {
            Futures.join(storage.commit(batch(1, "p/1", "value")));
            base.failsWith(Records.PLACEMENTS, isLogged);
            assertThatThrownBy(() -> storage.place(Bytes.utf8("p/"), "hot")).hasMessage("no sync");
            while (!isReadable(storage)) {
                Thread.sleep(20);
            }
            assertThat(get(storage, "p/1")).isEqualTo("value");
            while (isLogged && get(hot, "p/1") == null) {
                Thread.sleep(20);
            }
        }
    }

    private static boolean isReadable(KvStorage storage) {
        try {
            storage.snapshot().close();
            return true;
        } catch (StorageException away) {
            assertThat(away).hasMessage("no sync");
            return false;
        }
    }
}
