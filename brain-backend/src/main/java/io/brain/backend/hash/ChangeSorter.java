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
 * Brings any number of changes into order within a bound of memory: beyond it they go to a file in
 * sorted runs, which are merged in the end. Used by one thread; must be closed.
 */
final class ChangeSorter implements AutoCloseable {
    /** Changes that are read or written at once, at the most. */
    private static final int BLOCK_MAX = 4096;

    private final HashSettings settings;
    private final List<Change> held = new ArrayList<>();

    /** Where each run begins in the file. */
    private final List<Long> runs = new ArrayList<>();

    /** Null until the first run is written. */
    private FileChannel file;

    ChangeSorter(HashSettings settings) {
        this.settings = settings;
    }

    void add(Change change) throws IOException {
        if (held.size() == settings.changesMax()) {
            spill();
        }
        held.add(change);
    }

    /** Hands out all changes in order; to be called once, at the end. */
    void drain(Consumer<Change> to) throws IOException {
        if (runs.isEmpty()) {
            Collections.sort(held);
            held.forEach(to);
            return;
        }
        spill();
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

    /** Frees the file. */
    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }

    private void spill() throws IOException {
        if (file == null) {
            Path directory = settings.file().toAbsolutePath().getParent();
            if (directory != null) { // an engine without files has not made it
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
        Collections.sort(held);
        ByteBuffer out = ByteBuffer.allocate(BLOCK_MAX * Change.BYTES);
        for (Change change : held) {
            if (!out.hasRemaining()) {
                write(out);
            }
            change.writeTo(out);
        }
        write(out);
        held.clear();
    }

    private void write(ByteBuffer out) throws IOException {
        out.flip();
        while (out.hasRemaining()) {
            file.write(out);
        }
        out.clear();
    }

    /** What is left of a run. */
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

        /** Goes on to the next change; false if there is none. */
        boolean next() throws IOException {
            if (!block.hasRemaining()) {
                if (at == end) {
                    return false;
                }
                block.clear().limit((int) Math.min(block.capacity(), end - at));
                while (block.hasRemaining()) {
                    int read = file.read(block, at);
                    if (read < 0) {
                        throw new IOException(settings.file() + " was cut off");
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
