package io.brain.server.process;

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
 * A value parsed from small files, reloaded when they change. {@link #get} checks the files, at
 * most once per second. Thread-safe.
 */
public final class ReloadedFiles<T> {
    private static final Logger LOG = LoggerFactory.getLogger(ReloadedFiles.class);
    private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final List<Path> files;
    private final Parser<T> parser;

    // Guarded by this.
    private List<byte[]> contents;
    private T value;
    private long checkedAt;

    /** Message of the last check, which is logged once; null if it succeeded. */
    private String failure;

    /** Parses the contents, in the order of the files; throws for invalid ones. */
    @FunctionalInterface
    public interface Parser<T> {
        T parse(List<byte[]> contents) throws GeneralSecurityException;
    }

    /**
     * Reads the files.
     *
     * @param initial the value without files
     * @throws IOException if they cannot be read or parsed
     */
    public ReloadedFiles(List<Path> files, T initial, Parser<T> parser) throws IOException {
        this.files = files;
        this.parser = parser;
        this.value = initial;
        if (!files.isEmpty()) {
            load(read());
        }
    }

    /** The current value; the previous one if the files are invalid. */
    public synchronized T get() {
        long now = System.nanoTime();
        if (!files.isEmpty() && now - checkedAt >= CHECK_NANOS) {
            checkedAt = now;
            try {
                List<byte[]> content = read();
                if (!same(content)) {
                    load(content);
                    LOG.info("reloaded files={}", names());
                }
                failure = null;
            } catch (IOException unusable) {
                if (!unusable.getMessage().equals(failure)) {
                    LOG.warn("reload failed, keeping previous content: {}", unusable.getMessage());
                }
                failure = unusable.getMessage();
            }
        }
        return value;
    }

    private synchronized void load(List<byte[]> read) throws IOException {
        try {
            value = parser.parse(read);
        } catch (GeneralSecurityException | IllegalArgumentException unusable) {
            throw new IOException(
                    "cannot load " + names() + ": " + unusable.getMessage(), unusable);
        }
        contents = read;
        checkedAt = System.nanoTime();
    }

    private List<byte[]> read() throws IOException {
        List<byte[]> read = new ArrayList<>();
        for (Path file : files) {
            try {
                read.add(Files.readAllBytes(file));
            } catch (NoSuchFileException missing) {
                throw new IOException("cannot read " + file + ": no such file", missing);
            } catch (AccessDeniedException denied) {
                throw new IOException("cannot read " + file + ": permission denied", denied);
            } catch (IOException unreadable) {
                throw new IOException("cannot read " + file + ": " + unreadable, unreadable);
            }
        }
        return read;
    }

    private String names() {
        return files.stream().map(Path::toString).collect(Collectors.joining(" and "));
    }

    private boolean same(List<byte[]> read) {
        for (int i = 0; i < read.size(); i++) {
            if (!Arrays.equals(read.get(i), contents.get(i))) {
                return false;
            }
        }
        return true;
    }
}
