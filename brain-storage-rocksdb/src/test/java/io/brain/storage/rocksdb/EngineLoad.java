package io.brain.storage.rocksdb;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.brain.storage.Bytes;
import io.brain.storage.WriteBatch;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteOptions;

/**
 * Objects of about 600 bytes that are created, changed and deleted, 256 in a batch that is synced;
 * behind them a compaction that keeps the newest 50 000 revisions, deleting what was replaced, and
 * the log's oldest entries. See docs/storage-format.md for the keys.
 */
final class EngineLoad {
    private static final int KEYS = 120_000;
    private static final int GROUP = 256;
    private static final int HISTORY = 50_000;
    private static final int DELETES_MAX = 10_000;
    private static final Bytes LOG_START =
            Bytes.wrap(new byte[] {0x57, (byte) 0xfb, (byte) 0x80, (byte) 0x8a, 'l'});

    /** A change whose revision compaction has still to pass; {@code replaced} is 0 for none. */
    private record Change(int key, long revision, long replaced, boolean delete) {}

    private final RocksDB db;
    private final WriteOptions synced = new WriteOptions().setSync(true);
    private final SplittableRandom random = new SplittableRandom(1);
    private final long[] newest = new long[2 * KEYS];
    private final boolean[] live = new boolean[2 * KEYS];
    private final Deque<Change> history = new ArrayDeque<>();
    private final Deque<Bytes> log = new ArrayDeque<>();
    private final List<Long> commitNanos = new ArrayList<>();
    private final List<Long> frontNanos = new ArrayList<>();
    private long revision = 1;
    private long userBytes;

    EngineLoad(RocksDB db) {
        this.db = db;
    }

    long userBytes() {
        return userBytes;
    }

    /** Creates half of the keys. */
    void fill() throws RocksDBException {
        List<Integer> group = new ArrayList<>();
        for (int key = 0; key < newest.length; key += 2) {
            group.add(key);
            if (group.size() == GROUP) {
                commit(group);
                group.clear();
            }
        }
        commitNanos.clear();
    }

    /** Writes: half of them to a tenth of the keys, one of five deletes what is there. */
    void churn(int writes) throws RocksDBException {
        long compacted = revision;
        for (int done = 0; done < writes; done += GROUP) {
            Set<Integer> group = new LinkedHashSet<>();
            while (group.size() < GROUP) {
                boolean hot = random.nextBoolean();
                int key = random.nextInt(hot ? newest.length / 10 : newest.length);
                group.add(key);
            }
            commit(group);
            if (revision - compacted >= HISTORY) {
                compact();
                compacted = revision;
            }
        }
    }

    private void commit(Collection<Integer> keys) throws RocksDBException {
        WriteBatch.Builder batch = WriteBatch.builder();
        batch.put(Bytes.wrap("fence".getBytes(US_ASCII)), value(60));
        Bytes entry =
                LOG_START.concat(Bytes.wrap(ByteBuffer.allocate(12).putLong(revision + 1).array()));
        for (int key : keys) {
            revision++;
            boolean delete = live[key] && random.nextInt(5) < 2;
            history.add(new Change(key, revision, newest[key], delete));
            batch.put(version(key, revision), value(delete ? 60 : 600));
            batch.put(record(key), Bytes.wrap(ByteBuffer.allocate(9).putLong(revision).array()));
            newest[key] = revision;
            live[key] = !delete;
        }
        batch.put(entry, value(70 * keys.size()));
        log.add(entry);
        long begin = System.nanoTime();
        write(batch.build());
        commitNanos.add(System.nanoTime() - begin);
    }

    private void write(WriteBatch batch) throws RocksDBException {
        userBytes += batch.bytes();
        try (org.rocksdb.WriteBatch encoded =
                new org.rocksdb.WriteBatch(BatchEncoder.encode(batch))) {
            db.write(synced, encoded);
        }
    }

    private void compact() throws RocksDBException {
        long floor = revision - HISTORY;
        WriteBatch.Builder deletes = WriteBatch.builder();
        while (!history.isEmpty() && history.peek().revision() <= floor) {
            Change change = history.poll();
            if (change.replaced() > 0) {
                deletes.delete(version(change.key(), change.replaced()));
            }
            if (change.delete() && newest[change.key()] == change.revision()) {
                deletes.delete(version(change.key(), change.revision()));
                deletes.delete(record(change.key()));
                newest[change.key()] = 0;
            }
            if (deletes.size() >= DELETES_MAX) {
                write(deletes.build());
                deletes = WriteBatch.builder();
            }
        }
        while (log.size() > HISTORY / GROUP) {
            deletes.delete(log.poll());
        }
        if (deletes.size() > 0) {
            write(deletes.build());
        }
        long begin = System.nanoTime();
        try (ReadOptions options = new ReadOptions();
                RocksIterator front = db.newIterator(options)) {
            front.seek(LOG_START.array());
            if (!Bytes.wrap(front.key()).equals(log.peek())) {
                throw new IllegalStateException("the log begins at " + Bytes.wrap(front.key()));
            }
        }
        frontNanos.add(System.nanoTime() - begin);
    }

    /** Reads the newest version of keys that are there; or keys that are not. */
    void readSome(RocksDB from, int count, boolean absent) throws RocksDBException {
        for (int i = 0; i < count; ) {
            int key = random.nextInt(newest.length);
            if (absent) {
                from.get(record(newest.length + key).array());
                i++;
            } else if (live[key]) {
                byte[] found = from.get(record(key).array());
                from.get(version(key, ByteBuffer.wrap(found).getLong()).array());
                i++;
            }
        }
    }

    /** Half, one of a hundred, and the longest, of the commits in ms. */
    String latencies() {
        return percentiles(commitNanos);
    }

    /** The same of finding the log's first entry after those before it were deleted. */
    String fronts() {
        return percentiles(frontNanos);
    }

    private static String percentiles(List<Long> nanos) {
        long[] sorted =
                LongStream.range(0, nanos.size()).map(i -> nanos.get((int) i)).sorted().toArray();
        return String.format(
                Locale.ROOT,
                "%.2f/%.2f/%.1f",
                sorted[sorted.length / 2] / 1e6,
                sorted[sorted.length * 99 / 100] / 1e6,
                sorted[sorted.length - 1] / 1e6);
    }

    private static Bytes record(int key) {
        return Bytes.wrap(stored('\u008b', key, ""));
    }

    private static Bytes version(int key, long revision) {
        byte[] text = stored('\u008c', key, "$");
        ByteBuffer bytes = ByteBuffer.allocate(text.length + Long.BYTES);
        return Bytes.wrap(bytes.put(text).putLong(~(revision << 1)).array());
    }

    private static byte[] stored(char range, int key, String end) {
        String name =
                "/registry/pods/namespace-%d/deployment-7f9c6b5d48-%06d".formatted(key % 50, key);
        return ("W\u00fb\u0080" + range + name + end).getBytes(ISO_8859_1);
    }

    /** Half of it common to all values, half random: about what an object of Kubernetes is. */
    private Bytes value(int length) {
        StringBuilder text = new StringBuilder(length + 40);
        while (text.length() < length) {
            text.append("{\"kind\":\"Pod\",\"uid\":\"").append(Long.toHexString(random.nextLong()));
        }
        text.setLength(length);
        return Bytes.wrap(text.toString().getBytes(US_ASCII));
    }
}
