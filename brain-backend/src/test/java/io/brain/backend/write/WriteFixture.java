package io.brain.backend.write;

import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.store.CommitListener;
import io.brain.backend.store.Fence;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.store.Revisions;
import io.brain.backend.store.Store;
import io.brain.backend.txn.Answer;
import io.brain.backend.txn.HeadRecord;
import io.brain.backend.txn.Proposal;
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

/** A sequencer on a store in memory, whose threads, faults and neighbours belong to the test. */
public final class WriteFixture implements CommitListener, Leadership {
    final SimulatedRuntime world = new SimulatedRuntime();
    final ScriptedFaults faults = new ScriptedFaults();
    final KeyCoder coder = new KeyCoder(Bytes.EMPTY);
    final MemoryStorage memory;
    final List<WriteBatch> sent = new ArrayList<>();
    final Revisions revisions;
    final Store store;
    final Sequencer sequencer;

    /** What the neighbours were told, in order, in short words. */
    final List<String> told = new ArrayList<>();

    final List<RevisionEvents> events = new ArrayList<>();
    boolean sure = true;

    /**
     * Whether the engine uses the sequencer's thread where it may; if not, batches take a while.
     */
    boolean inPlace;

    WriteFixture() {
        this(WriteSettings.DEFAULTS);
    }

    WriteFixture(WriteSettings settings) {
        memory = new MemoryStorage(world.engine(), Set.of(StorageTrait.SNAPSHOT_AT_TIMESTAMP));
        Fence fence = new Fence(1, 0, 1, 0);
        memory.commit(WriteBatch.builder().putIfAbsent(coder.fenceKey(), fence.encode()).build());
        world.run();
        revisions = new Revisions(new ReadPoint(1, memory.timestamp()), -1);
        store = new Store(new Recording(memory), coder, revisions);
        sequencer = new Sequencer(store, this, this, world.runtime(), settings, fence);
    }

    @Override
    public void events(RevisionEvents revision) {
        told.add("events " + revision.revision());
        events.add(revision);
    }

    @Override
    public void committed(ReadPoint point) {
        told.add("committed " + point.revision());
    }

    @Override
    public boolean isSure() {
        return sure;
    }

    @Override
    public void lost(ErrorKind why, Throwable cause) {
        told.add("lost " + why);
    }

    @Override
    public void outOfSpace() {
        told.add("out of space");
    }

    <T> CompletableFuture<T> submit(Proposal<T> proposal) {
        return sequencer.submit(proposal, 10);
    }

    /** Ends with the revision of the put. */
    CompletableFuture<Long> put(String key, String value) {
        return put(key, value, 0);
    }

    CompletableFuture<Long> put(String key, String value, long lease) {
        return submit(
                turn -> {
                    turn.put(Bytes.utf8(key), Bytes.utf8(value), lease);
                    return Answer.of(turn.headerRevision());
                });
    }

    /** Ends with the revision of the delete; the key must exist. */
    CompletableFuture<Long> delete(String key) {
        return submit(
                turn -> {
                    turn.delete(Bytes.utf8(key));
                    return Answer.of(turn.headerRevision());
                });
    }

    /** Reads at the tip. */
    CompletableFuture<HeadRecord> get(String key) {
        return submit(turn -> Answer.of(turn.get(Bytes.utf8(key))));
    }

    /** Existing keys at the tip. */
    CompletableFuture<List<Bytes>> keys(KeySpan span) {
        return submit(turn -> Answer.of(turn.keys(span)));
    }

    StoredState stored() {
        return StoredState.of(memory, coder);
    }

    List<WatchEvent> watchEvents() {
        return events.stream().flatMap(revision -> revision.events().stream()).toList();
    }

    /** Lets the sequencer think, but the engine rest. */
    void think() {
        world.sequencer().runAll();
    }

    void run() {
        world.run();
    }

    /** Remembers what was sent, then meets the scripted faults. */
    private final class Recording extends ForwardingKvStorage {
        Recording(KvStorage memory) {
            super(
                    new FaultyStorage(
                            new InPlaceStorage(memory, world.engine()), faults, world::later));
        }

        @Override
        public CompletionStage<CommitResult> commitInPlace(WriteBatch batch) {
            if (!inPlace) {
                return commit(batch);
            }
            sent.add(batch);
            return delegate().commitInPlace(batch);
        }

        @Override
        public CompletionStage<CommitResult> commit(WriteBatch batch) {
            sent.add(batch);
            return super.commit(batch);
        }
    }
}
