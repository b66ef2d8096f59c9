package io.brain.backend.cache;

import io.brain.backend.cache.CacheGap.Use;
import io.brain.backend.cache.HeadBlocks.Block;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.store.CommitListener;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;

/**
 * Heads that were read, and numbers of keys, in blocks of adjacent keys. Reads fill it ({@code
 * learn}); every commit updates it; a revision out of order clears it. An answer at a revision is
 * the engine's answer at that revision, or unknown.
 *
 * <p>The first read of a range counts its keys and divides it into blocks; the second one adds the
 * heads of complete blocks; a read of a single key adds that head. Limited in blocks (adjacent ones
 * are joined) and in heap bytes (blocks that were not used lately lose their heads; if all are in
 * use, nothing is added).
 *
 * <p>Thread-safe. Lookups of heads take no lock.
 */
public final class HeadCache implements CommitListener {
    private static final int BLOCKS_MAX = 1 << 14;
    private static final int CHANGES_MAX = 1 << 16;
    private static final int BLOCK_KEYS = 32;

    /** Heads read at older revisions are not added. */
    private static final int LEARN_BEHIND_MAX = 128;

    /** Most gaps to return. */
    private static final int GAPS_MAX = 256;

    /** Blocks with more keys are never complete. */
    private static final int COMPLETE_KEYS_MAX = 1024;

    private final int blocksMax;
    private final int changesMax;
    private final HeadBlocks blocks;

    /** The newest applied revision. */
    private volatile long revision;

    private RecentChanges changes;

    /** An empty cache with the usual limits. */
    public HeadCache(long bytesMax, long revision) {
        this(bytesMax, revision, BLOCK_KEYS, BLOCKS_MAX, CHANGES_MAX);
    }

    /**
     * An empty cache.
     *
     * @param bytesMax limit of heap bytes of heads
     * @param revision the newest committed revision
     * @param blockKeys keys of a block, initially
     * @param blocksMax limit of blocks; even
     * @param changesMax limit of recent changes, which counts at older revisions need
     */
    public HeadCache(long bytesMax, long revision, int blockKeys, int blocksMax, int changesMax) {
        this.blocks = new HeadBlocks(blockKeys, blocksMax, bytesMax);
        this.blocksMax = blocksMax;
        this.changesMax = changesMax;
        clear(revision);
    }

    /**
     * A range whose number of keys is known.
     *
     * @param to exclusive; null: no end
     */
    public record CountedRange(Bytes from, Bytes to, long keys) {}

    /** Applies a revision; one that does not follow the last clears the cache. */
    @Override
    public synchronized void events(RevisionEvents events) {
        if (events.revision() != revision + 1 || events.inLogOnly()) {
            clear(events.revision());
            return;
        }
        for (WatchEvent event : events.events()) {
            if (event.isDelete()) {
                change(event.key(), null, -1, events.revision());
            } else {
                boolean created =
                        event.prevKv() == null && KeyValue.decode(event.kv()).version() == 1;
                change(event.key(), event.kv(), created ? 1 : 0, events.revision());
            }
        }
        revision = events.revision();
    }

    /** A key's KeyValue at a revision; {@link Bytes#EMPTY}: none; null: unknown. */
    public Bytes find(Bytes key, long at) {
        // The first revision of a term may be published before the events of those before it.
        return revision < at ? null : blocks.of(key).find(key, at);
    }

    /** All heads of a key's block at a revision; null if unknown. */
    public CachedHeads heads(Bytes key, long at) {
        return revision < at ? null : blocks.of(key).headsAt(at);
    }

    /**
     * The gaps of {@code [from, to)} before the next block whose heads are known at a revision.
     *
     * @param values true if the values will be read
     * @return at least one
     */
    public synchronized List<CacheGap> gaps(Bytes from, Bytes to, long at, boolean values) {
        if (!reaches(at)) {
            return List.of(new CacheGap(from, to, Use.NONE));
        }
        boolean wanted = values && revision - at <= LEARN_BEHIND_MAX && blocks.mayHaveRoom();
        List<CacheGap> gaps = new ArrayList<>();
        for (int i = blocks.indexOf(from); i < blocks.size() && gaps.size() < GAPS_MAX; i++) {
            Block block = blocks.get(i);
            boolean ends = !HeadBlocks.endsWithin(block.start, to) || block.headsAt(at) != null;
            if (ends && !gaps.isEmpty()) {
                break;
            }
            Bytes blockEnd = blocks.end(i);
            if (block.isCounted() && block.keys <= COMPLETE_KEYS_MAX && wanted) {
                gaps.add(new CacheGap(block.start, blockEnd, Use.HEADS));
            } else {
                Bytes start = gaps.isEmpty() ? from : block.start;
                Bytes end = HeadBlocks.endsWithin(blockEnd, to) ? blockEnd : to;
                gaps.add(new CacheGap(start, end, block.isCounted() ? Use.NONE : Use.COUNT));
            }
        }
        return gaps;
    }

    /**
     * The first part of {@code [from, to)} whose number of keys at a revision is known.
     *
     * @param to null: no end
     * @return null if there is no such part, or the revision is too old or not applied
     */
    public synchronized CountedRange counted(Bytes from, Bytes to, long at) {
        CountedRange now = reaches(at) ? counted(from, to) : null;
        if (now == null) {
            return null;
        }
        long[] keys = {now.keys()};
        changes.forEachSince(at, now.from(), now.to(), (key, by) -> keys[0] -= by);
        return new CountedRange(now.from(), now.to(), keys[0]);
    }

    private CountedRange counted(Bytes from, Bytes to) {
        int at = blocks.indexOf(from);
        if (!blocks.get(at).start.equals(from)) {
            at++;
        }
        // Ends by index: comparing the key of each block took most of the time of a count.
        int end = to == null ? blocks.size() : blocks.indexOf(to);
        while (at < end && !blocks.get(at).isCounted()) {
            at++;
        }
        if (at >= end) {
            return null;
        }
        Bytes start = blocks.get(at).start;
        long keys = 0;
        while (at < end && blocks.get(at).isCounted()) {
            keys += blocks.get(at).keys;
            at++;
        }
        return new CountedRange(start, blocks.end(at - 1), keys);
    }

    /** A tally for a scan that starts at this key. */
    public synchronized BlockTally tally(Bytes start) {
        return new BlockTally(start, blocks.blockKeys(), blocksMax);
    }

    /**
     * Adds the counts of a scan, unless it was too short, or the blocks were changed meanwhile.
     *
     * @param to exclusive end of the scan; null: none
     * @param at revision of the scan
     */
    public synchronized void learn(BlockTally tally, Bytes to, long at) {
        if (tally.keys() >= blocks.blockKeys() && reaches(at)) {
            blocks.count(tally, to, changes, at);
        }
    }

    /**
     * Adds all heads of a block, unless it was changed meanwhile.
     *
     * @param gap one of {@link #gaps}, for {@link Use#HEADS}
     * @param keys existing keys, ascending
     * @param kvs their encoded KeyValues
     * @param at revision of the read
     */
    public synchronized void learn(CacheGap gap, List<Bytes> keys, List<Bytes> kvs, long at) {
        if (reaches(at) && !changes.touched(gap.start(), gap.end(), at)) {
            blocks.fill(gap, keys.toArray(Bytes[]::new), kvs.toArray(Bytes[]::new), at);
        }
    }

    /** True if a block may have keys and KeyValues of that many bytes together. */
    public boolean allows(long blockBytes) {
        return blocks.allows(blockBytes);
    }

    /**
     * Adds the head of a key, unless it was changed meanwhile.
     *
     * @param kv encoded KeyValue; null if the key does not exist
     * @param at revision of the read
     */
    public synchronized void learn(Bytes key, Bytes kv, long at) {
        if (reaches(at)
                && revision - at <= LEARN_BEHIND_MAX
                && blocks.allows(CachedHeads.weight(key, kv))
                && !changes.touched(key, key.successor(), at)) {
            blocks.add(key, kv, at);
        }
    }

    /** Heap bytes of heads. */
    synchronized long bytes() {
        return blocks.bytes();
    }

    /** Number of blocks. */
    synchronized int blocks() {
        return blocks.size();
    }

    private void change(Bytes key, Bytes kv, int by, long at) {
        changes.add(at, key, by);
        blocks.change(key, kv, by, at);
    }

    private void clear(long newest) {
        blocks.clear();
        changes = new RecentChanges(changesMax, newest);
        revision = newest;
    }

    /** True if all changes after a revision are known. */
    private boolean reaches(long at) {
        return at >= changes.floor() && at <= revision;
    }
}
