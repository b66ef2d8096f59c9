package io.brain.backend.cache;

import io.brain.backend.cache.CacheGap.Part;
import io.brain.backend.cache.CacheGap.Use;
import io.brain.backend.cache.RecentChanges.Slice;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.store.CommitListener;
import io.brain.backend.store.ReadPoint;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What reads need not ask the engine for: how many keys exist, and the newest versions of keys that
 * were read, by blocks of neighbouring keys. Reads fill it ({@code learn}), every commit keeps it
 * true, and a revision that does not follow the last one empties it. An answer at a revision is
 * what the engine would give at that revision, or that it is not known here.
 *
 * <p>The first read of a range counts its keys and cuts it into blocks; a second one brings the
 * heads of whole blocks; a read of a single key brings that one. Bounded in blocks (beyond the
 * maximum neighbours are put together) and in heap bytes (blocks not used lately give up their
 * heads; while all are in use nothing is admitted).
 *
 * <p>Thread-safe. Lookups of heads take no lock. The publisher, which tells of commits, waits for
 * readers no longer than one addition of all blocks takes.
 */
public final class HeadCache implements CommitListener {
    private static final int BLOCKS_MAX = 1 << 14;
    private static final int CHANGES_MAX = 1 << 16;
    private static final int BLOCK_KEYS = 128;

    /** A block is put to its neighbour when it has this part of its usual size. */
    private static final int SMALL_PART = 4;

    /** Further behind the newest revision no heads are learnt. */
    private static final int LEARN_BEHIND_MAX = 128;

    private final int blocksMax;
    private final int changesMax;
    private final HeadBudget budget;

    private volatile KeyBlocks blocks = KeyBlocks.unknown();

    /** The newest revision that is taken in. */
    private volatile long revision;

    private RecentChanges changes;
    private long blockKeys;

    /** An empty cache with the usual bounds of blocks and changes. */
    public HeadCache(long bytesMax, long revision) {
        this(bytesMax, revision, BLOCK_KEYS, BLOCKS_MAX, CHANGES_MAX);
    }

    /**
     * An empty cache.
     *
     * @param bytesMax most heap bytes of heads
     * @param revision the newest committed revision: the first one that it takes in follows it
     * @param blockKeys keys of a block, at first
     * @param blocksMax blocks that are held; even
     * @param changesMax changes that are held: how far back counts reach
     */
    public HeadCache(long bytesMax, long revision, int blockKeys, int blocksMax, int changesMax) {
        this.budget = new HeadBudget(bytesMax);
        this.blockKeys = blockKeys;
        this.blocksMax = blocksMax;
        this.changesMax = changesMax;
        clear(revision);
    }

    /** Takes in a revision; one that does not follow the last makes everything unknown. */
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

    @Override
    public void committed(ReadPoint point) {}

    /** A key's KeyValue at a revision; {@link Bytes#EMPTY}: none; null: that is not known. */
    public Bytes find(Bytes key, long at) {
        // A leader's or follower's first revision may be published before what led to it is told.
        if (revision < at) {
            return null;
        }
        KeyBlock block = blocks.of(key);
        CachedHeads heads = block.heads;
        Bytes kv = heads == null ? null : heads.find(key, at);
        if (kv != null) {
            block.markUsed();
        }
        return kv;
    }

    /** The heads at a revision of the block that a key belongs to; null: they are not all known. */
    public CachedHeads heads(Bytes key, long at) {
        return revision < at ? null : blocks.of(key).headsAt(at);
    }

    /** What of {@code [from, to)} comes before the next block whose heads are known. */
    public synchronized CacheGap gap(Bytes from, Bytes to, long at, boolean values) {
        if (!reaches(at)) {
            return new CacheGap(List.of(new Part(from, to, Use.NONE)));
        }
        boolean wanted = values && revision - at <= LEARN_BEHIND_MAX && budget.mayHaveRoom();
        return blocks.gap(from, to, at, wanted);
    }

    /**
     * The first part of a range whose number of keys is known.
     *
     * @param to the first key behind the range; null: there is none
     * @return null if there is no such part, or the revision is too old, or not taken in yet
     */
    public CountedRange counted(Bytes from, Bytes to, long at) {
        CountedRange now;
        List<Slice> later;
        synchronized (this) {
            now = reaches(at) ? blocks.counted(from, to) : null;
            if (now == null) {
                return null;
            }
            later = changes.since(at);
        }
        long[] keys = {now.keys()};
        RecentChanges.forEach(later, now.from(), now.to(), (key, by) -> keys[0] -= by);
        return new CountedRange(now.from(), now.to(), keys[0]);
    }

    /** For what a walk that begins at this key is going to count. */
    public synchronized BlockTally tally(Bytes from) {
        return new BlockTally(from, blockKeys, blocksMax);
    }

    /**
     * Takes over what a walk has counted, unless it was too short to be of use, or the blocks have
     * changed in between.
     *
     * @param to the first key behind what was walked over; null: there is none
     * @param at the revision at which the keys existed
     */
    public synchronized void learn(BlockTally seen, Bytes to, long at) {
        if (seen.keys() < blockKeys || !reaches(at)) {
            return;
        }
        int home = blocks.indexOf(seen.from());
        KeyBlock whole = blocks.get(home);
        Bytes behind = blocks.end(home);
        if (!KeyBlocks.endsWithin(to, behind)) {
            return;
        }
        RecentChanges.forEach(changes.since(at), seen.from(), to, seen::change);
        boolean hasLeft = !whole.begin.equals(seen.from());
        boolean hasRight = !Objects.equals(to, behind);
        long rest =
                whole.isCounted() && hasLeft != hasRight
                        ? whole.keys - seen.keys()
                        : KeyBlock.UNKNOWN;
        List<KeyBlock> parts = new ArrayList<>();
        if (hasLeft) {
            parts.add(new KeyBlock(whole.begin, rest));
        }
        for (int i = 0; i < seen.blocks(); i++) {
            parts.add(new KeyBlock(seen.begin(i), seen.size(i)));
        }
        if (hasRight) {
            parts.add(new KeyBlock(to, rest));
        }
        replace(home, 1, parts);
    }

    /**
     * Takes over all heads of a block, unless something was changed in between.
     *
     * @param block of a {@link #gap}, for {@link Use#HEADS}
     * @param keys that exist, ascending
     * @param kvs their encoded KeyValues
     * @param at the revision at which they exist
     */
    public synchronized void learn(Part block, List<Bytes> keys, List<Bytes> kvs, long at) {
        int home = blocks.indexOf(block.begin());
        KeyBlock there = blocks.get(home);
        if (!reaches(at)
                || !there.begin.equals(block.begin())
                || !Objects.equals(blocks.end(home), block.end())
                || changes.touched(block.begin(), block.end(), at)) {
            return;
        }
        Bytes[] noBytes = {};
        CachedHeads heads =
                CachedHeads.complete(block.end(), keys.toArray(noBytes), kvs.toArray(noBytes), at);
        if (budget.makeRoom(blocks, heads.bytes())) {
            there.keys = keys.size();
            budget.set(there, heads);
        }
    }

    /**
     * Takes over a key's newest version.
     *
     * @param kv encoded KeyValue; null if the key does not exist
     * @param at what was read
     */
    public synchronized void learn(Bytes key, Bytes kv, long at) {
        long weight = CachedHeads.weight(key, kv);
        if (!reaches(at)
                || revision - at > LEARN_BEHIND_MAX
                || !budget.allows(weight)
                || changes.touched(key, key.successor(), at)) {
            return;
        }
        int home = blocks.indexOf(key);
        CachedHeads heads = blocks.get(home).heads;
        if ((heads != null && heads.isComplete()) || !budget.makeRoom(blocks, weight)) {
            return;
        }
        CachedHeads before = heads == null ? CachedHeads.unknown(blocks.end(home)) : heads;
        put(home, before.learned(key, kv, at));
    }

    /** Heap bytes of the heads. */
    synchronized long bytes() {
        return budget.bytes();
    }

    /** Blocks that are held now. */
    synchronized int blocks() {
        return blocks.size();
    }

    private void change(Bytes key, Bytes kv, int by, long at) {
        changes.add(at, key, by);
        int home = blocks.indexOf(key);
        KeyBlock block = blocks.get(home);
        if (block.isCounted()) {
            block.keys += by;
        }
        CachedHeads heads = block.heads;
        if (heads != null) {
            CachedHeads now = heads.changed(key, kv, at);
            if (now != heads) {
                put(home, now);
            }
        }
        if (by < 0 && block.isCounted() && block.keys <= blockKeys / SMALL_PART) {
            join(home);
        }
    }

    /** Gives a block other heads, and cuts it if they are too many. */
    private void put(int home, CachedHeads heads) {
        KeyBlock block = blocks.get(home);
        if (!budget.allows(heads.bytes())) {
            budget.set(block, null);
        } else if (heads.size() <= 2 * blockKeys) {
            budget.set(block, heads);
            var unused = budget.makeRoom(blocks, 0);
        } else if (heads.isComplete() || !block.isCounted()) {
            CachedHeads first = heads.firstHalf();
            CachedHeads second = heads.secondHalf();
            boolean counted = heads.isComplete();
            KeyBlock left = new KeyBlock(block.begin, counted ? first.size() : KeyBlock.UNKNOWN);
            KeyBlock right = new KeyBlock(first.end(), counted ? second.size() : KeyBlock.UNKNOWN);
            budget.set(block, null);
            budget.set(left, first);
            budget.set(right, second);
            left.used = block.used;
            right.used = block.used;
            replace(home, 1, List.of(left, right));
        } else {
            budget.set(block, null); // most of what is known of it is that keys do not exist
        }
    }

    /** Puts a block to the one before it, if both together are no large one. */
    private void join(int home) {
        KeyBlock block = blocks.get(home);
        KeyBlock before = home == 0 ? null : blocks.get(home - 1);
        if (before == null || !before.isCounted() || before.keys + block.keys > blockKeys) {
            return;
        }
        KeyBlock both = new KeyBlock(before.begin, before.keys + block.keys);
        CachedHeads left = before.heads;
        CachedHeads right = block.heads;
        budget.set(before, null);
        budget.set(block, null);
        if (left != null && right != null && left.isComplete() && right.isComplete()) {
            budget.set(both, left.and(right));
            both.used = before.used || block.used;
        }
        replace(home - 1, 2, List.of(both));
    }

    /** Puts other blocks in the place of some, whose heads nobody may use any more. */
    private void replace(int from, int count, List<KeyBlock> others) {
        for (int i = from; i < from + count; i++) {
            budget.set(blocks.get(i), null);
        }
        blocks = blocks.with(from, count, others);
        if (blocks.size() > blocksMax) {
            become(blocks.joined((a, b) -> !a.isCounted() && a.heads == null && b.heads == null));
        }
        for (int i = 0; blocks.size() > blocksMax && i < Integer.SIZE; i++) {
            blockKeys *= 2;
            become(blocks.joined((a, b) -> !a.isCounted() || a.keys + b.keys <= blockKeys));
        }
        if (blocks.size() > blocksMax) {
            clear(revision); // every other block is unknown
        }
    }

    /** Has other blocks from now on; those that are gone lose their heads first. */
    private void become(KeyBlocks next) {
        for (int i = 0; i < blocks.size(); i++) {
            if (next.of(blocks.get(i).begin) != blocks.get(i)) {
                budget.set(blocks.get(i), null);
            }
        }
        blocks = next;
    }

    private void clear(long newest) {
        become(KeyBlocks.unknown());
        changes = new RecentChanges(changesMax, newest);
        revision = newest;
    }

    /** True if everything that was changed after a revision is known. */
    private boolean reaches(long at) {
        return at >= changes.floor() && at <= revision;
    }
}
