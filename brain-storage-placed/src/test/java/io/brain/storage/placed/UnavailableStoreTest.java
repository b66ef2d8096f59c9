package io.brain.storage.placed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.Cursor;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.Fault;
import io.brain.storage.testkit.FaultyStorage;
import io.brain.storage.testkit.MemoryStorage;
import io.brain.storage.testkit.ScriptedFaults;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a placed store that fails means to those who use another one. */
final class UnavailableStoreTest {
    private final MemoryStorage hot = new MemoryStorage();

    private static WriteBatch batch(String key) {
        return WriteBatch.builder().put(Bytes.utf8(key), Bytes.utf8("1")).build();
    }

    private static CommitResult commit(KvStorage storage, String key) {
        return Futures.join(storage.commit(batch(key)));
    }

    private static String get(KvStorage storage, String key) {
        try (Snapshot snapshot = storage.snapshot()) {
            Bytes value = snapshot.get(Bytes.utf8(key));
            return value == null ? null : value.toString();
        }
    }

    /** Of the backend, NO_SPACE raises an alarm, and the others end a term. */
    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"NO_SPACE", "CORRUPT", "REFUSED"})
    void aCommitBehindACopyThatFailsWaitsWhateverTheFailureIs(Kind kind) {
        ScriptedFaults faults = new ScriptedFaults();
        try (PlacedStorage storage =
                Prefixes.open(Prefixes.base(), Map.of("hot", new FaultyStorage(hot, faults)))) {
            commit(storage, "p/1");
            storage.place(Bytes.utf8("p/"), "hot");
            faults.then(
                    Fault.of(Fault.Outcome.UNCERTAIN_NOT_APPLIED).withKind(kind).resolvedAfter(3));
            assertThatThrownBy(storage::moveStep).hasMessageContaining("injected");

            CommitResult behind = commit(storage, "other");
            assertThat(behind).isInstanceOf(CommitResult.Unavailable.class);
            assertThat(((CommitResult.Unavailable) behind).cause())
                    .hasMessageContaining("injected")
                    .extracting(StorageException::kind)
                    .isEqualTo(Kind.UNAVAILABLE);
            CommitResult resolved = Futures.join(storage.resolve(primary()));
            assertThat(resolved).isInstanceOf(CommitResult.Uncertain.class);
            assertThat(((CommitResult.Uncertain) resolved).cause().kind())
                    .isEqualTo(Kind.UNAVAILABLE);
            commit(storage, "other");
            assertThat(commit(storage, "other")).isInstanceOf(CommitResult.Committed.class);

            Prefixes.finish(storage);
            assertThat(get(storage, "p/1")).isEqualTo("1");
        }
    }

    private static WriteBatch primary() {
        return WriteBatch.builder()
                .putIfAbsent(Bytes.utf8("primary"), Bytes.utf8("unique"))
                .build();
    }

    /** Opening a snapshot of a store on another machine may take seconds. */
    @Test
    @Timeout(60)
    void aStoreThatDoesNotAnswerIsAskedNowAndThenAndNotByThoseWhoReadOthers() throws Exception {
        AtomicBoolean away = new AtomicBoolean();
        AtomicBoolean broken = new AtomicBoolean();
        AtomicInteger asked = new AtomicInteger();
        KvStorage remote =
                new ForwardingKvStorage(hot) {
                    @Override
                    public Snapshot snapshot() {
                        if (away.get()) {
                            asked.incrementAndGet();
                            if (broken.get()) {
                                throw new AssertionError("expected by the test");
                            }
                            throw new StorageException(Kind.UNAVAILABLE, "no answer");
                        }
                        return super.snapshot();
                    }

                    @Override
                    public Set<StorageTrait> traits() {
                        return Set.of(StorageTrait.REMOTE); // each snapshot asks for a timestamp
                    }
                };
        try (PlacedStorage storage = Prefixes.open(Prefixes.base(), Map.of("hot", remote))) {
            commit(storage, "p/1");
            commit(storage, "other");
            Prefixes.move(storage, "p/", "hot");
            away.set(true);
            long began = System.nanoTime();
            for (int i = 0; i < 500; i++) {
                assertThat(get(storage, "other")).isEqualTo("1");
                assertThat(commit(storage, "other")).isInstanceOf(CommitResult.Committed.class);
            }
            assertThatThrownBy(() -> get(storage, "p/1")).hasMessage("store hot: no answer");
            assertThat(commit(storage, "p/1")).isInstanceOf(CommitResult.Unavailable.class);
            long seconds = (System.nanoTime() - began) / 1_000_000_000;
            assertThat(asked.get()).isBetween(1, 2 + (int) seconds);

            broken.set(true);
            int before = asked.get();
            while (asked.get() == before) {
                Thread.sleep(50);
            }
            away.set(false);
            CommitResult end = commit(storage, "p/1");
            while (!(end instanceof CommitResult.Committed)) {
                Thread.sleep(50);
                end = commit(storage, "p/1");
            }
            assertThat(get(storage, "p/1")).isEqualTo("1");
        }
    }

    /** Throws an Error, once: at a commit, or after a snapshot is closed. */
    private static final class BrokenStorage extends ForwardingKvStorage {
        private boolean failsAtCommit;
        private boolean failsAtClose;

        BrokenStorage(KvStorage engine) {
            super(engine);
        }

        @Override
        public CompletionStage<CommitResult> commit(WriteBatch batch) {
            if (failsAtCommit) {
                failsAtCommit = false;
                throw new AssertionError("expected by the test");
            }
            return super.commit(batch);
        }

        @Override
        public Snapshot snapshot() {
            Snapshot snapshot = super.snapshot();
            return new Snapshot() {
                @Override
                public Bytes get(Bytes key) {
                    return snapshot.get(key);
                }

                @Override
                public List<Bytes> get(List<Bytes> keys) {
                    return snapshot.get(keys);
                }

                @Override
                public Cursor cursor(KeyRange range, Cursor.Direction direction) {
                    return snapshot.cursor(range, direction);
                }

                @Override
                public void close() {
                    snapshot.close();
                    if (failsAtClose) {
                        failsAtClose = false;
                        throw new AssertionError("expected by the test");
                    }
                }
            };
        }
    }

    /** Its caller would send it again, and take the conflict for another leader's. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void afterTheCommitOfTheBaseAFailureLeavesTheOutcomeOpen(boolean atCommit) {
        BrokenStorage base = new BrokenStorage(Prefixes.base());
        BrokenStorage placed = new BrokenStorage(hot);
        try (PlacedStorage storage = Prefixes.open(base, Map.of("hot", placed))) {
            Prefixes.move(storage, "p/", "hot");
            WriteBatch batch =
                    WriteBatch.builder()
                            .putIfAbsent(Bytes.utf8("fence"), Bytes.utf8("unique"))
                            .put(Bytes.utf8("p/1"), Bytes.utf8("1"))
                            .build();
            placed.failsAtCommit = atCommit;
            base.failsAtClose = !atCommit;
            assertThat(Futures.join(storage.commit(batch)))
                    .isInstanceOf(CommitResult.Uncertain.class);
            assertThat(Futures.join(storage.resolve(batch)))
                    .isInstanceOf(CommitResult.Committed.class);
            assertThat(get(storage, "p/1")).isEqualTo("1");
        }
    }

    @Test
    @Timeout(60)
    void aMoveGoesOnAfterAnError() throws Exception {
        BrokenStorage base = new BrokenStorage(Prefixes.base());
        try (PlacedStorage storage =
                PlacedStorage.open(base, Map.of("hot", hot), Prefixes.RANGES, Prefixes.ID)) {
            commit(storage, "p/1");
            base.failsAtClose = true;
            storage.place(Bytes.utf8("p/"), "hot");
            while (storage.placements().get(0).placement().state() != Placement.State.PLACED) {
                Thread.sleep(20);
            }
            assertThat(get(hot, "p/1")).isEqualTo("1");
        }
    }
}
