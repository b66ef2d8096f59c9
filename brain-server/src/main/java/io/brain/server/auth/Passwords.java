package io.brain.server.auth;

import com.google.protobuf.ByteString;
import io.brain.storage.Bytes;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;

/** Hashes and compares passwords with bcrypt, on a bounded pool of its own. Thread-safe. */
public interface Passwords extends AutoCloseable {
    /** Fails with "etcdserver: too many requests" when the pool is full. */
    CompletableFuture<String> hash(ByteString password);

    /** Fails like {@link #hash}. */
    CompletableFuture<Boolean> matches(ByteString password, String hash);

    /**
     * Decodes a hash of a request, as Go's base64.StdEncoding: padded, line ends do not count.
     *
     * @throws IllegalArgumentException if it is malformed
     */
    static Bytes decodeHash(String base64) {
        String text = base64.replaceAll("[\\r\\n]", "");
        if (text.length() % 4 != 0) {
            throw new IllegalArgumentException("no padding");
        }
        return Bytes.wrap(Base64.getDecoder().decode(text));
    }

    /** Refuses what is queued, and joins the threads. */
    @Override
    void close();
}
