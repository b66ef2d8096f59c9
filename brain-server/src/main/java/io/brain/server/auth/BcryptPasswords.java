package io.brain.server.auth;

import com.google.protobuf.ByteString;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.grpc.Status;
import java.security.SecureRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.springframework.security.crypto.bcrypt.BCrypt;

/**
 * Passwords as etcd's: {@code $2a$} hashes of at most 72 bytes. Half of the cores compute, so that
 * a flood of calls leaves the rest to others.
 */
public final class BcryptPasswords implements Passwords {
    /**
     * As Go's bcrypt: a longer password cannot be set; of one to be compared, the rest is ignored.
     */
    private static final int PASSWORD_BYTES_MAX = 72;

    /** At the default cost, a thread works this off in about 4 s. */
    private static final int QUEUED_PER_THREAD_MAX = 64;

    private static final int JOIN_SECONDS = 5;

    /** The algorithm proper, by its later name: of "2a", the library has a variant. */
    private static final String PROPER = "$2b$";

    private static final String STORED = "$2a$";

    private final int cost;
    private final SecureRandom random;
    private final ThreadPoolExecutor pool;

    /**
     * Starts the pool.
     *
     * @param cost of new hashes, 4 to 31
     * @param threads at least 1
     */
    public BcryptPasswords(int cost, int threads, SecureRandom random) {
        this.cost = cost;
        this.random = random;
        pool =
                new ThreadPoolExecutor(
                        threads,
                        threads,
                        0,
                        TimeUnit.SECONDS,
                        new ArrayBlockingQueue<>(QUEUED_PER_THREAD_MAX * threads),
                        task -> {
                            Thread thread = new Thread(task, "brain-password");
                            thread.setDaemon(true);
                            return thread;
                        });
    }

    /** Threads for this machine. */
    public static int threads() {
        return Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    }

    @Override
    public CompletableFuture<String> hash(ByteString password) {
        if (password.size() > PASSWORD_BYTES_MAX) {
            return CompletableFuture.failedFuture(
                    Status.UNKNOWN
                            .withDescription("bcrypt: password length exceeds 72 bytes")
                            .asRuntimeException());
        }
        byte[] bytes = password.toByteArray();
        return submit(
                () -> {
                    String salt = BCrypt.gensalt(PROPER.substring(0, 3), cost, random);
                    return STORED + BCrypt.hashpw(bytes, salt).substring(PROPER.length());
                });
    }

    @Override
    public CompletableFuture<Boolean> matches(ByteString password, String hash) {
        byte[] bytes =
                password.substring(0, Math.min(password.size(), PASSWORD_BYTES_MAX)).toByteArray();
        String proper = hash.startsWith(STORED) ? PROPER + hash.substring(STORED.length()) : hash;
        return submit(
                () -> {
                    try {
                        return BCrypt.checkpw(bytes, proper);
                    } catch (IllegalArgumentException notAHash) {
                        return false;
                    }
                });
    }

    private <T> CompletableFuture<T> submit(Supplier<T> work) {
        Task<T> task = new Task<>(work);
        try {
            pool.execute(task);
        } catch (RejectedExecutionException full) {
            task.refuse(pool.isShutdown() ? ErrorKind.STOPPED : ErrorKind.TOO_MANY_REQUESTS);
        }
        return task.result;
    }

    /** Work that is skipped if nobody waits for its result. */
    private static final class Task<T> implements Runnable {
        private final Supplier<T> work;
        private final CompletableFuture<T> result = new CompletableFuture<>();

        Task(Supplier<T> work) {
            this.work = work;
        }

        @Override
        public void run() {
            if (!result.isDone()) {
                result.completeAsync(work, Runnable::run);
            }
        }

        void refuse(ErrorKind why) {
            result.completeExceptionally(new BackendException(why));
        }
    }

    @Override
    public void close() {
        for (Runnable queued : pool.shutdownNow()) {
            ((Task<?>) queued).refuse(ErrorKind.STOPPED);
        }
        try {
            var unused = pool.awaitTermination(JOIN_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
