package io.brain.storage;

import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** Passes every call on: the base of decorators (metrics, injected faults), which override one. */
public abstract class ForwardingKvStorage implements KvStorage {
    private final KvStorage delegate;

    /** Passes calls on to {@code delegate}, which it closes. */
    protected ForwardingKvStorage(KvStorage delegate) {
        this.delegate = Objects.requireNonNull(delegate, "delegate");
    }

    /** Where calls go. */
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

    /**
     * Is a {@link #commit} here, so that who decorates that meets every batch. A decorator that
     * does not stand in the way of the caller's thread passes this on as well.
     */
    @Override
    public CompletionStage<CommitResult> commitInPlace(WriteBatch batch) {
        return commit(batch);
    }

    @Override
    public CompletionStage<CommitResult> resolve(WriteBatch batch) {
        return delegate.resolve(batch);
    }

    @Override
    public CompletionStage<Void> fenceOff(Bytes primary) {
        return delegate.fenceOff(primary);
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
    public Set<StorageTrait> traits() {
        return delegate.traits();
    }

    @Override
    public void close() {
        delegate.close();
    }
}
