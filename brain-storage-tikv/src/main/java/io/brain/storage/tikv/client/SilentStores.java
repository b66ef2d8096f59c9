package io.brain.storage.tikv.client;

import com.google.common.util.concurrent.ListenableFuture;
import io.brain.proto.tikv.Kvrpcpb.Context;
import io.brain.proto.tikv.Kvrpcpb.GetRequest;
import io.brain.proto.tikv.Kvrpcpb.GetResponse;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps reads from waiting for a store that is paused or down: they would hold the threads that
 * reads of other stores need. After a read without an answer, its store is pinged. While the ping
 * has no answer, the store is silent, and reads of its regions fail at once. A store that is only
 * slow for one request answers the ping; one that is down may return within the timeout of a
 * request, during which reads try it again. Thread-safe.
 */
public final class SilentStores {
    private static final Logger log = LoggerFactory.getLogger(SilentStores.class);

    /** A get that names no region: every store that runs refuses it at once. */
    private static final GetRequest PING =
            GetRequest.newBuilder().setContext(Context.getDefaultInstance()).build();

    /** Longer than an election, so that one ping usually outlasts the silence. */
    private static final Duration PING_TIMEOUT = Duration.ofSeconds(30);

    /** Part of the timeout of a request after which a store without an answer is silent. */
    private static final int GRACE_PART = 4;

    private final RegionCache regions;

    /** By address, the last ping that has no answer yet. */
    private final Map<String, Ping> pings = new ConcurrentHashMap<>();

    public SilentStores(RegionCache regions) {
        this.regions = regions;
    }

    /**
     * Where to send a request.
     *
     * @param lookup finds the region in the cache or at PD
     * @throws StorageException kind UNAVAILABLE if the call fails fast, and the leader of the
     *     region, according to PD, is on a silent store
     */
    public RegionLocation locate(Supplier<RegionLocation> lookup, Backoff backoff) {
        RegionLocation location = lookup.get();
        if (!backoff.failsFast() || responds(location)) {
            return location;
        }
        regions.forget(location);
        location = lookup.get();
        if (responds(location)) {
            return location;
        }
        throw new StorageException(Kind.UNAVAILABLE, "TiKV: no response from " + name(location));
    }

    /** Handles a request without an answer: the region is located again. */
    public void noAnswer(RegionLocation location, NoAnswerException failure, Backoff backoff) {
        regions.forget(location, failure);
        if (!failure.isTooLarge() && backoff.failsFast()) {
            boolean down = !failure.isTimeout();
            pings.computeIfAbsent(
                    location.store().getAddress(),
                    address -> {
                        log.warn("no response to a read, pinging {}", name(location));
                        return ping(location, down);
                    });
        }
    }

    /** False if the store is silent. Waits for the ping of a store whose silence is new. */
    private boolean responds(RegionLocation location) {
        Ping ping =
                pings.computeIfPresent(
                        location.store().getAddress(),
                        (address, last) -> last.hasFailed() ? ping(location, last.down()) : last);
        if (ping == null) {
            return true;
        }
        if (!ping.isAnswered()) {
            return ping.mayReturn();
        }
        if (pings.remove(location.store().getAddress(), ping)) {
            log.info("ping answered by {}", name(location));
        }
        return true;
    }

    private Ping ping(RegionLocation location, boolean down) {
        ListenableFuture<GetResponse> answer =
                regions.stub(location)
                        .withWaitForReady()
                        .withDeadlineAfter(PING_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                        .kvGet(PING);
        Duration grace = location.requestMax().dividedBy(down ? 1 : GRACE_PART);
        return new Ping(answer, down, System.nanoTime() + grace.toNanos());
    }

    private static String name(RegionLocation location) {
        return "store " + location.store().getId() + " at " + location.store().getAddress();
    }

    /**
     * A ping.
     *
     * @param down true if there was no connection: then a read fails soon, and is not held up
     * @param deadline {@link System#nanoTime} until which the store is not silent
     */
    private record Ping(ListenableFuture<GetResponse> answer, boolean down, long deadline) {
        boolean hasFailed() {
            return answer.isDone() && !isAnswered();
        }

        boolean mayReturn() {
            return down && leftNanos() > 0;
        }

        boolean isAnswered() {
            try {
                answer.get(down ? 0 : leftNanos(), TimeUnit.NANOSECONDS);
                return true;
            } catch (TimeoutException | ExecutionException e) {
                return false;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new StorageException(
                        Kind.UNAVAILABLE, "interrupted while waiting for TiKV", e);
            }
        }

        private long leftNanos() {
            return Math.max(0, deadline - System.nanoTime());
        }
    }
}
