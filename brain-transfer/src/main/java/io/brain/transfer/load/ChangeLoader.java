package io.brain.transfer.load;

import io.brain.backend.store.KeyCoder;
import io.brain.storage.KvStorage;
import io.brain.transfer.etcd.ChangeSource;
import io.brain.transfer.load.ChangeReader.Item;
import java.io.IOException;
import java.util.List;
import java.util.function.LongConsumer;

/** Moves the changes of a database into a store, in batches. */
final class ChangeLoader {
    private final ChangeSource source;
    private final ImportTarget target;
    private final Heads heads;
    private final BatchFiller filler;
    private final ChangeReader reader;
    private final long batchBytesMax;

    /** Continues after what the target has. */
    ChangeLoader(
            ChangeSource source,
            ImportOptions options,
            KvStorage storage,
            KeyCoder coder,
            ImportTarget target)
            throws IOException {
        this.source = source;
        this.target = target;
        heads = new Heads(storage, coder, target.progress().read() == 0);
        filler = new BatchFiller(coder, heads, source.compactedRevision(), target.progress());
        reader =
                new ChangeReader(
                        source, options, target.progress().revision(), target.progress().sub() + 1);
        batchBytesMax = storage.batchBytesMax();
    }

    /** Moves all changes; passes the bytes of those read so far to {@code progress}. */
    void run(LongConsumer progress) throws IOException {
        for (List<Item> items = reader.next(); !items.isEmpty(); items = reader.next()) {
            heads.fetch(items.stream().map(item -> item.change().key()).toList());
            for (Item item : items) {
                filler.add(item);
            }
            boolean isFull = filler.batchBytes() >= batchBytesMax;
            if (isFull && (filler.endsRevision() || filler.batchBytes() >= 2 * batchBytesMax)) {
                target.store(filler.drain());
            }
            progress.accept(filler.read());
        }
        filler.endLog(source.newestRevision());
        target.store(filler.drain());
    }
}
