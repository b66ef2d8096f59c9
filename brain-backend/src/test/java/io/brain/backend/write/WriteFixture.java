package io.brain.backend.write;

import io.brain.backend.fair.Tenant;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.runtime.SimulatedRuntime;
import io.brain.backend.store.CommitListener;
import io.brain.backend.store.Fence;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Revisions;
import io.brain.backend.store.Store;
import io.brain.backend.txn.HeadRecord;
import io.brain.backend.txn.Proposal;
import io.brain.backend.txn.Proposal.Answer;
import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.ForwardingKvStorage;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageTrait;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.FaultyStorage;
import io.brain.storage.testkit.MemoryStorage;
import io.brain.storage.testkit.ScriptedFaults;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A sequencer on a memory store; the test controls threads, time and faults. */
public final class WriteFixture implements CommitListener, Sequencer.Leadership {
    final SimulatedRuntime world = SimulatedRuntime.inOrder();
    final ScriptedFaults faults = new ScriptedFaults();
    final KeyCoder coder = new KeyCoder(Bytes.EMPTY);
    final MemoryStorage memory;
    final List<WriteBatch> sent = new ArrayList<>();
    final Revisions revisions;
    final Store store;
    final Sequencer sequencer;

    /** Calls of the listeners, in order. */
    final List<String> calls = new ArrayList<>();

    final List<RevisionEvents> events = new ArrayList<>();
    boolean sure = true;

    WriteFixture() {
        this(WriteSettings.DEFAULTS);
    }

    WriteFixture(WriteSettings settings) {
        memory = new MemoryStorage(world.engine(), Set.of(StorageTrait.SNAPSHOT_AT_TIMESTAMP));
        Fence fence = new Fence(1, 0, 1, 0);
        memory.commit(WriteBatch.builder().putIfAbsent(coder.fenceKey(), fence.encode()).build());
        world.run();
        revisions = new Revisions(new ReadPoint(1, memory.timestamp()), -1);
        revisions.onPublish(() -> calls.add("committed " + revisions.committed().revision()));
        store = new Store(new Recording(memory), coder, revisions);
        sequencer = new Sequencer(store, this, this, world.runtime(), settings, fence);
    }

    @Override
    public void events(RevisionEvents revision) {
        calls.add("events " + revision.revision());
        events.add(revision);
    }

    @Override
    public boolean isSure() {
        return sure;
    }

    @Override
    public void lost(ErrorKind why, Throwable cause) {
        calls.add("lost " + why);
    }

    @Override
    public void outOfSpace() {
        calls.add("out of space");
    }

    <T> CompletableFuture<T> submit(Proposal<T> proposal) {
        return sequencer.submit(proposal, Tenant.SERVER, 10);
    }

    /** Completes with the revision of the put. */
    CompletableFuture<Long> put(String key, String value) {
        return put(key, value, 0);
    }

    CompletableFuture<Long> put(String key, String value, long lease) {
        return submit(
                context -> {
                    context.put(Bytes.utf8(key), Bytes.utf8(value), lease);
                    return Answer.of(context.headerRevision());
                });
    }

    /** Completes with the revision of the delete; the key must exist. */
    CompletableFuture<Long> delete(String key) {
        return submit(
                context -> {
                    context.delete(Bytes.utf8(key));
                    return Answer.of(context.headerRevision());
                });
    }

    /** The head in the pending state. */
    CompletableFuture<HeadRecord> get(String key) {
        return submit(context -> Answer.of(context.get(Bytes.utf8(key))));
    }

    StoredState stored() {
        return StoredState.of(memory, coder);
    }

    List<WatchEvent> watchEvents() {
        return events.stream().flatMap(revision -> revision.events().stream()).toList();
    }

    /** Runs the sequencer, but not the engine. */
    void evaluate() {
        world.sequencer().runAll();
    }

    void run() {
        world.run();
    }

    /** Records the batches, then applies the scripted faults. */
    private final class Recording extends ForwardingKvStorage {
        Recording(KvStorage memory) {
            super(new FaultyStorage(memory, faults, world::later));
        }

        @Override
        public CompletionStage<CommitResult> commit(WriteBatch batch) {
            sent.add(batch);
            return super.commit(batch);
        }
    }
}
