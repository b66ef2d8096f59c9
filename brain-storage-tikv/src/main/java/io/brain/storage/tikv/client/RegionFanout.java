package io.brain.storage.tikv.client;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import io.brain.proto.tikv.Errorpb;
import io.brain.proto.tikv.TikvGrpc.TikvFutureStub;
import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Splits a request for many keys into one request per region and part, sends them concurrently, in
 * rounds of a few parts per region, and repeats those that a region refused or did not answer. A
 * region that does not answer gets fewer items per round, because they may be more than the store,
 * or the way to it, manages within the timeout. For idempotent requests only.
 */
public final class RegionFanout {
    private static final int PART_BYTES_MAX = 768 << 10;

    /** A store takes some 50 microseconds per key; a part must be done well within the timeout. */
    private static final int PART_ITEMS_MAX = 512;

    /** Parts that one region executes at the same time; the others wait for the next round. */
    private static final int PARTS_PER_REGION_MAX = 8;

    /** Items that one region executes at the same time. */
    private static final int ITEMS_PER_REGION_MAX = PARTS_PER_REGION_MAX * PART_ITEMS_MAX;

    /** What got no answer is asked for again in portions that are so many times smaller. */
    private static final int FEWER = 8;

    private final RegionCache regions;
    private final SilentStores silent;

    public RegionFanout(RegionCache regions, SilentStores silent) {
        this.regions = regions;
        this.silent = silent;
    }

    /**
     * One kind of request.
     *
     * @param <I> item, such as a key
     * @param <R> its answer
     */
    public interface Request<I, R> {
        ByteString key(I item);

        /** Size of the item in the request or response, in bytes. */
        int size(I item);

        ListenableFuture<R> send(TikvFutureStub stub, RegionLocation location, List<I> part);

        /** The region error; null if there is none. */
        Errorpb.Error regionError(R answer);

        /** Consumes a region's response; returns the items to send again. */
        List<I> take(R answer, List<I> part);
    }

    private record Sent<I, R>(RegionLocation location, List<I> part, ListenableFuture<R> future) {}

    /** How many items to ask for where so many got no answer. */
    public static int fewer(int items) {
        return Math.max(1, items / FEWER);
    }

    /**
     * Sends until every item is answered.
     *
     * @throws StorageException kind UNAVAILABLE when the time is over, TOO_LARGE for an item that
     *     exceeds TiKV's limit
     */
    public <I, R> void run(List<I> items, Request<I, R> request, Backoff backoff) {
        List<I> todo = items;
        int itemsMax = ITEMS_PER_REGION_MAX;
        while (!todo.isEmpty()) {
            List<I> later = new ArrayList<>();
            List<Sent<I, R>> sent =
                    send(parts(todo, itemsMax, request, backoff), itemsMax, later, request);
            List<I> again = new ArrayList<>();
            int unanswered = gather(sent, again, request, backoff);
            itemsMax =
                    unanswered > 0
                            ? fewer(Math.min(itemsMax, unanswered))
                            : Math.min(ITEMS_PER_REGION_MAX, 2 * itemsMax);
            again.addAll(later);
            todo = again;
            backoff.beat();
        }
    }

    /** Sends what each region may execute at the same time; the other items are for later. */
    private <I, R> List<Sent<I, R>> send(
            List<Part<I>> parts, int itemsMax, List<I> later, Request<I, R> request) {
        Map<Long, Integer> partsInFlight = new HashMap<>();
        Map<Long, Integer> itemsInFlight = new HashMap<>();
        List<Sent<I, R>> sent = new ArrayList<>();
        for (Part<I> part : parts) {
            long region = part.location.region().getId();
            if (partsInFlight.merge(region, 1, Integer::sum) > PARTS_PER_REGION_MAX
                    || itemsInFlight.merge(region, part.items.size(), Integer::sum) > itemsMax) {
                later.addAll(part.items);
                continue;
            }
            ListenableFuture<R> future =
                    request.send(regions.stub(part.location), part.location, part.items);
            sent.add(new Sent<>(part.location, part.items, future));
        }
        return sent;
    }

    /**
     * Waits for the answers.
     *
     * @param again receives the items to send again
     * @return how many items got no answer, in the region with the most of them
     */
    private <I, R> int gather(
            List<Sent<I, R>> sent, List<I> again, Request<I, R> request, Backoff backoff) {
        Map<Long, Integer> unanswered = new HashMap<>();
        String refusal = null;
        long pauseMin = 0;
        RuntimeException failure = null;
        NoAnswerException silence = null;
        for (Sent<I, R> one : sent) {
            try {
                R answer = Wire.await(one.future());
                Errorpb.Error error = request.regionError(answer);
                if (error == null) {
                    again.addAll(request.take(answer, one.part()));
                } else {
                    checkRepeatable(one.location(), error, backoff);
                    long asked = regions.refused(one.location(), error, backoff);
                    pauseMin = Math.max(pauseMin, asked);
                    again.addAll(one.part());
                    refusal = error.getMessage();
                }
            } catch (NoAnswerException e) {
                silent.noAnswer(one.location(), e, backoff);
                again.addAll(one.part());
                unanswered.merge(one.location().region().getId(), one.part().size(), Integer::sum);
                silence = e;
            } catch (RuntimeException e) {
                failure = e; // thrown when all responses have arrived
            }
        }
        if (failure != null) {
            throw failure;
        }
        if (silence != null) {
            backoff.pause("no response from store: " + silence.getMessage(), silence);
        } else if (refusal != null) {
            backoff.pause("region error: " + refusal, pauseMin);
        }
        return unanswered.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    }

    /**
     * Throws for errors that a retry cannot fix. A leader whose disk is full hands the region to a
     * replica with space (TiKV 8.5, check_proposal_with_disk_usage), unless most have none.
     */
    private static void checkRepeatable(
            RegionLocation location, Errorpb.Error error, Backoff backoff) {
        if (error.hasRaftEntryTooLarge()) {
            throw new StorageException(Kind.TOO_LARGE, "TiKV: " + error.getMessage());
        }
        if (error.hasDiskFull()
                && (backoff.isOver()
                        || location.hasMajorityOn(error.getDiskFull().getStoreIdList()))) {
            throw new StorageException(Kind.NO_SPACE, "TiKV: " + error.getMessage());
        }
    }

    private static final class Part<I> {
        private final RegionLocation location;
        private final List<I> items = new ArrayList<>();
        private long bytes;

        Part(RegionLocation location) {
            this.location = location;
        }
    }

    private <I> List<Part<I>> parts(
            List<I> items, int itemsMax, Request<I, ?> request, Backoff backoff) {
        int partItemsMax = Math.min(PART_ITEMS_MAX, itemsMax);
        Map<Long, Part<I>> open = new HashMap<>();
        List<Part<I>> parts = new ArrayList<>();
        RegionLocation location = null;
        for (I item : items) {
            ByteString key = request.key(item);
            if (location == null || !location.holds(key)) {
                location = at(key, backoff);
            }
            Part<I> part = open.get(location.region().getId());
            int size = request.size(item);
            if (part == null
                    || part.bytes + size > PART_BYTES_MAX
                    || part.items.size() == partItemsMax) {
                part = new Part<>(location);
                open.put(location.region().getId(), part);
                parts.add(part);
            }
            part.items.add(item);
            part.bytes += size;
        }
        return parts;
    }

    private RegionLocation at(ByteString key, Backoff backoff) {
        return silent.locate(() -> regions.at(key, backoff), backoff);
    }

    /** Sends a request for one key; throws NoAnswerException if the store does not respond. */
    public <R> R one(
            ByteString key, Call<R> call, Function<R, Errorpb.Error> regionError, Backoff backoff) {
        while (true) {
            RegionLocation location = at(key, backoff);
            R answer;
            try {
                answer = Wire.await(call.send(regions.stub(location), location));
            } catch (NoAnswerException e) {
                silent.noAnswer(location, e, backoff);
                throw e;
            }
            Errorpb.Error error = regionError.apply(answer);
            if (error == null) {
                return answer;
            }
            checkRepeatable(location, error, backoff);
            long pauseMin = regions.refused(location, error, backoff);
            backoff.pause("region error: " + error.getMessage(), pauseMin);
        }
    }

    /**
     * Sends a request for one key once; nobody waits for the response. If the region refuses or
     * does not respond, the next request is sent to where it is then.
     */
    public <R> void send(
            ByteString key, Call<R> call, Function<R, Errorpb.Error> regionError, Backoff backoff) {
        RegionLocation location = regions.at(key, backoff);
        ListenableFuture<R> future = call.send(regions.stub(location), location);
        future.addListener(() -> note(location, future, regionError, backoff), Runnable::run);
    }

    private <R> void note(
            RegionLocation location,
            ListenableFuture<R> ended,
            Function<R, Errorpb.Error> regionError,
            Backoff backoff) {
        try {
            Errorpb.Error error = regionError.apply(Wire.await(ended));
            if (error != null) {
                regions.refused(location, error, backoff);
            }
        } catch (NoAnswerException e) {
            regions.invalidate(location);
        }
    }

    /**
     * A request for one key.
     *
     * @param <R> its answer
     */
    public interface Call<R> {
        ListenableFuture<R> send(TikvFutureStub stub, RegionLocation location);
    }
}
