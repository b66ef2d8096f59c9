package io.brain.backend.cache;

import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Counts the keys of a scan in blocks of about the same size. The number of blocks is limited; the
 * blocks of a long scan are larger. Used by one thread.
 */
public final class BlockTally {
    private final int blocksMax;

    /** Start and number of keys of each block. */
    private final List<Bytes> starts = new ArrayList<>();

    private long[] sizes = new long[16];
    private long blockKeys;
    private long keys;

    /**
     * A scan without keys.
     *
     * @param start first possible key
     * @param blockKeys keys of a block, initially
     * @param blocksMax even
     */
    BlockTally(Bytes start, long blockKeys, int blocksMax) {
        this.blockKeys = blockKeys;
        this.blocksMax = blocksMax;
        starts.add(start);
    }

    /** True if the next key must {@link #begin} a block. */
    public boolean isFull() {
        return sizes[starts.size() - 1] >= blockKeys;
    }

    /** Begins a block with this key, without counting the key. */
    public void begin(Bytes key) {
        if (starts.size() == blocksMax) {
            halve();
        }
        starts.add(key);
        if (starts.size() > sizes.length) {
            sizes = Arrays.copyOf(sizes, 2 * sizes.length);
        }
    }

    /** Counts a key. */
    public void count() {
        sizes[starts.size() - 1]++;
        keys++;
    }

    /** Number of keys. */
    long keys() {
        return keys;
    }

    Bytes start() {
        return starts.get(0);
    }

    int blocks() {
        return starts.size();
    }

    Bytes start(int block) {
        return starts.get(block);
    }

    long size(int block) {
        return sizes[block];
    }

    /** Adds (1) or removes (-1) a key that was changed after the scan. */
    void change(Bytes key, int by) {
        int found = Collections.binarySearch(starts, key);
        sizes[found >= 0 ? found : -found - 2] += by;
        keys += by;
    }

    private void halve() {
        int kept = 0;
        for (int i = 0; i < starts.size(); i += 2) {
            starts.set(kept, starts.get(i));
            sizes[kept] = sizes[i] + (i + 1 < starts.size() ? sizes[i + 1] : 0);
            kept++;
        }
        starts.subList(kept, starts.size()).clear();
        Arrays.fill(sizes, kept, sizes.length, 0);
        blockKeys *= 2;
    }
}
