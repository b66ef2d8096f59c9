package io.brain.backend.cache;

import io.brain.storage.Bytes;
import java.util.ArrayList;
import java.util.List;

/**
 * Counts the keys of a scan in blocks of the same size. The number of blocks is limited: the blocks
 * of a long scan are larger. Used by one thread.
 */
public final class BlockTally {
    private final int blocksMax;
    private final List<Bytes> starts = new ArrayList<>();

    /** Keys of each block but the last. */
    private long blockKeys;

    /** Keys of the last block. */
    private long lastKeys;

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
        return lastKeys >= blockKeys;
    }

    /** Begins a block with this key, without counting the key; only if the last one is full. */
    public void begin(Bytes key) {
        if (starts.size() == blocksMax) {
            for (int i = 1; i < blocksMax / 2; i++) {
                starts.set(i, starts.get(2 * i));
            }
            starts.subList(blocksMax / 2, blocksMax).clear();
            blockKeys *= 2;
        }
        starts.add(key);
        lastKeys = 0;
    }

    /** Counts a key. */
    public void count() {
        lastKeys++;
    }

    /** Number of keys. */
    long keys() {
        return (starts.size() - 1) * blockKeys + lastKeys;
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
        return block + 1 < starts.size() ? blockKeys : lastKeys;
    }
}
