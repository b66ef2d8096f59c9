package io.brain.backend.cache;

import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * What a walk over a part of the keys has seen: how many there are, by blocks of about the same
 * size. Holds a bounded number of blocks, which grow if the walk is long. Used by one thread.
 */
public final class BlockTally {
    private final Bytes from;
    private final int blocksMax;

    /** Where each block begins, and how many keys it has; the last one is not full. */
    private final List<Bytes> begins = new ArrayList<>();

    private long[] sizes = new long[16];
    private long blockKeys;
    private long keys;

    /**
     * A walk that begins at {@code from}, which need not be a key that exists.
     *
     * @param blockKeys keys of a block, at first
     * @param blocksMax blocks that are held; even
     */
    BlockTally(Bytes from, long blockKeys, int blocksMax) {
        this.from = from;
        this.blockKeys = blockKeys;
        this.blocksMax = blocksMax;
        begins.add(from);
    }

    /** The walk comes to another key; true if it is to {@link #begin} a block first. */
    public boolean isFull() {
        return sizes[begins.size() - 1] >= blockKeys;
    }

    /** A block begins with this key, which is counted after that. */
    public void begin(Bytes key) {
        if (begins.size() == blocksMax) {
            halve();
        }
        begins.add(key);
        if (begins.size() > sizes.length) {
            sizes = Arrays.copyOf(sizes, 2 * sizes.length);
        }
    }

    /** Counts a key. */
    public void count() {
        sizes[begins.size() - 1]++;
        keys++;
    }

    /** Keys that were counted. */
    public long keys() {
        return keys;
    }

    Bytes from() {
        return from;
    }

    int blocks() {
        return begins.size();
    }

    Bytes begin(int block) {
        return begins.get(block);
    }

    long size(int block) {
        return sizes[block];
    }

    /** A key of the stretch came (1) or went (-1) after the walk. */
    void change(Bytes key, int by) {
        int found = Collections.binarySearch(begins, key);
        sizes[found >= 0 ? found : -found - 2] += by;
        keys += by;
    }

    private void halve() {
        int kept = 0;
        for (int i = 0; i < begins.size(); i += 2) {
            begins.set(kept, begins.get(i));
            sizes[kept] = sizes[i] + (i + 1 < begins.size() ? sizes[i + 1] : 0);
            kept++;
        }
        begins.subList(kept, begins.size()).clear();
        Arrays.fill(sizes, kept, sizes.length, 0);
        blockKeys *= 2;
    }
}
