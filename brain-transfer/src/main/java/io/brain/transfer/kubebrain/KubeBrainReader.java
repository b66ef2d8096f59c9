package io.brain.transfer.kubebrain;

import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import io.brain.transfer.etcd.ChangeCollector;
import io.brain.transfer.etcd.StepListener;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads the layout of KubeBrain (its NormalCoder): the bytes 57 fb 80 8b, the key, "$" and a
 * revision of 8 bytes. At revision 0 is the key's newest revision, with a ninth byte if it is a
 * delete; at each other revision the value, or "tombstone". The pair PREFIX/compact_key has the
 * compacted revision.
 *
 * <p>KubeBrain does not store create revisions and versions. They are counted from a key's oldest
 * stored change, and are too new if compaction removed older ones. Used by one thread.
 */
public final class KubeBrainReader {
    private static final Bytes MAGIC =
            Bytes.wrap(new byte[] {0x57, (byte) 0xfb, (byte) 0x80, (byte) 0x8b});
    private static final Bytes TOMBSTONE = Bytes.utf8("tombstone");
    private static final Bytes COMPACT_KEY = Bytes.utf8("/compact_key");
    private static final byte SPLIT = '$';
    private static final int SUFFIX_BYTES = 1 + Long.BYTES;
    private static final int DELETED_BYTES = Long.BYTES + 1;

    private final ChangeCollector changes;
    private final StepListener listener;

    /** The key of the last pair; null before the first one. */
    private Bytes key;

    /** Of {@link #key}, what is stored at revision 0; 0 if nothing is. */
    private long newest;

    private boolean deleted;
    private long created;
    private long version;
    private long compacted = -1;
    private long last;
    private long keys;
    private long count;
    private long bytes;

    /**
     * What was read.
     *
     * @param compacted the compacted revision; -1 if none was found
     * @param revision the last revision
     */
    public record Report(long keys, long changes, long compacted, long revision) {}

    /**
     * A reader.
     *
     * @param listener may throw to cancel
     */
    public KubeBrainReader(ChangeCollector changes, StepListener listener) {
        this.changes = changes;
        this.listener = listener;
    }

    /**
     * Reads all pairs; those of others are skipped.
     *
     * @throws IOException if a pair is malformed, or there is none; the message is one line
     */
    public Report read(Pairs pairs) throws IOException {
        while (pairs.next()) {
            bytes += pairs.key().length() + pairs.value().length();
            listener.progress("read", bytes, bytes);
            if (pairs.key().startsWith(MAGIC)) {
                readObject(pairs.key(), pairs.value());
            } else if (endsWith(pairs.key(), COMPACT_KEY) && pairs.value().length() == Long.BYTES) {
                compacted = Math.max(compacted, number(pairs.value()));
            }
        }
        if (count == 0) {
            throw new IOException("no data of KubeBrain");
        }
        return new Report(keys, count, compacted, last);
    }

    private void readObject(Bytes stored, Bytes value) throws IOException {
        int end = stored.length() - SUFFIX_BYTES;
        if (end < MAGIC.length() || stored.at(end) != SPLIT) {
            throw new IOException("not a key of KubeBrain: " + stored);
        }
        Bytes object = Bytes.copyOf(stored.array(), MAGIC.length(), end - MAGIC.length());
        long revision = ByteBuffer.wrap(stored.array()).getLong(end + 1);
        if (!object.equals(key)) {
            key = object;
            newest = 0;
            version = 0;
            keys++;
        }
        if (revision == 0) {
            readNewest(value);
        } else {
            readChange(revision, value);
        }
    }

    private void readNewest(Bytes value) throws IOException {
        deleted = value.length() == DELETED_BYTES;
        if (!deleted && value.length() != Long.BYTES) {
            throw new IOException("key \"%s\": malformed revision".formatted(key));
        }
        newest = number(value);
    }

    private void readChange(long revision, Bytes value) throws IOException {
        if (revision < 0) {
            throw new IOException("key \"%s\": malformed revision".formatted(key));
        }
        boolean delete = value.equals(TOMBSTONE) && (revision != newest || deleted);
        count++;
        last = Math.max(last, revision);
        if (delete) {
            version = 0;
            changes.delete(revision, key);
            return;
        }
        created = version == 0 ? revision : created;
        version++;
        changes.put(revision, KeyValueCodec.encode(key, created, revision, version, value, 0));
    }

    private static long number(Bytes value) {
        return ByteBuffer.wrap(value.array()).getLong();
    }

    private static boolean endsWith(Bytes bytes, Bytes end) {
        int from = bytes.length() - end.length();
        return from >= 0 && Bytes.copyOf(bytes.array(), from, end.length()).equals(end);
    }
}
