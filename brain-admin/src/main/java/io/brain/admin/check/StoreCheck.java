package io.brain.admin.check;

import io.brain.backend.key.KeyCoder;
import io.brain.backend.key.Keyspace;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import java.util.function.Consumer;
import java.util.function.ObjDoubleConsumer;

/**
 * Reads a whole store and compares what is stored twice: heads with the history, both with the
 * commit log, keys with leases, and all with the totals in the fence. Changes nothing; memory does
 * not grow with the data.
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
        this.coder = new KeyCoder(Keyspace.prefix(keyspace));
        this.findings = new Findings(coder, findings);
        this.progress = progress;
    }

    /**
     * Runs the check.
     *
     * @throws StorageException if the engine fails for another reason than damage
     */
    public CheckReport run() {
        try (Snapshot snapshot = storage.snapshot()) {
            CheckedStore store = new MetaCheck(snapshot, coder, findings).run();
            LeaseCheck leases = new LeaseCheck(store);
            leases.run();

            HeadCheck heads = new HeadCheck(store);
            HistoryCheck history = new HistoryCheck(store);
            long total = store.fence() == null ? 0 : store.fence().bytes();
            progress.accept("keys", 0);
            heads.run(bytes -> report("keys", bytes, total));
            history.run(bytes -> report("keys", heads.bytes() + bytes, total));
            progress.accept("keys", 1);

            LogCheck log = new LogCheck(store);
            progress.accept("log", 0);
            log.run(revision -> report("log", revision, store.revision()));
            progress.accept("log", 1);

            if (findings.isComplete() && !store.counts().agree()) {
                new UnloggedCheck(store).run();
            }
            boolean empty = heads.keys() == 0 && log.events() == 0 && leases.leases() == 0;
            if (store.fence() == null && findings.count() == 0 && !empty) {
                findings.store("the fence is missing");
            }
            long bytes = heads.bytes() + history.bytes();
            checkTotals(store, bytes, heads.live());
            return new CheckReport(
                    store.fence() == null ? 0 : store.revision(),
                    heads.keys(),
                    heads.keys() + history.versions(),
                    bytes,
                    log.events(),
                    leases.leases(),
                    leases.attachments(),
                    findings.count());
        }
    }

    private void report(String step, long done, long total) {
        if (total > 0) {
            progress.accept(step, Math.max(0, Math.min(1, (double) done / total)));
        }
    }

    /** Compares the totals; a running compaction subtracts what it removes at its end. */
    private void checkTotals(CheckedStore store, long bytes, long keys) {
        if (store.fence() == null || !findings.isComplete()) {
            return;
        }
        long bytesCounted = store.fence().bytes();
        if (bytes > bytesCounted || (bytes < bytesCounted && !store.isCompacting())) {
            findings.store(
                    "the fence counts %d bytes of data, but %d are stored"
                            .formatted(bytesCounted, bytes));
        }
        long keysCounted = store.fence().keys();
        if (keysCounted != keys) {
            findings.store(
                    "the fence counts %d keys, but %d are stored".formatted(keysCounted, keys));
        }
    }
}
