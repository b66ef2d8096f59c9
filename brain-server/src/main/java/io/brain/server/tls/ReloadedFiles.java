package io.brain.server.tls;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is made of the content of some small files, made anew when that changes. The files are
 * looked at when it is asked for, but at most once a second. Thread-safe.
 */
final class ReloadedFiles<T> {
    private static final Logger LOG = LoggerFactory.getLogger(ReloadedFiles.class);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final List<Path> files;
    private final Maker<T> maker;

    // Guarded by this.
    private List<byte[]> contents;
    private T made;
    private long looked;

    /** Makes something of contents, in the order of their files. */
    @FunctionalInterface
    interface Maker<T> {
        T make(List<byte[]> contents) throws GeneralSecurityException;
    }

    /**
     * Reads the files.
     *
     * @throws IOException if nothing can be made of them
     */
    ReloadedFiles(List<Path> files, Maker<T> maker) throws IOException {
        this.files = files;
        this.maker = maker;
        load(read());
    }

    /** What the files make now; if that is nothing, what they made before. */
    synchronized T get() {
        long now = System.nanoTime();
        if (now - looked >= LOOK_NANOS) {
            looked = now;
            try {
                List<byte[]> found = read();
                if (!same(found)) {
                    load(found);
                    LOG.info("read {} again", names());
                }
            } catch (IOException unusable) {
                LOG.warn("{}; what was there before stays in use", unusable.getMessage());
            }
        }
        return made;
    }

    private synchronized void load(List<byte[]> found) throws IOException {
        try {
            made = maker.make(found);
        } catch (GeneralSecurityException | IllegalArgumentException unusable) {
            throw new IOException("cannot use " + names() + ": " + unusable.getMessage(), unusable);
        }
        contents = found;
        looked = System.nanoTime();
    }

    private List<byte[]> read() throws IOException {
        List<byte[]> found = new ArrayList<>();
        for (Path file : files) {
            try {
                found.add(Files.readAllBytes(file));
            } catch (NoSuchFileException missing) {
                throw new IOException("cannot read " + file + ": there is no such file", missing);
            } catch (AccessDeniedException denied) {
                throw new IOException(
                        "cannot read " + file + ": this user must be given the right to", denied);
            } catch (IOException unreadable) {
                throw new IOException("cannot read " + file + ": " + unreadable, unreadable);
            }
        }
        return found;
    }

    private String names() {
        return files.stream().map(Path::toString).collect(Collectors.joining(" and "));
    }

    private boolean same(List<byte[]> found) {
        for (int i = 0; i < found.size(); i++) {
            if (!Arrays.equals(found.get(i), contents.get(i))) {
                return false;
            }
        }
        return true;
    }
}
