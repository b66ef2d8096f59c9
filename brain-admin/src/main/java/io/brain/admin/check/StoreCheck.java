package io.brain.admin.check;

import io.brain.backend.store.Fence;
import io.brain.backend.store.ImportRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import java.util.function.Consumer;
import java.util.function.ObjDoubleConsumer;

/**
 * Reads a whole store and compares what is stored twice: heads with the history, both with the
 * commit log, keys with leases and expiry records, and all with the totals in the fence. Changes
 * nothing; memory does not grow with the data.
 */
public final class StoreCheck {
    private final KvStorage storage;
    private final KeyCoder coder;
    private final Findings findings;
    private final ObjDoubleConsumer<String> progress;

    /**
     * Creates a check; for one {@link #run}.
     *
     * @param keyspace name; empty for the keyspace without a name
     * @param findings receives a line for each damage
     * @param progress receives the name of the current step and its progress, an estimate from 0 to
     *     1
     */
    public StoreCheck(
            KvStorage storage,
            String keyspace,
            Consumer<String> findings,
            ObjDoubleConsumer<String> progress) {
        this.storage = storage;
        this.coder = KeyCoder.of(keyspace);
        this.findings = new Findings(coder, findings);
        this.progress = progress;
    }

    /**
     * Runs the check.
     *
     * @throws StorageException if the engine fails for another reason than damage; kind REFUSED if
     *     the store has an unfinished import or another format
     */
    public CheckReport run() {
        try (Snapshot snapshot = storage.snapshot()) {
            ImportRecord.requireNone(snapshot, coder);
            CheckedStore store = new MetaCheck(snapshot, coder, findings).run();
            CheckedStore.Totals totals = store.totals();
            new LeaseCheck(store).run();
            new ExpiryCheck(store).run();

            long bytesExpected = store.fence() == null ? 0 : store.fence().bytes();
            Runnable keysProgress = () -> report("keys", totals.bytes, bytesExpected);
            progress.accept("keys", 0);
            new HeadCheck(store).run(keysProgress);
            new HistoryCheck(store).run(keysProgress);
            progress.accept("keys", 1);

            progress.accept("log", 0);
            new LogCheck(store).run(revision -> report("log", revision, store.revision()));
            progress.accept("log", 1);

            if (findings.isComplete() && !store.counts().agree()) {
                new UnloggedCheck(store).run();
            }
            checkFence(store);
            return new CheckReport(
                    store.fence() == null ? 0 : store.revision(),
                    totals.keys,
                    totals.versions,
                    totals.bytes,
                    totals.events,
                    totals.leases,
                    totals.attachments,
                    findings.count());
        }
    }

    private void report(String step, long done, long total) {
        if (total > 0) {
            progress.accept(step, Math.max(0, Math.min(1, (double) done / total)));
        }
    }

    /** Compares the totals; a running compaction subtracts what it removes at its end. */
    private void checkFence(CheckedStore store) {
        CheckedStore.Totals totals = store.totals();
        Fence fence = store.fence();
        if (fence == null) {
            if (findings.count() == 0 && totals.keys + totals.events + totals.leases > 0) {
                findings.store("the fence is missing");
            }
        } else if (findings.isComplete()) {
            if (totals.bytes > fence.bytes()
                    || (totals.bytes < fence.bytes() && !store.isCompacting())) {
                findings.store(
                        "the fence counts %d bytes of data, but %d are stored"
                                .formatted(fence.bytes(), totals.bytes));
            }
            if (totals.liveKeys != fence.keys()) {
                findings.store(
                        "the fence counts %d keys, but %d are stored"
                                .formatted(fence.keys(), totals.liveKeys));
            }
        }
    }
}
