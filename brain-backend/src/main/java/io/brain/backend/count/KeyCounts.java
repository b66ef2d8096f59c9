package io.brain.backend.count;

import io.brain.backend.count.Changes.Slice;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.revision.CommitListener;
import io.brain.backend.revision.ReadPoint;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * How many keys exist, by blocks of neighbours. At first no block's number is known; a walk that
 * had to count tells what it saw ({@link #learn}), and from then on every commit keeps it true. A
 * count at an older revision is the count now, less what the changes since then did.
 *
 * <p>Bounded: there are never more blocks than a maximum; beyond it neighbours are put together,
 * and a count that begins or ends inside a block walks over more keys. Thread-safe; the publisher,
 * which tells of commits, waits for readers no longer than one addition of all blocks takes.
 */
public final class KeyCounts implements CommitListener {
    private static final int BLOCKS_MAX = 1 << 14;
    private static final int CHANGES_MAX = 1 << 16;
    private static final int BLOCK_KEYS = 128;
    private static final long UNKNOWN = -1;

    /** Only a block that has become so small a part of what it should be is put to another. */
    private static final int SMALL_PART = 4;

    private final int blocksMax;
    private final int changesMax;

    /** From the first key of each block; the first block begins with the empty key. */
    private final TreeMap<Bytes, Block> blocks = new TreeMap<>();

    private Changes changes;

    /** The newest revision that the blocks count. */
    private long revision;

    private long blockKeys;

    /**
     * Nothing known.
     *
     * @param revision the newest committed revision: the first one that is told of follows it
     */
    public KeyCounts(long revision) {
        this(revision, BLOCK_KEYS, BLOCKS_MAX, CHANGES_MAX);
    }

    /**
     * Nothing known, with other bounds.
     *
     * @param blockKeys keys of a block, at first
     * @param blocksMax blocks that are held; even
     * @param changesMax changes that are held: how far back counts reach
     */
    public KeyCounts(long revision, int blockKeys, int blocksMax, int changesMax) {
        this.blockKeys = blockKeys;
        this.blocksMax = blocksMax;
        this.changesMax = changesMax;
        forget(revision);
    }

    private static final class Block {
        /** Keys in it now, or {@link #UNKNOWN}. */
        private long keys;

        Block(long keys) {
            this.keys = keys;
        }

        boolean isKnown() {
            return keys != UNKNOWN;
        }
    }

    /** Takes in a revision; one that does not follow the last makes everything unknown. */
    @Override
    public synchronized void events(RevisionEvents events) {
        if (events.revision() != revision + 1 || events.inLogOnly()) {
            forget(events.revision());
            return;
        }
        for (WatchEvent event : events.events()) {
            if (event.isDelete()) {
                change(event.key(), -1, events.revision());
            } else if (event.prevKv() == null && KeyValue.decode(event.kv()).version() == 1) {
                change(event.key(), 1, events.revision());
            }
        }
        revision = events.revision();
    }

    @Override
    public void committed(ReadPoint point) {}

    private void forget(long newest) {
        blocks.clear();
        blocks.put(Bytes.EMPTY, new Block(UNKNOWN));
        changes = new Changes(changesMax, newest);
        revision = newest;
    }

    private void change(Bytes key, int by, long at) {
        changes.add(at, key, by);
        Map.Entry<Bytes, Block> home = blocks.floorEntry(key);
        Block block = home.getValue();
        if (block.isKnown()) {
            block.keys += by;
            if (by < 0 && block.keys <= blockKeys / SMALL_PART) {
                join(home.getKey(), block);
            }
        }
    }

    /** Puts a block to the one before it, if both together are no large one. */
    private void join(Bytes begin, Block block) {
        Map.Entry<Bytes, Block> before = blocks.lowerEntry(begin);
        if (before != null
                && before.getValue().isKnown()
                && before.getValue().keys + block.keys <= blockKeys) {
            before.getValue().keys += block.keys;
            blocks.remove(begin);
        }
    }

    /**
     * The first part of a range whose number of keys is known.
     *
     * @param from the range's first key
     * @param to the first key behind the range; null: there is none
     * @param at a committed revision
     * @return null if there is no such part, or the revision is too old, or newer than what was
     *     told so far
     */
    public Run next(Bytes from, Bytes to, long at) {
        Bytes begin = null;
        Bytes end = null;
        long keys = 0;
        List<Slice> later;
        synchronized (this) {
            if (at < changes.floor() || at > revision) {
                return null;
            }
            Iterator<Map.Entry<Bytes, Block>> next =
                    blocks.tailMap(from, true).entrySet().iterator();
            Map.Entry<Bytes, Block> here = next.hasNext() ? next.next() : null;
            while (here != null) {
                Map.Entry<Bytes, Block> following = next.hasNext() ? next.next() : null;
                Bytes behind = following == null ? null : following.getKey();
                if (here.getValue().isKnown() && isWithin(behind, to)) {
                    begin = begin == null ? here.getKey() : begin;
                    end = behind;
                    keys += here.getValue().keys;
                } else if (begin != null) {
                    break;
                }
                here = isWithin(to, behind) ? null : following;
            }
            if (begin == null) {
                return null;
            }
            later = changes.since(at);
        }
        Part part = new Part(begin, end);
        later.forEach(slice -> slice.forEach(part::add));
        return new Run(begin, end, keys - part.sum);
    }

    /** What came, less what went, between two keys. */
    private static final class Part {
        private final Bytes begin;
        private final Bytes end;
        private long sum;

        Part(Bytes begin, Bytes end) {
            this.begin = begin;
            this.end = end;
        }

        boolean has(Bytes key) {
            return key.compareTo(begin) >= 0 && (end == null || key.compareTo(end) < 0);
        }

        void add(Bytes key, int by) {
            if (has(key)) {
                sum += by;
            }
        }
    }

    /** True if what ends before {@code behind} ends before {@code to}; null: there is no end. */
    private static boolean isWithin(Bytes behind, Bytes to) {
        return to == null || (behind != null && behind.compareTo(to) <= 0);
    }

    /** For what a walk that begins at this key is going to see. */
    public synchronized Stretch stretch(Bytes from) {
        return new Stretch(from, blockKeys, blocksMax);
    }

    /**
     * Takes over what a walk has seen, unless it was too short to be of use, or the blocks have
     * changed in between.
     *
     * @param to the first key behind what was walked over; null: there is none
     * @param at the revision at which the keys existed
     */
    public synchronized void learn(Stretch seen, Bytes to, long at) {
        if (seen.keys() < blockKeys || at < changes.floor() || at > revision) {
            return;
        }
        Map.Entry<Bytes, Block> home = blocks.floorEntry(seen.from());
        Bytes behind = blocks.higherKey(seen.from());
        if (behind != null && (to == null || to.compareTo(behind) > 0)) {
            return;
        }
        Part part = new Part(seen.from(), to);
        changes.since(at)
                .forEach(
                        slice ->
                                slice.forEach(
                                        (key, by) -> {
                                            if (part.has(key)) {
                                                seen.change(key, by);
                                            }
                                        }));
        boolean hasLeft = !home.getKey().equals(seen.from());
        boolean hasRight = !Objects.equals(to, behind);
        Block whole = home.getValue();
        long rest = whole.isKnown() && hasLeft != hasRight ? whole.keys - seen.keys() : UNKNOWN;
        if (hasLeft) {
            whole.keys = rest;
        }
        for (int i = 0; i < seen.blocks(); i++) {
            blocks.put(seen.begin(i), new Block(seen.size(i)));
        }
        if (hasRight) {
            blocks.put(to, new Block(rest));
        }
        for (int i = 0; blocks.size() > blocksMax && i < Integer.SIZE; i++) {
            thinOut();
        }
        if (blocks.size() > blocksMax) {
            forget(revision); // every other block is unknown
        }
    }

    /** Makes blocks twice as large. */
    private void thinOut() {
        blockKeys *= 2;
        Block before = null;
        Iterator<Block> all = blocks.values().iterator();
        while (all.hasNext()) {
            Block block = all.next();
            if (before != null && before.isKnown() != block.isKnown()) {
                before = block;
            } else if (before == null
                    || (block.isKnown() && before.keys + block.keys > blockKeys)) {
                before = block;
            } else {
                before.keys = block.isKnown() ? before.keys + block.keys : UNKNOWN;
                all.remove();
            }
        }
    }

    /** Blocks that are held now. */
    synchronized int blocks() {
        return blocks.size();
    }
}
