package io.brain.server.auth;

import com.google.protobuf.ByteString;
import java.util.concurrent.CompletableFuture;

/** Hashes and compares passwords with bcrypt, on a bounded pool of its own. Thread-safe. */
public interface Passwords extends AutoCloseable {
    /** Fails with "etcdserver: too many requests" when the pool is full. */
    CompletableFuture<String> hash(ByteString password);

    /** Fails like {@link #hash}. */
    CompletableFuture<Boolean> matches(ByteString password, String hash);

    /** Refuses what is queued, and joins the threads. */
    @Override
    void close();
}
