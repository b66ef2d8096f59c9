package io.brain.backend.cache;

import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BiPredicate;

/**
 * The key space in blocks of adjacent keys, each with the number of its keys and with heads, as far
 * as known. Limits the number of blocks and the bytes of heads: evicts heads of blocks that were
 * not used lately. Guarded by the cache's lock, except {@link #of}.
 */
final class HeadBlocks {
    /** A single block may have this fraction of all bytes. */
    private static final int LARGEST_FRACTION = 16;

    /** Blocks to check in one search for room. */
    private static final int SEARCH_MAX = 256;

    /** If there is little room, one of this number of reads searches for it. */
    private static final int SEARCH_INTERVAL = 16;

    /** A counted block is joined to the one before at this fraction of the usual size. */
    private static final int SMALL_FRACTION = 4;

    private final int blocksMax;
    private final long bytesMax;

    /** Sorted; the first block starts with the empty key. */
    private volatile Block[] blocks = {new Block(Bytes.EMPTY, Block.UNKNOWN)};

    /** Usual number of keys of a block. */
    private long blockKeys;

    private long bytes;
    private int searched;
    private int refused;

    HeadBlocks(int blockKeys, int blocksMax, long bytesMax) {
        this.blockKeys = blockKeys;
        this.blocksMax = blocksMax;
        this.bytesMax = bytesMax;
    }

    /** A block, up to the start of the next one. */
    static final class Block {
        static final long UNKNOWN = -1;

        final Bytes start;

        /** Number of keys, or {@link #UNKNOWN}; guarded by the cache's lock. */
        long keys;

        /** May be null. Changed with the cache's lock held; null once the block is replaced. */
        private volatile CachedHeads heads;

        /** True if read since the last search for room. A hint: races do no harm. */
        private boolean used;

        Block(Bytes start, long keys) {
            this.start = start;
            this.keys = keys;
        }

        /** A key's KeyValue at a revision; {@link Bytes#EMPTY}: none; null: unknown. */
        Bytes find(Bytes key, long at) {
            CachedHeads known = heads;
            Bytes kv = known == null ? null : known.find(key, at);
            if (kv != null) {
                markUsed();
            }
            return kv;
        }

        /** All heads at a revision; null if unknown. */
        CachedHeads headsAt(long revision) {
            CachedHeads all = heads;
            if (all == null || !all.isCompleteAt(revision)) {
                return null;
            }
            markUsed();
            return all;
        }

        private void markUsed() {
            if (!used) {
                used = true;
            }
        }

        boolean isCounted() {
            return keys != UNKNOWN;
        }
    }

    /** The block of a key. Any thread. */
    Block of(Bytes key) {
        Block[] all = blocks;
        return all[indexOf(all, key)];
    }

    int size() {
        return blocks.length;
    }

    Block get(int index) {
        return blocks[index];
    }

    /** Exclusive end of a block; null: none. */
    Bytes end(int index) {
        return index + 1 < size() ? blocks[index + 1].start : null;
    }

    int indexOf(Bytes key) {
        return indexOf(blocks, key);
    }

    long bytes() {
        return bytes;
    }

    long blockKeys() {
        return blockKeys;
    }

    /** False if it is not worthwhile now to read heads for the cache. */
    boolean mayHaveRoom() {
        return bytes < bytesMax - bytesMax / 8 || ++refused % SEARCH_INTERVAL == 0;
    }

    /**
     * Applies a committed change.
     *
     * @param kv null: the key was deleted
     * @param by change of the number of keys
     */
    void change(Bytes key, Bytes kv, int by, long at) {
        int index = indexOf(key);
        Block block = blocks[index];
        if (block.isCounted()) {
            block.keys += by;
        }
        CachedHeads heads = block.heads;
        if (heads != null) {
            CachedHeads now = heads.changed(key, kv, at);
            if (now != heads) {
                put(index, now);
            }
        }
        boolean small = block.isCounted() && block.keys <= blockKeys / SMALL_FRACTION;
        if (by < 0 && small && index > 0) {
            joinToPrevious(index);
        }
    }

    /**
     * Divides a block by the counts of a scan, if the scan was within one block.
     *
     * @param at revision of the scan
     */
    void count(BlockTally tally, Bytes to, RecentChanges changes, long at) {
        int index = indexOf(tally.start());
        Block block = blocks[index];
        Bytes end = end(index);
        if (!endsWithin(to, end)) {
            return;
        }
        Block[] counted = new Block[tally.blocks()];
        for (int i = 0; i < counted.length; i++) {
            counted[i] = new Block(tally.start(i), tally.size(i));
        }
        changes.forEachSince(
                at, tally.start(), to, (key, by) -> counted[indexOf(counted, key)].keys += by);
        long keys = Arrays.stream(counted).mapToLong(part -> part.keys).sum();
        boolean hasLeft = !block.start.equals(tally.start());
        boolean hasRight = !Objects.equals(to, end);
        boolean restKnown = block.isCounted() && hasLeft != hasRight;
        long rest = restKnown ? block.keys - keys : Block.UNKNOWN;
        List<Block> parts = new ArrayList<>();
        if (hasLeft) {
            parts.add(new Block(block.start, rest));
        }
        parts.addAll(List.of(counted));
        if (hasRight) {
            parts.add(new Block(to, rest));
        }
        replace(index, 1, parts);
    }

    /** Sets all heads of a block, if the block is unchanged and there is room. */
    void fill(CacheGap gap, Bytes[] keys, Bytes[] kvs, long at) {
        int index = indexOf(gap.start());
        Block block = blocks[index];
        if (block.start.equals(gap.start()) && Objects.equals(end(index), gap.end())) {
            CachedHeads heads = CachedHeads.complete(gap.end(), keys, kvs, at);
            if (allows(heads.bytes()) && makeRoom(heads.bytes())) {
                block.keys = keys.length;
                set(block, heads);
            }
        }
    }

    /**
     * Adds a head that was read, if there is room.
     *
     * @param kv null: the key does not exist
     */
    void add(Bytes key, Bytes kv, long at) {
        int index = indexOf(key);
        CachedHeads heads = blocks[index].heads;
        boolean complete = heads != null && heads.isComplete();
        if (!complete && makeRoom(CachedHeads.weight(key, kv))) {
            CachedHeads before = heads == null ? CachedHeads.unknown(end(index)) : heads;
            put(index, before.learned(key, kv, at));
        }
    }

    /** True if a single block may have that many bytes. */
    boolean allows(long blockBytes) {
        return blockBytes <= bytesMax / LARGEST_FRACTION;
    }

    /** Forgets everything. */
    void clear() {
        replace(0, size(), List.of(new Block(Bytes.EMPTY, Block.UNKNOWN)));
    }

    /** Sets heads of a block, and splits the block if there are too many. */
    private void put(int index, CachedHeads heads) {
        Block block = blocks[index];
        if (!allows(heads.bytes())) {
            set(block, null);
        } else if (heads.size() <= 2 * blockKeys) {
            set(block, heads);
            var unused = makeRoom(0);
        } else if (heads.isComplete() || !block.isCounted()) {
            CachedHeads first = heads.firstHalf();
            Block left = half(block, block.start, first);
            replace(index, 1, List.of(left, half(block, first.end(), heads.secondHalf())));
        } else {
            set(block, null); // mostly keys that do not exist
        }
    }

    private Block half(Block whole, Bytes start, CachedHeads heads) {
        Block half = new Block(start, heads.isComplete() ? heads.size() : Block.UNKNOWN);
        set(half, heads);
        half.used = whole.used;
        return half;
    }

    /** Joins a block to the one before, unless both together are large. */
    private void joinToPrevious(int index) {
        Block right = blocks[index];
        Block left = blocks[index - 1];
        if (!left.isCounted() || left.keys + right.keys > blockKeys) {
            return;
        }
        Block both = new Block(left.start, left.keys + right.keys);
        CachedHeads first = left.heads;
        CachedHeads second = right.heads;
        if (first != null && second != null && first.isComplete() && second.isComplete()) {
            set(both, first.and(second));
            both.used = left.used || right.used;
        }
        replace(index - 1, 2, List.of(both));
    }

    private void replace(int from, int count, List<Block> others) {
        for (int i = from; i < from + count; i++) {
            set(blocks[i], null);
        }
        List<Block> next = new ArrayList<>(Arrays.asList(blocks));
        next.subList(from, from + count).clear();
        next.addAll(from, others);
        blocks = next.toArray(Block[]::new);
        if (size() > blocksMax) {
            joinAll((a, b) -> !a.isCounted() && a.heads == null && b.heads == null);
        }
        for (int i = 0; size() > blocksMax && i < Integer.SIZE; i++) {
            blockKeys *= 2;
            joinAll((a, b) -> !a.isCounted() || a.keys + b.keys <= blockKeys);
        }
        if (size() > blocksMax) {
            clear(); // every other block is unknown
        }
    }

    /** Joins adjacent blocks that are both counted or both unknown; joined blocks lose heads. */
    private void joinAll(BiPredicate<Block, Block> which) {
        List<Block> kept = new ArrayList<>();
        for (Block block : blocks) {
            Block last = kept.isEmpty() ? null : kept.get(kept.size() - 1);
            if (last == null || last.isCounted() != block.isCounted() || !which.test(last, block)) {
                kept.add(block);
            } else {
                long keys = block.isCounted() ? last.keys + block.keys : Block.UNKNOWN;
                set(last, null);
                set(block, null);
                kept.set(kept.size() - 1, new Block(last.start, keys));
            }
        }
        blocks = kept.toArray(Block[]::new);
    }

    private void set(Block block, CachedHeads heads) {
        CachedHeads before = block.heads;
        bytes += (heads == null ? 0 : heads.bytes()) - (before == null ? 0 : before.bytes());
        block.heads = heads;
    }

    /** Evicts heads not used lately until {@code more} bytes fit; false if they do not. */
    private boolean makeRoom(long more) {
        int count = Math.min(size(), SEARCH_MAX);
        for (int i = 0; i < count && bytes + more > bytesMax; i++) {
            searched = (searched + 1) % size();
            Block block = blocks[searched];
            if (block.used) {
                block.used = false;
            } else {
                set(block, null);
            }
        }
        return bytes + more <= bytesMax;
    }

    private static int indexOf(Block[] blocks, Bytes key) {
        int low = 0;
        int high = blocks.length - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (blocks[middle].start.compareTo(key) <= 0) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /** True if a range with one end is within a range with another; null: no end. */
    static boolean endsWithin(Bytes end, Bytes other) {
        return other == null || (end != null && end.compareTo(other) <= 0);
    }
}
