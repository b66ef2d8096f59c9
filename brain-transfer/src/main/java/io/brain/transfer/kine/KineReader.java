package io.brain.transfer.kine;

import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import io.brain.transfer.etcd.ChangeCollector;
import io.brain.transfer.etcd.StepListener;
import io.brain.transfer.kine.KineTable.Row;
import java.io.IOException;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Turns the rows of kine into changes. A row is a change of one key, and its id the revision; rows
 * that fill gaps between ids, and the one with the compacted revision, change no key.
 *
 * <p>Kine stores no versions. They are counted from a key's creation; if compaction has removed
 * that, from 2, which is too small. A lease of kine is a TTL, and so is its ID: keys with the same
 * TTL share a lease. Used by one thread.
 */
public final class KineReader {
    private static final String COMPACTED = "compact_rev_key";
    private static final String GAP = "gap-";

    /** For etcd, an empty store has revision 1. */
    private static final long FIRST_REVISION = 2;

    /** Of the oldest kept change of a key whose creation was removed. */
    private static final long VERSION_MIN = 2;

    private static final int TTLS_MAX = 10_000;

    private final ChangeCollector changes;
    private final StepListener listener;
    private final SortedSet<Long> ttls = new TreeSet<>();

    /** Name of the last row; empty before the first one. */
    private String name = "";

    /** Of the key of that name, after its last row; version and lease are 0 if it is deleted. */
    private long created;

    private long version;
    private long lease;
    private long keys;
    private long count;
    private long gaps;
    private long bytes;

    /**
     * What was read.
     *
     * @param gaps revisions without a change, which kine has filled
     * @param revision the newest revision, with a change or without
     * @param compacted the oldest readable revision; -1: all are
     * @param ttls of the keys that exist, in seconds
     */
    public record Report(
            long keys,
            long changes,
            long gaps,
            long revision,
            long compacted,
            SortedSet<Long> ttls) {}

    /**
     * A reader.
     *
     * @param listener may throw to cancel
     */
    public KineReader(ChangeCollector changes, StepListener listener) {
        this.changes = changes;
        this.listener = listener;
    }

    /**
     * Reads all rows; can be called once.
     *
     * @throws IOException if a row is malformed, or there is none; the message is one line
     */
    public Report read(KineTable table) throws IOException {
        table.rows(this::readRow);
        endKey();
        if (count == 0) {
            throw new IOException("no data of kine");
        }
        return new Report(
                keys, count, gaps, table.newestRevision(), table.compactedRevision(), ttls);
    }

    private void readRow(Row row) throws IOException {
        bytes += row.value().length();
        listener.progress("read", bytes, bytes);
        if (COMPACTED.equals(row.name())) {
            return;
        }
        if ((GAP + row.id()).equals(row.name())) {
            gaps++;
            return;
        }
        if (row.name() == null || row.name().isEmpty() || row.id() < FIRST_REVISION) {
            throw malformed(row);
        }
        if (!row.name().equals(name)) {
            endKey();
            name = row.name();
            version = 0;
            lease = 0;
            keys++;
        }
        count++;
        if (row.deleted()) {
            version = 0;
            lease = 0;
            changes.delete(row.id(), Bytes.utf8(name));
        } else {
            put(row);
        }
    }

    private void put(Row row) throws IOException {
        if (row.created()) {
            created = row.id();
            version = 1;
        } else if (version > 0) {
            version++;
        } else {
            created = row.createRevision();
            version = VERSION_MIN;
            if (created < FIRST_REVISION || created >= row.id()) {
                throw malformed(row);
            }
        }
        lease = Math.max(0, row.lease());
        Bytes kv =
                KeyValueCodec.encode(
                        Bytes.utf8(name), created, row.id(), version, row.value(), lease);
        changes.put(row.id(), kv);
    }

    private void endKey() throws IOException {
        if (lease > 0 && ttls.add(lease) && ttls.size() > TTLS_MAX) {
            throw new IOException("kine's keys have more than %d TTLs".formatted(TTLS_MAX));
        }
    }

    private static IOException malformed(Row row) {
        return new IOException(
                "not a row of kine: id %d, name \"%s\", create_revision %d"
                        .formatted(row.id(), row.name(), row.createRevision()));
    }
}
