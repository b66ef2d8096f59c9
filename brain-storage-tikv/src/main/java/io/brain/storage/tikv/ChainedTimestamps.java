package io.brain.storage.tikv;

import io.brain.storage.Bytes;
import io.brain.storage.Mutation;
import io.brain.storage.WriteBatch;
import java.util.concurrent.TimeUnit;

/**
 * Start timestamps taken together with the commit timestamp of the batch before: as nobody can
 * commit between the two, the primary's own conflict check is its guard, and need not be read.
 * Thread-safe.
 */
final class ChainedTimestamps {
    private static final int PRIMARIES_MAX = 64;

    /** A lock's time to live counts from its start timestamp, which must be young therefore. */
    private static final long AGE_MAX_NANOS = TimeUnit.SECONDS.toNanos(1);

    private record Link(Bytes value, long startTs, long takenNanos) {}

    private final BoundedMap<Bytes, Link> links = new BoundedMap<>(PRIMARIES_MAX);

    /** After the batch was committed at {@code startTs - 1}. */
    void add(WriteBatch batch, long startTs) {
        Bytes value = batch.primary().newValue();
        if (value != null) {
            links.put(batch.primary().key(), new Link(value, startTs, System.nanoTime()));
        }
    }

    /** Forgets what began before, for a primary that others may have written. */
    void cut(Bytes primary) {
        links.remove(primary);
    }

    /** A start timestamp at which the batch's primary holds what it expects; 0 if none is known. */
    long take(WriteBatch batch) {
        Link link = links.remove(batch.primary().key());
        if (link == null
                || System.nanoTime() - link.takenNanos() > AGE_MAX_NANOS
                || !(batch.primary() instanceof Mutation.CompareAndSet)
                || !batch.primary().holds(link.value())) {
            return 0;
        }
        return link.startTs();
    }
}
