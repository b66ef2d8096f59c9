package io.brain.storage.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The contract of {@link KvStorage} as tests. An adapter is correct when they pass: extend this
 * class, open the store, declare its traits and implement the interfaces of those traits.
 *
 * <pre>{@code
 * final class MyStorageTest extends KvStorageContract implements SurvivesRestartContract {
 *     @TempDir Path directory;
 *     @Override protected KvStorage open() { return new MyStorage(directory); }
 *     @Override public Set<StorageTrait> traits() { return Set.of(StorageTrait.SURVIVES_RESTART); }
 * }
 * }</pre>
 *
 * <p>Every test is expected to pass; none is skipped.
 */
@Timeout(300)
public abstract class KvStorageContract
        implements PointReadContract,
                CursorContract,
                SeekContract,
                SnapshotContract,
                CommitContract,
                ConcurrencyContract,
                ResolveContract,
                LifeContract,
                ModelContract {
    private KvStorage store;

    /**
     * Opens the store. The first call of a test returns an empty store; a later call, after close,
     * the same store if the engine survives a restart.
     */
    protected abstract KvStorage open();

    /** The traits of the adapter; see {@link KvStorage#traits}. */
    @Override
    public abstract Set<StorageTrait> traits();

    /** The store of the running test. */
    @Override
    public final KvStorage store() {
        return store;
    }

    /** Closes the store and opens it again. */
    @Override
    public final KvStorage reopened() {
        store.close();
        store = open();
        return store;
    }

    @BeforeEach
    void openStore() {
        store = open();
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    @Test
    void namesItsTraits() {
        assertThat(store.traits()).isEqualTo(traits());
    }

    @Test
    void implementsThePartsOfItsTraits() {
        assertThat(this instanceof SurvivesRestartContract)
                .isEqualTo(traits().contains(StorageTrait.SURVIVES_RESTART));
        assertThat(this instanceof SnapshotAtTimestampContract)
                .isEqualTo(traits().contains(StorageTrait.SNAPSHOT_AT_TIMESTAMP));
    }

    @Test
    void takesBatchesOfAUsefulSize() {
        assertThat(store.batchBytesMax()).isGreaterThanOrEqualTo(1 << 20);
    }

    @Test
    void fencingOffWhereNothingIsOnItsWayChangesNothing() throws Exception {
        commit(batch().put(bytes("x"), bytes("1")).put(bytes("y"), bytes("1")));

        for (String primary : List.of("x", "y", "absent")) {
            store.fenceOff(List.of(bytes(primary))).toCompletableFuture().get(1, TimeUnit.MINUTES);
        }

        assertThat(get("x")).isEqualTo("1");
        assertThat(get("y")).isEqualTo("1");
        assertThat(get("absent")).isNull();
        WriteBatch next = batch().compareAndSet(bytes("x"), bytes("1"), bytes("2")).build();
        assertThat(await(store.commit(next))).isInstanceOf(CommitResult.Committed.class);
        assertThat(get("x")).isEqualTo("2");
    }
}
