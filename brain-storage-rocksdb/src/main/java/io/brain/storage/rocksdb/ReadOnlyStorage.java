package io.brain.storage.rocksdb;

import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import io.brain.storage.rocksdb.recovery.Ballast;
import io.brain.storage.rocksdb.recovery.DataDirectory;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A store in a local directory, opened read-only; changes nothing. */
final class ReadOnlyStorage implements KvStorage {
    private final DataDirectory directory;
    private final EngineSlot slot;
    private final long batchBytesMax;

    private ReadOnlyStorage(DataDirectory directory, EngineSlot slot, long batchBytesMax) {
        this.directory = directory;
        this.slot = slot;
        this.batchBytesMax = batchBytesMax;
    }

    static ReadOnlyStorage open(RocksDbSettings settings) {
        NativeLibrary.load();
        DataDirectory directory = DataDirectory.openExisting(settings.dataDirectory());
        try {
            Ballast none = new Ballast(directory, 0);
            Engine engine = new EngineOpener(directory, settings.engine(), none).openReadOnly();
            EngineSlot slot = new EngineSlot(engine, EngineSlot.Timeouts.STANDARD);
            return new ReadOnlyStorage(directory, slot, settings.batchBytesMax());
        } catch (RuntimeException e) {
            directory.close();
            throw e;
        }
    }

    @Override
    public Snapshot snapshot() {
        return new RocksDbSnapshot(slot.enter());
    }

    @Override
    public CompletionStage<CommitResult> commit(WriteBatch batch) {
        StorageException refused =
                new StorageException(Kind.REFUSED, directory.root() + " is open read-only");
        return CompletableFuture.completedFuture(new CommitResult.Unavailable(refused));
    }

    @Override
    public CompletionStage<CommitResult> resolve(WriteBatch batch) {
        return commit(batch);
    }

    @Override
    public long timestamp() {
        slot.checkOpen();
        return slot.current().sequence();
    }

    @Override
    public long batchBytesMax() {
        return batchBytesMax;
    }

    @Override
    public Set<StorageTrait> traits() {
        return Set.of(StorageTrait.SURVIVES_RESTART, StorageTrait.EXCLUSIVE_OPEN);
    }

    @Override
    public void close() {
        if (!slot.close()) {
            return;
        }
        Uninterrupted.await(slot::awaitReaders);
        slot.current().free();
        directory.close();
    }
}
