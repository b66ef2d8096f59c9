package io.brain.storage.tikv.client;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.brain.storage.Bytes;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.util.Comparator;
import java.util.concurrent.ExecutionException;

/** Conversions between Brain's types and the client's. */
public final class Wire {
    private static final Comparator<ByteString> ORDER =
            ByteString.unsignedLexicographicalComparator();

    private Wire() {}

    /** Wraps without copying. */
    public static ByteString of(Bytes bytes) {
        return UnsafeByteOperations.unsafeWrap(bytes.array());
    }

    public static Bytes of(ByteString bytes) {
        return Bytes.wrap(bytes.toByteArray());
    }

    public static int compare(ByteString left, ByteString right) {
        return ORDER.compare(left, right);
    }

    /**
     * Waits for a response. Bounded, because every request has a deadline.
     *
     * @throws NoAnswerException if there is no response
     * @throws StorageException kind UNAVAILABLE if this thread was interrupted
     */
    public static <T> T await(ListenableFuture<T> future) {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw new NoAnswerException(e.getCause());
        } catch (InterruptedException e) {
            future.cancel(true);
            Thread.currentThread().interrupt();
            throw new StorageException(Kind.UNAVAILABLE, "interrupted while waiting for TiKV", e);
        }
    }
}
