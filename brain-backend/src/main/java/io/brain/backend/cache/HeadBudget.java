package io.brain.backend.cache;

/**
 * The heap bytes that heads of all blocks take together. Where there is no room, blocks that were
 * not read since the last search give up theirs. Guarded by the cache's lock.
 */
final class HeadBudget {
    /** One block may take this part of all bytes. */
    private static final int LARGEST_PART = 16;

    /** Blocks that one search for room looks at. */
    private static final int SEARCH_MAX = 256;

    /** While there is little room, one of so many reads searches for it. */
    private static final int SELDOM = 16;

    private final long bytesMax;
    private long bytes;
    private int searched;
    private int refused;

    HeadBudget(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    long bytes() {
        return bytes;
    }

    /** True if one block may take that many bytes. */
    boolean allows(long blockBytes) {
        return blockBytes <= bytesMax / LARGEST_PART;
    }

    /** False if it is not worthwhile now to read heads for the cache. */
    boolean mayHaveRoom() {
        return bytes < bytesMax - bytesMax / 8 || ++refused % SELDOM == 0;
    }

    /** Gives a block its heads; null: none. */
    void set(KeyBlock block, CachedHeads heads) {
        CachedHeads before = block.heads;
        bytes += (heads == null ? 0 : heads.bytes()) - (before == null ? 0 : before.bytes());
        block.heads = heads;
    }

    /** Makes room for more bytes; false if there is none. */
    boolean makeRoom(KeyBlocks blocks, long more) {
        int looks = Math.min(blocks.size(), SEARCH_MAX);
        for (int i = 0; i < looks && bytes + more > bytesMax; i++) {
            searched = (searched + 1) % blocks.size();
            KeyBlock block = blocks.get(searched);
            if (block.used) {
                block.used = false;
            } else {
                set(block, null);
            }
        }
        return bytes + more <= bytesMax;
    }
}
