package io.brain.storage.tikv;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.KeyRange;
import io.brain.storage.KvStorage;
import io.brain.storage.WriteBatch;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/**
 * Clients, each of which writes its own key again as soon as it has an answer: the key's newest
 * revision and 600 bytes of version. Each request is a batch of its own, or what has queued is one
 * batch behind the fence, with an entry of the log, one batch on its way at a time.
 */
final class WriteLoad {
    static final int KEYS = 500;

    private static final int VERSION_BYTES = 600;
    private static final int LOG_BYTES_PER_REQUEST = 100;
    private static final Bytes FENCE = Bytes.utf8("bench/fence");

    private final KvStorage storage;
    private final int clients;
    private final boolean grouped;

    private final long[] revisions;
    private final CountDownLatch running;
    private final AtomicReference<Object> trouble = new AtomicReference<>();
    private final LongAdder batches = new LongAdder();
    private volatile Latencies latencies = new Latencies();
    private volatile boolean over;
    private volatile long committedAt;

    private record Request(int client, long beganNanos) {}

    /** The clients that wait for the next batch. */
    private final Deque<Request> queue = new ArrayDeque<>();

    private boolean busy;
    private long batch;

    WriteLoad(KvStorage storage, int clients, boolean grouped) {
        this.storage = storage;
        this.clients = clients;
        this.grouped = grouped;
        this.revisions = new long[clients];
        this.running = new CountDownLatch(clients);
    }

    /** Stores what every request compares with. */
    static void fill(KvStorage storage) throws Exception {
        WriteBatch.Builder all = WriteBatch.builder().put(FENCE, fence(0));
        for (int key = 0; key < KEYS; key++) {
            all.put(revisionKey(key), revision(0)).put(versionKey(key), version(0));
        }
        CommitResult end =
                storage.commit(all.build()).toCompletableFuture().get(1, TimeUnit.MINUTES);
        if (!(end instanceof CommitResult.Committed)) {
            throw new IllegalStateException("not filled: " + end);
        }
    }

    void start() {
        for (int client = 0; client < clients; client++) {
            next(client);
        }
    }

    /** Forgets what was measured so far. */
    void restart() {
        latencies = new Latencies();
        batches.reset();
    }

    Latencies latencies() {
        return latencies;
    }

    double requestsPerBatch() {
        return latencies.count() / (double) Math.max(1, batches.sum());
    }

    /** The timestamp of the newest batch; 0 before the first. */
    long readPoint() {
        return committedAt;
    }

    /** Waits for every client's last answer. */
    void stop() throws InterruptedException {
        over = true;
        if (!running.await(1, TimeUnit.MINUTES)) {
            throw new IllegalStateException("a client has no answer: " + trouble.get());
        }
        if (trouble.get() != null) {
            throw new IllegalStateException("a batch ended otherwise: " + trouble.get());
        }
    }

    private void next(int client) {
        if (over) {
            running.countDown();
            return;
        }
        Request request = new Request(client, System.nanoTime());
        if (grouped) {
            List<Request> now = enqueue(request);
            commit(now, now.size());
            return;
        }
        WriteBatch.Builder alone = WriteBatch.builder();
        long revision = revisions[client]++;
        alone.compareAndSet(revisionKey(client), revision(revision), revision(revision + 1))
                .put(versionKey(client), version(revision + 1));
        storage.commit(alone.build())
                .whenComplete((end, failure) -> ended(List.of(request), end, failure));
    }

    private synchronized List<Request> enqueue(Request request) {
        queue.add(request);
        return busy ? List.of() : take();
    }

    /** All that wait; from now on a batch is on its way, if there are any. */
    private synchronized List<Request> take() {
        List<Request> waiting = List.copyOf(queue);
        queue.clear();
        busy = !waiting.isEmpty();
        return waiting;
    }

    private void commit(List<Request> requests, int size) {
        if (size == 0) {
            return;
        }
        long number = batch++; // one batch at a time
        WriteBatch.Builder all =
                WriteBatch.builder().compareAndSet(FENCE, fence(number), fence(number + 1));
        for (Request request : requests) {
            long revision = ++revisions[request.client()];
            all.put(revisionKey(request.client()), revision(revision))
                    .put(versionKey(request.client()), version(revision));
        }
        byte[] entry = new byte[LOG_BYTES_PER_REQUEST * size];
        Arrays.fill(entry, (byte) 'l');
        all.put(key("log", number), Bytes.wrap(entry));
        storage.commit(all.build())
                .whenComplete(
                        (end, failure) -> {
                            // What has queued leaves first, as on a server.
                            List<Request> following = take();
                            if (end instanceof CommitResult.Committed committed) {
                                committedAt = committed.timestamp();
                            }
                            commit(following, following.size());
                            ended(requests, end, failure);
                        });
    }

    private void ended(List<Request> requests, CommitResult end, Throwable failure) {
        batches.increment();
        if (!(end instanceof CommitResult.Committed)) {
            trouble.compareAndSet(null, failure == null ? end : failure);
            over = true;
        }
        long now = System.nanoTime();
        for (Request request : requests) {
            latencies.add(now - request.beganNanos());
            next(request.client());
        }
    }

    /** From the first version to behind the last. */
    static KeyRange versions() {
        return new KeyRange(versionKey(0), versionKey(KEYS));
    }

    private static Bytes revisionKey(int number) {
        return key("revision", number);
    }

    private static Bytes versionKey(int number) {
        return key("version", number);
    }

    private static Bytes key(String kind, long number) {
        return Bytes.utf8(String.format(Locale.ROOT, "bench/%s/%08d", kind, number));
    }

    private static Bytes fence(long batch) {
        return Bytes.utf8(String.format(Locale.ROOT, "epoch 1, batch %020d", batch));
    }

    private static Bytes revision(long revision) {
        return Bytes.utf8(String.format(Locale.ROOT, "%09d", revision));
    }

    private static Bytes version(long revision) {
        byte[] value = new byte[VERSION_BYTES];
        Arrays.fill(value, (byte) ('a' + revision % 26));
        return Bytes.wrap(value);
    }
}
