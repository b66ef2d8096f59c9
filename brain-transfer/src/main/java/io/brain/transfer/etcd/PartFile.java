package io.brain.transfer.etcd;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * A snapshot file that exists completely or not at all: it is written under its name and {@code
 * .part}, and renamed at the end. Used by one thread.
 */
public final class PartFile implements Closeable {
    private static final int READ_BYTES = 1 << 20;

    private final Path target;
    private final Path part;
    private final FileChannel channel;

    private PartFile(Path target, Path part, FileChannel channel) {
        this.target = target;
        this.part = part;
        this.channel = channel;
    }

    /**
     * Begins a file. Takes over what a killed process left.
     *
     * @throws FileAlreadyExistsException if the file exists
     * @throws IOException also if another export writes it
     */
    public static PartFile create(Path target) throws IOException {
        requireNone(target);
        Path part = target.resolveSibling(target.getFileName() + ".part");
        PrivateFiles.create(part);
        Object file = key(part);
        FileChannel channel = FileChannel.open(part, READ, WRITE);
        try {
            lock(target, part, channel, file);
            channel.truncate(0);
            return new PartFile(target, part, channel);
        } catch (IOException failure) {
            channel.close();
            throw failure;
        }
    }

    /**
     * Locks an open file. Until then another export can have renamed or deleted it, or begun a new
     * one: then it is not the caller's to write.
     *
     * @param file the {@link #key} before it was opened
     */
    static void lock(Path target, Path part, FileChannel channel, Object file) throws IOException {
        if (isLocked(channel)) {
            throw new IOException("another export writes " + part);
        }
        requireNone(target);
        if (!file.equals(key(part))) {
            throw new IOException("another export has written " + part);
        }
    }

    /** Tells the file with a name from the one that has it later. */
    static Object key(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    }

    /** Takes the lock, which ends with the channel; true if another channel has it. */
    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() == null;
        } catch (OverlappingFileLockException ofThisProcess) {
            return true;
        }
    }

    /** Receives the database. */
    public FileChannel channel() {
        return channel;
    }

    /** The name of a temporary file beside the file. */
    public Path beside(String suffix) {
        return part.resolveSibling(part.getFileName() + suffix);
    }

    /** Appends the SHA-256 of the database, and renames the file when it is on disk. */
    public void complete(StepListener listener) throws IOException {
        ByteBuffer hash = ByteBuffer.wrap(hash(listener));
        long end = channel.size();
        while (hash.hasRemaining()) {
            channel.write(hash, end + hash.position());
        }
        channel.force(true);
        requireNone(target);
        Files.move(part, target);
        sync(target.toAbsolutePath().getParent());
    }

    /** Makes the names of a directory durable. */
    public static void sync(Path directory) throws IOException {
        try (FileChannel names = FileChannel.open(directory, READ)) {
            names.force(true);
        }
    }

    private byte[] hash(StepListener listener) throws IOException {
        MessageDigest digest = sha256();
        long length = channel.size();
        ByteBuffer bytes = ByteBuffer.allocate(READ_BYTES);
        for (long at = 0; channel.read(bytes.clear(), at) > 0; at += bytes.limit()) {
            digest.update(bytes.flip());
            listener.progress("hash", at + bytes.limit(), length);
        }
        return digest.digest();
    }

    /** The hash at the end of a snapshot. */
    public static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) { // every Java has it
            throw new IllegalStateException(impossible);
        }
    }

    private static void requireNone(Path target) throws IOException {
        if (Files.exists(target)) {
            throw new FileAlreadyExistsException(target.toString(), null, "the file exists");
        }
    }

    /** Deletes the file unless it is complete. */
    @Override
    public void close() throws IOException {
        try (channel) {
            Files.deleteIfExists(part);
        }
    }
}
