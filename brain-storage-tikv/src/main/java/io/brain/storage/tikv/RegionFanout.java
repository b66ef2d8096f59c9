package io.brain.storage.tikv;

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
 * Sends a request about many keys as one request per region and part, all at once, and sends again
 * what a region refused or did not answer: so only for requests that can be repeated.
 */
final class RegionFanout {
    private static final int PART_BYTES_MAX = 768 << 10;

    private final RegionCache regions;

    RegionFanout(RegionCache regions) {
        this.regions = regions;
    }

    /**
     * One kind of request.
     *
     * @param <I> what it is about
     * @param <R> its answer
     */
    interface Request<I, R> {
        ByteString key(I item);

        /** Bytes that the item takes in the request or in the answer. */
        int size(I item);

        ListenableFuture<R> send(TikvFutureStub stub, Context context, List<I> part);

        /** The region's refusal; null if it did not refuse. */
        Errorpb.Error regionError(R answer);

        /** Takes the region's answer; what is given back is sent again. */
        List<I> take(R answer, List<I> part);
    }

    private record Sent<I, R>(RegionLocation location, List<I> part, ListenableFuture<R> future) {}

    /**
     * Sends until everything is answered.
     *
     * @throws StorageException kind UNAVAILABLE when patience is over, TOO_LARGE for an item that
     *     no region takes
     */
    <I, R> void run(List<I> items, Request<I, R> request, Backoff backoff) {
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
                failure = e; // once all of them have been heard: nothing is left on its way
            }
        }
        if (failure != null) {
            throw failure;
        }
        if (silence != null) {
            backoff.pause("a store does not answer: " + silence.getMessage(), silence);
        } else if (refusal != null) {
            backoff.pause("a region refuses: " + refusal, null);
        }
        return again;
    }

    /** Some refusals last. */
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

    /** Sends one request about one key; gives up on silence, for the caller to judge. */
    <R> R one(
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
            backoff.pause("a region refuses: " + error.getMessage(), null);
        }
    }

    /**
     * A request about one key.
     *
     * @param <R> its answer
     */
    interface Call<R> {
        ListenableFuture<R> send(TikvFutureStub stub, RegionLocation location);
    }
}
