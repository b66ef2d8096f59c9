package io.brain.backend.check;

import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.Keyspace;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import java.util.function.Consumer;

/**
 * Reads everything in a store that nobody writes to, and compares what is stored twice: heads with
 * the history, both with the commit log, keys with leases, and all of it with the account in the
 * fence. Changes nothing. Memory does not grow with the data.
 */
public final class StoreCheck {
    private final KvStorage storage;
    private final KeyCoder coder;
    private final Findings findings;
    private CheckProgress progress = CheckProgress.NONE;

    /**
     * A check of one keyspace.
     *
     * @param keyspace prefix of all its keys; may be empty
     * @param listener told of everything that is wrong, in the thread of {@link #run}
     */
    public StoreCheck(KvStorage storage, Bytes keyspace, Consumer<Damage> listener) {
        this.storage = storage;
        this.coder = new KeyCoder(keyspace);
        this.findings = new Findings(listener);
    }

    /**
     * A check of the keyspace of this name.
     *
     * @param name empty: the one without a name
     */
    public static StoreCheck ofKeyspace(KvStorage storage, String name, Consumer<Damage> listener) {
        return new StoreCheck(storage, Keyspace.prefix(name), listener);
    }

    /** Has {@code listener} told how far it is. */
    public StoreCheck withProgress(CheckProgress listener) {
        progress = listener;
        return this;
    }

    /**
     * Does it; once.
     *
     * @throws StorageException if the engine cannot be read for another reason than damage
     */
    public CheckReport run() {
        try (Snapshot snapshot = storage.snapshot()) {
            SmallCheck small = new SmallCheck(snapshot, coder, findings);
            Extent extent = small.extent();
            small.run();
            RevisionCounts counts = new RevisionCounts(loggedFrom(snapshot), extent.revision());
            long toRead = extent.fence() == null ? 0 : extent.fence().bytes();
            Ticker ticker = new Ticker(progress, "keys", toRead);
            CheckedStore store = new CheckedStore(snapshot, coder, extent, counts, findings);
            HeadCheck heads = new HeadCheck(store);
            heads.run(ticker);
            ReplacedCheck replaced = new ReplacedCheck(store);
            replaced.run(ticker, heads.bytes());
            ticker.end();
            HistoryCheck history = new HistoryCheck(store);
            history.run(new Ticker(progress, "history", extent.revision()));
            if (findings.sawAll() && !counts.agree()) {
                new UnloggedCheck(snapshot, coder, counts, findings).run();
            }
            boolean empty = heads.keys() == 0 && history.changes() == 0 && small.leases() == 0;
            if (extent.fence() == null && findings.count() == 0 && !empty) {
                findings.store("the fence is missing");
            }
            long bytes = heads.bytes() + replaced.bytes();
            checkAccount(bytes, heads.live(), extent);
            return new CheckReport(
                    extent.fence() == null ? 0 : extent.revision(),
                    heads.keys(),
                    heads.keys() + replaced.versions(),
                    bytes,
                    history.changes(),
                    small.leases(),
                    small.attachments(),
                    findings.count());
        }
    }

    /** The first revision that the log tells of; greater than all if it tells of none. */
    private long loggedFrom(Snapshot snapshot) {
        try (Cursor cursor = snapshot.cursor(coder.log(), Cursor.Direction.FORWARD)) {
            boolean found = cursor.next() && coder.isLogKey(cursor.key());
            return found ? coder.logRevision(cursor.key()) : Long.MAX_VALUE;
        } catch (StorageException unreadable) {
            findings.unreadable(null, 0, unreadable);
            return Long.MAX_VALUE;
        }
    }

    /** A compaction that is under way subtracts what it removes when it is done. */
    private void checkAccount(long bytes, long live, Extent extent) {
        if (extent.fence() == null || !findings.sawAll()) {
            return;
        }
        long told = extent.fence().bytes();
        if (bytes > told || (bytes < told && !extent.compacting())) {
            findings.store(
                    "the fence counts %d bytes of data, there are %d".formatted(told, bytes));
        }
        long counted = extent.fence().keys();
        if (counted != live) {
            findings.store("the fence counts %d keys, there are %d".formatted(counted, live));
        }
    }
}
