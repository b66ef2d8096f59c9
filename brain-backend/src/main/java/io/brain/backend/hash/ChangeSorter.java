package io.brain.backend.hash;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.DELETE_ON_CLOSE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Consumer;

/**
 * Sorts any number of changes within a memory limit: an external merge sort with one file. Used by
 * one thread; must be closed.
 */
final class ChangeSorter implements AutoCloseable {
    /** Most changes to read or write at once. */
    private static final int BLOCK_MAX = 4096;

    private final HashSettings settings;
    private final List<Change> buffer = new ArrayList<>();

    /** Start of each sorted run in the file. */
    private final List<Long> runs = new ArrayList<>();

    /** Null until the first run is written. */
    private FileChannel file;

    ChangeSorter(HashSettings settings) {
        this.settings = settings;
    }

    /**
     * The properties of a change that the hash of a history depends on.
     *
     * @param sub index within the revision
     * @param replaced true if at or below the compact revision, and a later change is not above the
     *     hashed revision
     * @param length number of hashed bytes
     * @param crc their CRC-32C
     */
    record Change(long revision, int sub, boolean replaced, int length, int crc)
            implements Comparable<Change> {
        private static final int BYTES = Long.BYTES + 3 * Integer.BYTES;
        private static final int SUB_MAX = Integer.MAX_VALUE >> 1;

        Change {
            if (sub > SUB_MAX) {
                throw new IllegalArgumentException("sub-revision " + sub);
            }
        }

        private static Change readFrom(ByteBuffer in) {
            long revision = in.getLong();
            int sub = in.getInt();
            return new Change(revision, sub >> 1, (sub & 1) != 0, in.getInt(), in.getInt());
        }

        private void writeTo(ByteBuffer out) {
            out.putLong(revision).putInt(sub << 1 | (replaced ? 1 : 0)).putInt(length).putInt(crc);
        }

        @Override
        public int compareTo(Change other) {
            int order = Long.compare(revision, other.revision);
            return order != 0 ? order : Integer.compare(sub, other.sub);
        }
    }

    void add(Change change) throws IOException {
        if (buffer.size() == settings.changesMax()) {
            writeRun();
        }
        buffer.add(change);
    }

    /** Passes all changes in order; can be called once. */
    void drain(Consumer<Change> to) throws IOException {
        if (runs.isEmpty()) {
            Collections.sort(buffer);
            buffer.forEach(to);
            return;
        }
        writeRun();
        int block = Math.max(1, Math.min(BLOCK_MAX, settings.changesMax() / runs.size()));
        PriorityQueue<Run> heads = new PriorityQueue<>();
        for (int i = 0; i < runs.size(); i++) {
            long end = i + 1 < runs.size() ? runs.get(i + 1) : file.size();
            Run run = new Run(runs.get(i), end, ByteBuffer.allocate(block * Change.BYTES));
            if (run.next()) {
                heads.add(run);
            }
        }
        for (Run first = heads.poll(); first != null; first = heads.poll()) {
            to.accept(first.head);
            if (first.next()) {
                heads.add(first);
            }
        }
    }

    /** Deletes the file. */
    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }

    private void writeRun() throws IOException {
        if (file == null) {
            Path directory = settings.file().toAbsolutePath().getParent();
            if (directory != null) { // does not exist if the engine has no files
                Files.createDirectories(directory);
            }
            file =
                    FileChannel.open(
                            settings.file(),
                            CREATE,
                            TRUNCATE_EXISTING,
                            READ,
                            WRITE,
                            DELETE_ON_CLOSE);
        }
        runs.add(file.position());
        Collections.sort(buffer);
        ByteBuffer out = ByteBuffer.allocate(BLOCK_MAX * Change.BYTES);
        for (Change change : buffer) {
            if (!out.hasRemaining()) {
                write(out);
            }
            change.writeTo(out);
        }
        write(out);
        buffer.clear();
    }

    private void write(ByteBuffer out) throws IOException {
        out.flip();
        while (out.hasRemaining()) {
            file.write(out);
        }
        out.clear();
    }

    /** The unread rest of a run. */
    private final class Run implements Comparable<Run> {
        private final long end;
        private final ByteBuffer block;
        private long at;
        private Change head;

        Run(long start, long end, ByteBuffer block) {
            this.at = start;
            this.end = end;
            this.block = block.limit(0);
        }

        /** Moves to the next change; false if there is none. */
        boolean next() throws IOException {
            if (!block.hasRemaining()) {
                if (at == end) {
                    return false;
                }
                block.clear().limit((int) Math.min(block.capacity(), end - at));
                while (block.hasRemaining()) {
                    int read = file.read(block, at);
                    if (read < 0) {
                        throw new IOException("file was truncated: " + settings.file());
                    }
                    at += read;
                }
                block.flip();
            }
            head = Change.readFrom(block);
            return true;
        }

        @Override
        public int compareTo(Run other) {
            return head.compareTo(other.head);
        }
    }
}
