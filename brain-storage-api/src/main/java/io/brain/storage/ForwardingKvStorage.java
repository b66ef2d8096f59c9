package io.brain.storage;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** Delegates every call; base class of decorators such as metrics and injected faults. */
public abstract class ForwardingKvStorage implements KvStorage {
    private final KvStorage delegate;

    /** Creates a decorator that owns and closes {@code delegate}. */
    protected ForwardingKvStorage(KvStorage delegate) {
        this.delegate = Objects.requireNonNull(delegate, "delegate");
    }

    /** The decorated storage. */
    protected final KvStorage delegate() {
        return delegate;
    }

    @Override
    public Snapshot snapshot() {
        return delegate.snapshot();
    }

    @Override
    public Snapshot snapshotAt(long timestamp) {
        return delegate.snapshotAt(timestamp);
    }

    @Override
    public CompletionStage<CommitResult> commit(WriteBatch batch) {
        return delegate.commit(batch);
    }

    @Override
    public CompletionStage<CommitResult> resolve(WriteBatch batch) {
        return delegate.resolve(batch);
    }

    @Override
    public CompletionStage<Void> fenceOff(List<Bytes> primaries) {
        return delegate.fenceOff(primaries);
    }

    @Override
    public long timestamp() {
        return delegate.timestamp();
    }

    @Override
    public int keyBytesMax() {
        return delegate.keyBytesMax();
    }

    @Override
    public int valueBytesMax() {
        return delegate.valueBytesMax();
    }

    @Override
    public long batchBytesMax() {
        return delegate.batchBytesMax();
    }

    @Override
    public Map<String, Long> stats() {
        return delegate.stats();
    }

    @Override
    public void reclaim() {
        delegate.reclaim();
    }

    @Override
    public void finishLoading() {
        delegate.finishLoading();
    }

    @Override
    public Set<StorageTrait> traits() {
        return delegate.traits();
    }

    @Override
    public void close() {
        delegate.close();
    }
}
