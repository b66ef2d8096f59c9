package io.brain.storage.tikv;

import io.brain.storage.Bytes;
import io.brain.storage.Mutation;
import io.brain.storage.WriteBatch;
import java.util.concurrent.TimeUnit;

/**
 * Start timestamps obtained together with the commit timestamp of the previous batch. No commit can
 * fall between the two, so the conflict check of the primary replaces a read of its guard.
 * Thread-safe.
 */
final class ChainedTimestamps {
    private static final int PRIMARIES_MAX = 64;

    /** The TTL of a lock counts from the start timestamp, so the timestamp must be recent. */
    private static final long AGE_MAX_NANOS = TimeUnit.SECONDS.toNanos(1);

    private record Link(Bytes value, long startTs, long takenNanos) {}

    private final BoundedMap<Bytes, Link> links = new BoundedMap<>(PRIMARIES_MAX);

    /** Records the start timestamp of the next batch; {@code startTs - 1} is the batch's commit. */
    void add(WriteBatch batch, long startTs) {
        Bytes value = batch.primary().newValue();
        if (value != null) {
            links.put(batch.primary().key(), new Link(value, startTs, System.nanoTime()));
        }
    }

    /** Removes the timestamp of a primary that other processes may have written. */
    void cut(Bytes primary) {
        links.remove(primary);
    }

    /** Removes and returns a start timestamp at which the primary's guard holds; 0 if unknown. */
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
