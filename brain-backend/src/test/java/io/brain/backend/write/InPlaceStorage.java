package io.brain.backend.write;

import io.brain.storage.CommitResult;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KvStorage;
import io.brain.storage.WriteBatch;
import java.util.concurrent.CompletionStage;

/** A store of a simulation whose commits in place have landed when the call returns. */
final class InPlaceStorage extends ForwardingKvStorage {
    private final SimulatedRuntime.Lane engine;

    /** Of the commits that wait in {@code engine}, those before one in place land before it. */
    InPlaceStorage(KvStorage delegate, SimulatedRuntime.Lane engine) {
        super(delegate);
        this.engine = engine;
    }

    @Override
    public CompletionStage<CommitResult> commitInPlace(WriteBatch batch) {
        CompletionStage<CommitResult> end = commit(batch);
        engine.runAll();
        return end;
    }
}
