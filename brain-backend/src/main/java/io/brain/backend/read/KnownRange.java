package io.brain.backend.read;

import io.brain.backend.model.KeySpan;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.wire.KeyValue;
import io.brain.storage.Bytes;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * All keys that exist in a range, with their newest state. Immutable: a change makes another one,
 * which shares all but one of its blocks of neighbours with this.
 */
final class KnownRange {
    /** A block of so many keys is cut in two. */
    private static final int BLOCK_KEYS_MAX = 64;

    /** What a key costs on the heap besides its bytes: records, array headers, a reference. */
    private static final int OVERHEAD = 116;

    /** What a range costs besides, amply: so there are not too many of them. */
    private static final long RANGE_BYTES = 16 << 10;

    private static final Entry[][] NOTHING = {};

    private final KeySpan span;

    /** None is empty. */
    private final Entry[][] blocks;

    private final long since;
    private final long weight;

    private record Entry(Bytes key, Bytes kv) {
        long weight() {
            return (long) OVERHEAD + key.length() + kv.length();
        }
    }

    private KnownRange(KeySpan span, Entry[][] blocks, long since, long weight) {
        this.span = span;
        this.blocks = blocks;
        this.since = since;
        this.weight = weight;
    }

    /**
     * What was read.
     *
     * @param kvs encoded KeyValues of all keys, in their order
     * @param revision at which they were so
     */
    static KnownRange of(KeySpan span, List<Bytes> kvs, long revision) {
        int half = BLOCK_KEYS_MAX / 2;
        Entry[][] blocks = new Entry[(kvs.size() + half - 1) / half][];
        long weight = RANGE_BYTES + span.bytes();
        for (int block = 0; block < blocks.length; block++) {
            int first = block * half;
            blocks[block] = new Entry[Math.min(half, kvs.size() - first)];
            for (int i = 0; i < blocks[block].length; i++) {
                Bytes kv = kvs.get(first + i);
                Entry entry = new Entry(KeyValue.decode(kv).key(), kv);
                blocks[block][i] = entry;
                weight += entry.weight();
            }
        }
        return new KnownRange(span, blocks, revision, weight);
    }

    /** Bytes on the heap of what {@link #of} would make, but for those of the keys. */
    static long weight(KeySpan span, int keys, long bytes) {
        return RANGE_BYTES + span.bytes() + (long) keys * OVERHEAD + bytes;
    }

    /** The range. */
    KeySpan span() {
        return span;
    }

    /** The oldest revision from which on it is known to have been so. */
    long since() {
        return since;
    }

    /** Bytes on the heap. */
    long weight() {
        return weight;
    }

    /** True if all of {@code part} lies in the range. */
    boolean covers(KeySpan part) {
        return part.key().compareTo(span.key()) >= 0 && !isBehind(part.end(), span.end());
    }

    /** True if there may be keys that are in both ranges. */
    boolean overlaps(KeySpan other) {
        return isBehind(other.end(), span.key()) && isBehind(span.end(), other.key());
    }

    /** True if an end, null being the last, is behind another one, or behind a key. */
    private static boolean isBehind(Bytes end, Bytes other) {
        if (end == null || other == null) {
            return other != null;
        }
        return end.compareTo(other) > 0;
    }

    /** The range after a change of a key that lies in it. */
    KnownRange with(WatchEvent event) {
        Entry changed = event.isDelete() ? null : new Entry(event.key(), event.kv());
        int block = blockOf(event.key());
        Entry[] old = block < blocks.length ? blocks[block] : new Entry[0];
        int at = firstFrom(old, event.key());
        boolean there = at < old.length && old[at].key().equals(event.key());
        Entry[] made = new Entry[old.length + (changed == null ? 0 : 1) - (there ? 1 : 0)];
        System.arraycopy(old, 0, made, 0, at);
        int behind = old.length - at - (there ? 1 : 0);
        System.arraycopy(old, old.length - behind, made, made.length - behind, behind);
        if (changed != null) {
            made[at] = changed;
        }
        long more = (changed == null ? 0 : changed.weight()) - (there ? old[at].weight() : 0);
        return new KnownRange(span, replaced(block, made), event.revision(), weight + more);
    }

    /** The blocks with {@code made} in place of one of them, or behind the last. */
    private Entry[][] replaced(int block, Entry[] made) {
        int half = made.length / 2;
        Entry[][] parts =
                made.length == 0
                        ? NOTHING
                        : made.length < BLOCK_KEYS_MAX
                                ? new Entry[][] {made}
                                : new Entry[][] {
                                    Arrays.copyOf(made, half),
                                    Arrays.copyOfRange(made, half, made.length)
                                };
        int behind = Math.max(0, blocks.length - block - 1);
        Entry[][] all = new Entry[block + parts.length + behind][];
        System.arraycopy(blocks, 0, all, 0, block);
        System.arraycopy(parts, 0, all, block, parts.length);
        System.arraycopy(blocks, blocks.length - behind, all, block + parts.length, behind);
        return all;
    }

    /** The keys of a part of the range. */
    LiveKeys keys(KeySpan part) {
        return new Walk(part);
    }

    /** The number of the last block that does not begin behind a key; 0 if all do. */
    private int blockOf(Bytes key) {
        Entry[] probe = {new Entry(key, null)};
        int at = Arrays.binarySearch(blocks, probe, Comparator.comparing(block -> block[0].key()));
        return at >= 0 ? at : Math.max(0, -2 - at);
    }

    /** The place of the first key in a block that is not before {@code key}. */
    private static int firstFrom(Entry[] block, Bytes key) {
        Entry probe = new Entry(key, null);
        int at = Arrays.binarySearch(block, probe, Comparator.comparing(Entry::key));
        return at >= 0 ? at : -1 - at;
    }

    /** Over keys that nobody changes. */
    private final class Walk implements LiveKeys {
        /** Where the walk ends before the range does; null: with the range. */
        private final Bytes end;

        private int block;
        private int next;
        private Entry here;

        Walk(KeySpan part) {
            end = isBehind(span.end(), part.end()) ? part.end() : null;
            block = blockOf(part.key());
            if (block < blocks.length) {
                next = firstFrom(blocks[block], part.key());
            }
        }

        @Override
        public boolean next() {
            if (block < blocks.length && next == blocks[block].length) {
                block++;
                next = 0;
            }
            if (block == blocks.length) {
                return false;
            }
            Entry entry = blocks[block][next];
            if (end != null && entry.key().compareTo(end) >= 0) {
                block = blocks.length;
                return false;
            }
            next++;
            here = entry;
            return true;
        }

        @Override
        public Bytes key() {
            return here.key();
        }

        @Override
        public long modRevision() {
            return KeyValue.decode(here.kv()).modRevision();
        }

        @Override
        public Bytes kv() {
            return here.kv();
        }

        /** Without a step: where the walk ends is looked for. */
        @Override
        public long countRest(Meter meter) {
            if (block == blocks.length) {
                return 0;
            }
            int lastBlock = end == null ? blocks.length : blockOf(end);
            int lastNext = 0;
            if (end != null && lastBlock < blocks.length) {
                lastNext = firstFrom(blocks[lastBlock], end);
            }
            int count = lastNext - next;
            for (int i = block; i < lastBlock; i++) {
                count += blocks[i].length;
            }
            block = blocks.length;
            next = 0;
            return count;
        }

        @Override
        public void close() {}
    }
}
