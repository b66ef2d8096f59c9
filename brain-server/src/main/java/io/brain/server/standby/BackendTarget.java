package io.brain.server.standby;

import io.brain.backend.cluster.election.Standby;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.RevisionEvents;
import io.brain.backend.model.WatchEvent;
import io.brain.proto.mvcc.Event;
import io.brain.proto.mvcc.KeyValue;
import io.brain.storage.Bytes;
import io.brain.transfer.mirror.MirrorTarget;
import io.brain.transfer.mirror.SourceCluster;
import io.brain.transfer.mirror.SourceRevision;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** This server's store as a copy of the source. Used by one thread. */
final class BackendTarget implements MirrorTarget {
    private static final int PENDING_MAX = 512;
    private static final long PENDING_BYTES_MAX = 8 << 20;

    /** TTL in seconds of a lease that the source does not have any more; its keys' end follows. */
    private static final long ENDED_TTL = 86_400;

    private final Standby standby;
    private final SourceCluster source;
    private final Deque<Pending> pending = new ArrayDeque<>();
    private long pendingBytes;

    /** Leases that this server has. */
    private final Set<Long> leases = new HashSet<>();

    private record Pending(CompletableFuture<?> applied, long bytes) {}

    /**
     * Creates a target.
     *
     * @param stored leases that this server has
     */
    BackendTarget(Standby standby, SourceCluster source, List<Long> stored) {
        this.standby = standby;
        this.source = source;
        leases.addAll(stored);
    }

    @Override
    public long revision() {
        return standby.revision();
    }

    @Override
    public void apply(SourceRevision next) throws IOException {
        List<WatchEvent> events = new ArrayList<>(next.events().size());
        for (Event event : next.events()) {
            events.add(event(next.revision(), event));
            addLease(event.getKv().getLease());
        }
        RevisionEvents revision = new RevisionEvents(next.revision(), events, false);
        long bytes = revision.weight();
        while (pending.size() >= PENDING_MAX
                || (!pending.isEmpty() && pendingBytes + bytes > PENDING_BYTES_MAX)) {
            awaitFirst();
        }
        pending.add(new Pending(standby.replay(revision), bytes));
        pendingBytes += bytes;
    }

    private static WatchEvent event(long revision, Event event) {
        KeyValue kv = event.getKv();
        return new WatchEvent(
                Bytes.wrap(kv.getKey().toByteArray()),
                revision,
                event.getType() == Event.EventType.DELETE,
                Bytes.wrap(kv.toByteArray()),
                null);
    }

    @Override
    public void await() throws IOException {
        while (!pending.isEmpty()) {
            awaitFirst();
        }
    }

    private void awaitFirst() throws IOException {
        Pending first = pending.remove();
        pendingBytes -= first.bytes();
        result(first.applied());
    }

    private void addLease(long id) throws IOException {
        if (id != 0 && !leases.contains(id)) {
            long ttl = source.grantedTtl(id);
            grant(id, ttl < 0 ? ENDED_TTL : ttl);
        }
    }

    private void grant(long id, long ttl) throws IOException {
        try {
            result(standby.grant(id, ttl));
        } catch (IOException failed) {
            if (!Failures.isOf(ErrorKind.LEASE_EXISTS, failed.getCause())) {
                throw failed;
            }
        }
        leases.add(id);
    }

    /**
     * Adds the source's leases that this server does not have, and removes those without keys that
     * the source does not have.
     */
    void syncLeases() throws IOException {
        await();
        Set<Long> ended = new HashSet<>(leases);
        for (long id : source.leases()) {
            ended.remove(id);
            if (!leases.contains(id)) {
                long ttl = source.grantedTtl(id);
                if (ttl > 0) {
                    grant(id, ttl);
                }
            }
        }
        for (long id : ended) {
            if (result(standby.removeUnused(id))) {
                leases.remove(id);
            }
        }
    }

    private static String text(Throwable failure) {
        if (failure instanceof BackendException known) {
            Throwable cause = known.getCause();
            return cause == null ? "" + known.kind() : known.kind() + ": " + cause.getMessage();
        }
        return failure.getMessage();
    }

    /**
     * Waits a limited time.
     *
     * @param late the message of the exception after that time
     */
    static void await(CompletableFuture<Void> future, Duration max, String late)
            throws IOException {
        try {
            result(future.orTimeout(max.toMillis(), TimeUnit.MILLISECONDS));
        } catch (IOException failed) {
            throw failed.getCause() instanceof TimeoutException
                    ? new IOException(late, failed)
                    : failed;
        }
    }

    /** Waits for a result of the backend. */
    static <T> T result(CompletableFuture<T> future) throws IOException {
        try {
            return future.get();
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause();
            throw new IOException(text(cause), cause);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }
}
