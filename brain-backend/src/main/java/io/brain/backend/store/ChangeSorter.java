package io.brain.backend.store;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.DELETE_ON_CLOSE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * Sorts any number of changes within a memory limit: an external merge sort with one file, which is
 * as long as the changes. Used by one thread; must be closed.
 */
public final class ChangeSorter implements AutoCloseable {
    /** Heap bytes of a change without its record. */
    private static final int CHANGE_BYTES = 64;

    /** Most bytes to read or write at once, unless a record is longer. */
    private static final int BLOCK_BYTES_MAX = 64 << 10;

    private static final int BLOCK_BYTES_MIN = 64;

    private static final int MEMORY_BYTES_MIN = 1 << 10;
    private static final long MEMORY_BYTES_MAX = 1 << 29;

    /** Revision, sub-revision and length, before each record in the file. */
    private static final int HEADER_BYTES = Long.BYTES + 2 * Integer.BYTES;

    private static final Set<OpenOption> OPTIONS =
            Set.of(CREATE, TRUNCATE_EXISTING, READ, WRITE, DELETE_ON_CLOSE);

    /** The file has values. */
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final long bytesMax;
    private final Path path;
    private final List<Change> changes = new ArrayList<>();

    /** Their records. One array, so that GC does not copy them. */
    private byte[] memory = new byte[MEMORY_BYTES_MIN];

    private int memoryUsed;

    /** Start of each sorted run in the file. */
    private final List<Long> runs = new ArrayList<>();

    /** Null until the first run is written. */
    private FileChannel file;

    /**
     * A sorter without changes.
     *
     * @param bytesMax bytes of changes in memory, at most 512 MiB; more are written to the file
     * @param path temporary file; overwritten if it exists, and deleted
     */
    public ChangeSorter(long bytesMax, Path path) {
        this.bytesMax = Math.min(bytesMax, MEMORY_BYTES_MAX);
        this.path = path;
    }

    /** Receives changes in order. */
    @FunctionalInterface
    public interface Sink {
        /**
         * Receives a change.
         *
         * @param sub index within the revision
         */
        void accept(long revision, int sub, byte[] record) throws IOException;
    }

    /** A change, with the place of its record in the memory. */
    private record Change(long revision, int sub, int start, int length)
            implements Comparable<Change> {
        @Override
        public int compareTo(Change other) {
            return compare(revision, sub, other.revision, other.sub);
        }
    }

    /** Adds a change; copies the record. */
    public void add(long revision, int sub, byte[] record) throws IOException {
        long changeBytes = (long) CHANGE_BYTES * (changes.size() + 1);
        if (changeBytes + memoryUsed + record.length > bytesMax && !changes.isEmpty()) {
            writeRun();
        }
        int end = memoryUsed + record.length;
        if (end > memory.length) {
            long twice = Math.min(bytesMax, 2L * memory.length);
            memory = Arrays.copyOf(memory, Math.max(end, (int) twice));
        }
        System.arraycopy(record, 0, memory, memoryUsed, record.length);
        changes.add(new Change(revision, sub, memoryUsed, record.length));
        memoryUsed = end;
    }

    /** Passes all changes in order; can be called once. */
    public void drain(Sink to) throws IOException {
        if (runs.isEmpty()) {
            Collections.sort(changes);
            for (Change change : changes) {
                int end = change.start + change.length;
                byte[] record = Arrays.copyOfRange(memory, change.start, end);
                to.accept(change.revision, change.sub, record);
            }
            return;
        }
        writeRun();
        memory = null; // the blocks of the runs take its place
        long share = Math.max(BLOCK_BYTES_MIN, bytesMax / runs.size());
        int block = (int) Math.min(BLOCK_BYTES_MAX, share);
        PriorityQueue<Run> heads = new PriorityQueue<>();
        for (int i = 0; i < runs.size(); i++) {
            long end = i + 1 < runs.size() ? runs.get(i + 1) : file.size();
            Run run = new Run(runs.get(i), end, ByteBuffer.allocate(block));
            if (run.next()) {
                heads.add(run);
            }
        }
        for (Run first = heads.poll(); first != null; first = heads.poll()) {
            to.accept(first.revision, first.sub, first.record());
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

    private static int compare(long revision, int sub, long otherRevision, int otherSub) {
        int order = Long.compare(revision, otherRevision);
        return order != 0 ? order : Integer.compare(sub, otherSub);
    }

    private void writeRun() throws IOException {
        if (file == null) {
            Path directory = path.toAbsolutePath().getParent();
            if (directory != null) { // does not exist if the engine has no files
                Files.createDirectories(directory);
            }
            file = FileChannel.open(path, OPTIONS, OWNER_ONLY);
        }
        runs.add(file.position());
        Collections.sort(changes);
        ByteBuffer out = ByteBuffer.allocate(BLOCK_BYTES_MAX);
        for (Change change : changes) {
            int length = change.length;
            if (out.remaining() < HEADER_BYTES + length) {
                write(out);
            }
            out.putLong(change.revision).putInt(change.sub).putInt(length);
            if (out.remaining() < length) {
                write(out);
                writeFully(ByteBuffer.wrap(memory, change.start, length));
            } else {
                out.put(memory, change.start, length);
            }
        }
        write(out);
        changes.clear();
        memoryUsed = 0;
    }

    private void write(ByteBuffer out) throws IOException {
        writeFully(out.flip());
        out.clear();
    }

    private void writeFully(ByteBuffer out) throws IOException {
        while (out.hasRemaining()) {
            file.write(out);
        }
    }

    /** The unread rest of a run, and its next change. */
    private final class Run implements Comparable<Run> {
        private final long end;
        private final ByteBuffer block;

        /** Where the bytes behind the block are in the file. */
        private long at;

        private long revision;
        private int sub;
        private int length;

        Run(long start, long end, ByteBuffer block) {
            this.at = start;
            this.end = end;
            this.block = block.limit(0);
        }

        /** Moves to the next change, when the record of the last one is read; false at the end. */
        boolean next() throws IOException {
            if (at == end && !block.hasRemaining()) {
                return false;
            }
            if (block.remaining() < HEADER_BYTES) {
                block.compact();
                block.limit((int) Math.min(block.capacity(), block.position() + end - at));
                read(block);
                block.flip();
            }
            revision = block.getLong();
            sub = block.getInt();
            length = block.getInt();
            return true;
        }

        byte[] record() throws IOException {
            byte[] record = new byte[length];
            int buffered = Math.min(length, block.remaining());
            block.get(record, 0, buffered);
            read(ByteBuffer.wrap(record, buffered, length - buffered));
            return record;
        }

        private void read(ByteBuffer into) throws IOException {
            while (into.hasRemaining()) {
                int count = file.read(into, at);
                if (count < 0) {
                    throw new IOException("file was truncated: " + path);
                }
                at += count;
            }
        }

        @Override
        public int compareTo(Run other) {
            return compare(revision, sub, other.revision, other.sub);
        }
    }
}
