package io.brain.transfer.etcd;

import io.brain.storage.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * The bytes of a database file. A snapshot ends with the SHA-256 of all bytes before; a member's
 * own file does not. As etcd does, the two are told apart by the length, because the length of a
 * database is a multiple of {@link #BLOCK_BYTES}.
 *
 * @param sha256 of the database
 */
record EtcdFile(long length, Bytes sha256) {
    private static final int BLOCK_BYTES = 512;
    private static final int HASH_BYTES = 32;
    private static final int READ_BYTES = 1 << 20;

    /**
     * Reads a file and verifies its hash.
     *
     * @param skipHashCheck accepts a file whose hash is missing or wrong
     * @param listener receives the progress
     */
    static EtcdFile read(Path path, boolean skipHashCheck, StepListener listener)
            throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            long size = channel.size();
            boolean hasHash = size % BLOCK_BYTES == HASH_BYTES;
            if (!hasHash && !skipHashCheck) {
                throw new EtcdException(
                        "no hash at its end: the file is truncated, or was not made by etcdctl"
                                + " snapshot save; --skip-hash-check accepts the database of a"
                                + " member");
            }
            long length = hasHash ? size - HASH_BYTES : size;
            byte[] actual = hash(channel, length, listener);
            if (hasHash && !skipHashCheck) {
                ByteBuffer expected = ByteBuffer.allocate(HASH_BYTES);
                while (expected.hasRemaining()
                        && channel.read(expected, length + expected.position()) >= 0) {
                    // reads on
                }
                if (!Arrays.equals(expected.array(), actual)) {
                    throw new EtcdException(
                            "the hash at its end is not that of its content: the file is damaged");
                }
            }
            return new EtcdFile(length, Bytes.wrap(actual));
        }
    }

    private static byte[] hash(FileChannel channel, long length, StepListener listener)
            throws IOException {
        MessageDigest digest = sha256Digest();
        ByteBuffer buffer = ByteBuffer.allocate(READ_BYTES);
        for (long at = 0; at < length; ) {
            buffer.clear().limit((int) Math.min(READ_BYTES, length - at));
            if (channel.read(buffer, at) < 0) {
                throw new EtcdException("the file got shorter while it was read");
            }
            at += buffer.position();
            digest.update(buffer.flip());
            listener.progress("hash", at, length);
        }
        return digest.digest();
    }

    private static MessageDigest sha256Digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) { // every Java has it
            throw new IllegalStateException(impossible);
        }
    }
}
