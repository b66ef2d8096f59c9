package io.brain.backend.cache;

import io.brain.backend.cache.CacheGap.Part;
import io.brain.backend.cache.CacheGap.Use;
import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;

/** The key space cut into blocks, the first of which begins with the empty key. Immutable. */
final class KeyBlocks {
    /** Parts of a gap. */
    private static final int GAP_MAX = 64;

    /** Heads of blocks with more keys are not held as a whole. */
    private static final int WHOLE_KEYS_MAX = 1024;

    private final KeyBlock[] blocks;

    private KeyBlocks(KeyBlock[] blocks) {
        this.blocks = blocks;
    }

    /** One block of which nothing is known. */
    static KeyBlocks unknown() {
        return new KeyBlocks(new KeyBlock[] {new KeyBlock(Bytes.EMPTY, KeyBlock.UNKNOWN)});
    }

    int size() {
        return blocks.length;
    }

    KeyBlock get(int index) {
        return blocks[index];
    }

    /** The block that a key belongs to. */
    KeyBlock of(Bytes key) {
        return blocks[indexOf(key)];
    }

    /** The place of the block that a key belongs to. */
    int indexOf(Bytes key) {
        int low = 0;
        int high = blocks.length - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (blocks[middle].begin.compareTo(key) <= 0) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /** The first key behind a block; null: there is none. */
    Bytes end(int index) {
        return index + 1 < blocks.length ? blocks[index + 1].begin : null;
    }

    /** The first blocks in a row that are counted, of those wholly in a range; null: none. */
    CountedRange counted(Bytes from, Bytes to) {
        Bytes begin = null;
        Bytes end = null;
        long keys = 0;
        int first = indexOf(from);
        for (int i = blocks[first].begin.equals(from) ? first : first + 1; i < blocks.length; i++) {
            Bytes behind = end(i);
            if (blocks[i].isCounted() && endsWithin(behind, to)) {
                begin = begin == null ? blocks[i].begin : begin;
                end = behind;
                keys += blocks[i].keys;
            } else if (begin != null) {
                break;
            }
            if (endsWithin(to, behind)) {
                break;
            }
        }
        return begin == null ? null : new CountedRange(begin, end, keys);
    }

    /**
     * What of {@code [from, to)} comes before the next block whose heads are known at a revision.
     *
     * @param wanted true if heads of whole blocks are to be learnt
     */
    CacheGap gap(Bytes from, Bytes to, long at, boolean wanted) {
        List<Part> parts = new ArrayList<>();
        for (int i = indexOf(from); i < blocks.length && parts.size() < GAP_MAX; i++) {
            KeyBlock block = blocks[i];
            boolean ends = !endsWithin(block.begin, to) || block.headsAt(at) != null;
            if (ends && !parts.isEmpty()) {
                break;
            }
            if (block.isCounted() && block.keys <= WHOLE_KEYS_MAX && wanted) {
                parts.add(new Part(block.begin, end(i), Use.HEADS));
            } else {
                Bytes begin = parts.isEmpty() ? from : block.begin;
                Bytes end = endsWithin(end(i), to) ? end(i) : to;
                parts.add(new Part(begin, end, block.isCounted() ? Use.NONE : Use.COUNT));
            }
        }
        return new CacheGap(parts);
    }

    /** With others in the place of {@code count} blocks. */
    KeyBlocks with(int from, int count, List<KeyBlock> others) {
        int behind = from + others.size();
        KeyBlock[] next = new KeyBlock[blocks.length - count + others.size()];
        System.arraycopy(blocks, 0, next, 0, from);
        for (int i = 0; i < others.size(); i++) {
            next[from + i] = others.get(i);
        }
        System.arraycopy(blocks, from + count, next, behind, next.length - behind);
        return new KeyBlocks(next);
    }

    /** With neighbours joined, as far as both are counted or both are not; without their heads. */
    KeyBlocks joined(BiPredicate<KeyBlock, KeyBlock> which) {
        List<KeyBlock> kept = new ArrayList<>();
        for (KeyBlock block : blocks) {
            KeyBlock before = kept.isEmpty() ? null : kept.get(kept.size() - 1);
            if (before == null
                    || before.isCounted() != block.isCounted()
                    || !which.test(before, block)) {
                kept.add(block);
            } else {
                long keys = block.isCounted() ? before.keys + block.keys : KeyBlock.UNKNOWN;
                kept.set(kept.size() - 1, new KeyBlock(before.begin, keys));
            }
        }
        return new KeyBlocks(kept.toArray(KeyBlock[]::new));
    }

    /** True if a range that ends before one key ends before another; null: there is no end. */
    static boolean endsWithin(Bytes end, Bytes other) {
        return other == null || (end != null && end.compareTo(other) <= 0);
    }
}
