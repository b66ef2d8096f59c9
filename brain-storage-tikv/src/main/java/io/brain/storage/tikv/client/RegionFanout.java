package io.brain.storage.tikv.client;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.tikv.kvproto.Errorpb;
import org.tikv.kvproto.Kvrpcpb.Context;
import org.tikv.kvproto.TikvGrpc.TikvFutureStub;
import org.tikv.shade.com.google.common.util.concurrent.ListenableFuture;
import org.tikv.shade.com.google.protobuf.ByteString;

/**
 * Splits a request for many keys into one request per region and part, sends them concurrently, and
 * repeats those that a region refused or did not answer. For idempotent requests only.
 */
public final class RegionFanout {
    private static final int PART_BYTES_MAX = 768 << 10;

    private final RegionCache regions;

    public RegionFanout(RegionCache regions) {
        this.regions = regions;
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

        ListenableFuture<R> send(TikvFutureStub stub, Context context, List<I> part);

        /** The region error; null if there is none. */
        Errorpb.Error regionError(R answer);

        /** Consumes a region's response; returns the items to send again. */
        List<I> take(R answer, List<I> part);
    }

    private record Sent<I, R>(RegionLocation location, List<I> part, ListenableFuture<R> future) {}

    /**
     * Sends until every item is answered.
     *
     * @throws StorageException kind UNAVAILABLE when the time is over, TOO_LARGE for an item that
     *     exceeds TiKV's limit
     */
    public <I, R> void run(List<I> items, Request<I, R> request, Backoff backoff) {
        List<I> todo = items;
        while (!todo.isEmpty()) {
            List<Sent<I, R>> sent = new ArrayList<>();
            for (Part<I> part : parts(todo, request, backoff)) {
                sent.add(
                        new Sent<>(
                                part.location,
                                part.items,
                                request.send(
                                        regions.stub(part.location),
                                        part.location.context(),
                                        part.items)));
            }
            todo = gather(sent, request, backoff);
        }
    }

    private <I, R> List<I> gather(List<Sent<I, R>> sent, Request<I, R> request, Backoff backoff) {
        List<I> again = new ArrayList<>();
        String refusal = null;
        RuntimeException failure = null;
        NoAnswerException silence = null;
        for (Sent<I, R> one : sent) {
            try {
                R answer = Wire.await(one.future());
                Errorpb.Error error = request.regionError(answer);
                if (error == null) {
                    again.addAll(request.take(answer, one.part()));
                } else {
                    checkRepeatable(error);
                    regions.refused(one.location(), error);
                    again.addAll(one.part());
                    refusal = error.getMessage();
                }
            } catch (NoAnswerException e) {
                regions.forget(one.location());
                again.addAll(one.part());
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
            backoff.pause("region error: " + refusal, null);
        }
        return again;
    }

    /** Throws for errors that a retry cannot fix. */
    static void checkRepeatable(Errorpb.Error error) {
        if (error.hasRaftEntryTooLarge()) {
            throw new StorageException(Kind.TOO_LARGE, "TiKV: " + error.getMessage());
        }
        if (error.hasDiskFull()) {
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

    private <I> List<Part<I>> parts(List<I> items, Request<I, ?> request, Backoff backoff) {
        Map<Long, Part<I>> open = new HashMap<>();
        List<Part<I>> parts = new ArrayList<>();
        RegionLocation location = null;
        for (I item : items) {
            ByteString key = request.key(item);
            if (location == null || !location.holds(key)) {
                location = regions.at(key, backoff);
            }
            Part<I> part = open.get(location.region().getId());
            int size = request.size(item);
            if (part == null || part.bytes + size > PART_BYTES_MAX) {
                part = new Part<>(location);
                open.put(location.region().getId(), part);
                parts.add(part);
            }
            part.items.add(item);
            part.bytes += size;
        }
        return parts;
    }

    /** Sends a request for one key; throws NoAnswerException if the store does not respond. */
    public <R> R one(
            ByteString key, Call<R> call, Function<R, Errorpb.Error> regionError, Backoff backoff) {
        while (true) {
            RegionLocation location = regions.at(key, backoff);
            R answer;
            try {
                answer = Wire.await(call.send(regions.stub(location), location));
            } catch (NoAnswerException e) {
                regions.forget(location);
                throw e;
            }
            Errorpb.Error error = regionError.apply(answer);
            if (error == null) {
                return answer;
            }
            checkRepeatable(error);
            regions.refused(location, error);
            backoff.pause("region error: " + error.getMessage(), null);
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
