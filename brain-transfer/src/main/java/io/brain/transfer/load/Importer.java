package io.brain.transfer.load;

import io.brain.backend.store.Fence;
import io.brain.backend.store.IdentityRecord;
import io.brain.backend.store.ImportRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.transfer.etcd.ChangeSource;
import io.brain.transfer.etcd.StepListener;
import java.io.IOException;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Imports a database of etcd into an empty store, which a server can use afterwards. Continues an
 * import that was interrupted. Used by one thread.
 */
public final class Importer {
    private static final Duration RETRY_PAUSE = Duration.ofSeconds(1);
    private static final int ATTEMPTS_MAX = 60;

    private final ChangeSource source;
    private final String file;
    private final KeyCoder coder;
    private final ImportOptions options;
    private final RandomGenerator random;
    private final StepListener listener;
    private final Survey survey;

    /**
     * Creates an import; for one {@link #check}, then one {@link #run}.
     *
     * @param file path of the source, for the operator
     * @param keyspace name; empty for the keyspace without a name
     * @param random chooses ids
     */
    public Importer(
            ChangeSource source,
            String file,
            String keyspace,
            ImportOptions options,
            RandomGenerator random,
            StepListener listener) {
        this.source = source;
        this.file = file;
        this.coder = KeyCoder.of(keyspace);
        this.options = options;
        this.random = random;
        this.listener = listener;
        this.survey = new Survey(options, coder);
    }

    /**
     * Reads the whole source.
     *
     * @throws IOException if it is not intact or cannot be read; the message is one line
     */
    public void check() throws IOException {
        survey.run(source, listener);
    }

    /** True if a store has what an import for a standby brings, and follows the source since. */
    public boolean isDone(KvStorage storage) {
        try (Snapshot snapshot = storage.snapshot()) {
            ImportRecord stored = ImportRecord.decode(snapshot.get(coder.importKey()));
            return stored != null
                    && stored.isStandby()
                    && stored.standbyOf() == options.standbyOf();
        }
    }

    /**
     * Imports.
     *
     * @throws IOException as {@link #check}
     * @throws StorageException if the storage fails, and the import can be continued; also of kind
     *     REFUSED, if the store has other data, or TOO_LARGE, if it does not take a key: then
     *     nothing was written
     */
    public ImportReport run(KvStorage storage) throws IOException {
        survey.requireFit(storage);
        ImportRecord begin =
                new ImportRecord(
                        random.nextLong(),
                        0,
                        options.identify(source),
                        file,
                        BatchFiller.start(source.compactedRevision()),
                        0);
        Commits commits = new Commits(storage, RETRY_PAUSE, ATTEMPTS_MAX);
        ImportTarget target = new ImportTarget(storage, coder, commits, begin);
        target.begin(identity());
        new ChangeLoader(source, options, storage, coder, target)
                .run(read -> listener.progress("import", read, survey.bytes()));
        OtherRecords others = new OtherRecords(source, coder, storage, target);
        others.store();
        ImportRecord.Progress stored = target.progress();
        target.finish(
                new Fence(
                        OtherRecords.FIRST_EPOCH,
                        0,
                        source.newestRevision(),
                        stored.bytes(),
                        stored.keys(),
                        random.nextLong()),
                others.small(random),
                options.standbyOf());
        listener.progress("compact", 0, 0);
        storage.finishLoading();
        return new ImportReport(
                source.newestRevision(),
                source.compactedRevision(),
                survey.changes(),
                survey.skipped(),
                stored.keys(),
                stored.bytes(),
                others.leases(),
                others.addedLeases(),
                others.users(),
                others.roles(),
                source.auth().enabled());
    }

    private IdentityRecord identity() {
        IdentityRecord chosen = IdentityRecord.random(random);
        return options.clusterId() == 0
                ? chosen
                : new IdentityRecord(options.clusterId(), chosen.memberId());
    }
}
