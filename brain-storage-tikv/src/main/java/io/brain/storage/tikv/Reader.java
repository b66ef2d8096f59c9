package io.brain.storage.tikv;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import io.brain.proto.tikv.Errorpb;
import io.brain.proto.tikv.Kvrpcpb.BatchGetRequest;
import io.brain.proto.tikv.Kvrpcpb.BatchGetResponse;
import io.brain.proto.tikv.Kvrpcpb.GetRequest;
import io.brain.proto.tikv.Kvrpcpb.GetResponse;
import io.brain.proto.tikv.Kvrpcpb.KeyError;
import io.brain.proto.tikv.Kvrpcpb.KvPair;
import io.brain.proto.tikv.Kvrpcpb.LockInfo;
import io.brain.proto.tikv.Kvrpcpb.ScanRequest;
import io.brain.proto.tikv.Kvrpcpb.ScanResponse;
import io.brain.proto.tikv.TikvGrpc.TikvFutureStub;
import io.brain.storage.Bytes;
import io.brain.storage.tikv.client.Backoff;
import io.brain.storage.tikv.client.NoAnswerException;
import io.brain.storage.tikv.client.RegionCache;
import io.brain.storage.tikv.client.RegionFanout;
import io.brain.storage.tikv.client.RegionLocation;
import io.brain.storage.tikv.client.SilentStores;
import io.brain.storage.tikv.client.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;

/** Reads at a timestamp. Thread-safe. Each call blocks for at most the read timeout. */
final class Reader {
    /** Estimated response size per key of a batch get; limits the size of a response. */
    private static final int ANSWER_BYTES_GUESS = 4 << 10;

    /** Encounters with a lock before its transaction is pushed; most end within moments. */
    private static final int MEETINGS_BEFORE_PUSH = 2;

    /** A page of several pairs that is larger is read again with fewer; one pair may be larger. */
    private static final int PAGE_BYTES_MAX = 16 << 20;

    private final RegionFanout fanout;
    private final RegionCache regions;
    private final SilentStores silent;
    private final LockResolver locks;
    private final LongConsumer kept;
    private final Duration timeout;

    /**
     * @param kept called with the timestamp after each read; throws if its versions may have been
     *     removed
     */
    Reader(
            RegionFanout fanout,
            RegionCache regions,
            SilentStores silent,
            LockResolver locks,
            LongConsumer kept,
            Duration timeout) {
        this.fanout = fanout;
        this.kept = kept;
        this.regions = regions;
        this.silent = silent;
        this.locks = locks;
        this.timeout = timeout;
    }

    /** The value of a key; null if it is absent. */
    Bytes get(ByteString key, ReadPoint point) {
        return get(key, point, new Obstacles(point, backoff(), true));
    }

    /**
     * As {@link #get}, after all older locks on the key are resolved. Waits for a silent store: it
     * is for the outcome of a commit.
     */
    Bytes getUnlocked(ByteString key, ReadPoint point) {
        return get(key, point, new Obstacles(point, new Backoff(timeout), false));
    }

    private Backoff backoff() {
        return new Backoff(timeout).failingFast();
    }

    private Bytes get(ByteString key, ReadPoint point, Obstacles obstacles) {
        while (true) {
            GetResponse answer;
            try {
                answer =
                        fanout.one(
                                key,
                                (stub, location) ->
                                        stub.kvGet(
                                                GetRequest.newBuilder()
                                                        .setContext(point.in(location.context()))
                                                        .setKey(key)
                                                        .setVersion(point.timestamp())
                                                        .build()),
                                r -> r.hasRegionError() ? r.getRegionError() : null,
                                obstacles.backoff);
            } catch (NoAnswerException e) {
                obstacles.backoff.pause("no response from store: " + e.getMessage(), e);
                continue;
            }
            if (!answer.hasError()) {
                kept.accept(point.timestamp());
                // Not every store sets not_found; stored values are never empty.
                return answer.getValue().isEmpty() ? null : Wire.of(answer.getValue());
            }
            obstacles.clear(List.of(answer.getError()));
        }
    }

    /** Values of the keys; absent keys have no entry. */
    Map<ByteString, Bytes> get(List<ByteString> keys, ReadPoint point) {
        Obstacles obstacles = new Obstacles(point, backoff(), true);
        BatchGet request = new BatchGet(point);
        List<ByteString> todo = keys;
        while (!todo.isEmpty()) {
            fanout.run(todo, request, obstacles.backoff);
            todo = List.copyOf(request.unread);
            if (!todo.isEmpty()) {
                obstacles.clear(List.copyOf(request.met));
                request.unread.clear();
                request.met.clear();
            }
        }
        kept.accept(point.timestamp());
        return request.found;
    }

    /**
     * One page of a scan, from one region.
     *
     * @param pairs in scan direction
     * @param rest remaining range; null at the end
     * @param limit number of pairs that the store was asked for in the end
     */
    record Page(List<KvPair> pairs, Span rest, int limit) {}

    /**
     * Keys from {@code start} (included) to {@code end} (excluded).
     *
     * @param start empty for the first key
     * @param end null for the last key
     */
    record Span(ByteString start, ByteString end) {}

    /**
     * At most {@code max} pairs from the start of the span, or in reverse from its end; fewer if
     * they would be too large for a response, or take too long. For a single pair that takes too
     * long, the call waits as long as it may: it can lie behind many that are deleted.
     */
    Page scan(Span span, boolean forward, int max, ReadPoint point) {
        int limit = max;
        boolean patient = false;
        Obstacles obstacles = new Obstacles(point, backoff(), true);
        while (true) {
            RegionLocation location =
                    silent.locate(
                            () ->
                                    forward
                                            ? regions.at(span.start(), obstacles.backoff)
                                            : regions.before(span.end(), obstacles.backoff),
                            obstacles.backoff);
            Span part = clip(span, location);
            ScanResponse answer;
            try {
                ScanRequest request = request(part, forward, limit, point, location);
                answer =
                        Wire.await(
                                patient
                                        ? regions.stub(location, obstacles.backoff).kvScan(request)
                                        : send(request, location));
            } catch (NoAnswerException e) {
                if (limit == 1 || !e.isTooLarge()) {
                    silent.noAnswer(location, e, obstacles.backoff);
                    obstacles.backoff.pause("no response from store: " + e.getMessage(), e);
                }
                limit = RegionFanout.fewer(limit);
                patient = limit == 1;
                continue;
            }
            if (answer.hasRegionError()) {
                long pauseMin =
                        regions.refused(location, answer.getRegionError(), obstacles.backoff);
                String refusal = answer.getRegionError().getMessage();
                obstacles.backoff.pause("region error: " + refusal, pauseMin);
                continue;
            }
            List<KeyError> met = new ArrayList<>();
            if (answer.hasError()) {
                met.add(answer.getError());
            }
            for (KvPair pair : answer.getPairsList()) {
                if (pair.hasError()) {
                    met.add(pair.getError());
                }
            }
            if (met.isEmpty()) {
                kept.accept(point.timestamp());
                return page(answer.getPairsList(), span, part, forward, limit);
            }
            obstacles.clear(met);
        }
    }

    private ListenableFuture<ScanResponse> send(ScanRequest request, RegionLocation location) {
        TikvFutureStub stub = regions.stub(location);
        return (request.getLimit() > 1 ? stub.withMaxInboundMessageSize(PAGE_BYTES_MAX) : stub)
                .kvScan(request);
    }

    private static Span clip(Span span, RegionLocation location) {
        ByteString start =
                Wire.compare(span.start(), location.start()) < 0 ? location.start() : span.start();
        return new Span(start, location.endsBefore(span.end()) ? location.end() : span.end());
    }

    private static ScanRequest request(
            Span part, boolean forward, int limit, ReadPoint point, RegionLocation location) {
        ByteString last = forward ? ByteString.EMPTY : RegionCache.FAR_KEY;
        ByteString end = part.end() == null ? last : part.end();
        return ScanRequest.newBuilder()
                .setContext(point.in(location.context()))
                .setVersion(point.timestamp())
                .setLimit(limit)
                .setReverse(!forward)
                .setStartKey(forward ? part.start() : end)
                .setEndKey(forward ? end : part.start())
                .build();
    }

    private static Page page(List<KvPair> pairs, Span span, Span part, boolean forward, int limit) {
        if (pairs.size() >= limit) {
            ByteString last = pairs.get(pairs.size() - 1).getKey();
            return new Page(
                    pairs,
                    forward
                            ? new Span(last.concat(ByteString.copyFrom(new byte[1])), span.end())
                            : new Span(span.start(), last),
                    limit);
        }
        if (forward) {
            boolean ended = part.end() == null || part.end().equals(span.end());
            return new Page(pairs, ended ? null : new Span(part.end(), span.end()), limit);
        }
        boolean ended = part.start().equals(span.start());
        return new Page(pairs, ended ? null : new Span(span.start(), part.start()), limit);
    }

    /** Handles the locks and other errors that one call encounters. */
    private final class Obstacles {
        private final ReadPoint point;
        private final Backoff backoff;
        private final boolean mayPass;
        private int meetings;

        Obstacles(ReadPoint point, Backoff backoff, boolean mayPass) {
            this.point = point;
            this.backoff = backoff;
            this.mayPass = mayPass;
        }

        void clear(List<KeyError> errors) {
            List<LockInfo> met =
                    errors.stream().filter(KeyError::hasLocked).map(KeyError::getLocked).toList();
            if (met.isEmpty()) {
                // TiKV reports any failure so, also of a store that shuts down.
                backoff.pause(errors.get(0).toString(), null);
                return;
            }
            meetings++;
            boolean push = mayPass && meetings > MEETINGS_BEFORE_PUSH;
            long readTs = push ? point.timestamp() : 0;
            LockResolver.Left left;
            try {
                left = locks.clear(met, readTs, backoff);
            } catch (RefusedException refused) {
                backoff.pause("cannot resolve lock: " + refused.getMessage(), refused);
                return;
            }
            if (left.living().isEmpty()) {
                point.passable().addAll(left.passable());
            } else {
                backoff.pause("keys locked by active transactions: " + met.size(), null);
            }
        }
    }

    private static final class BatchGet
            implements RegionFanout.Request<ByteString, BatchGetResponse> {
        private final ReadPoint point;
        private final Map<ByteString, Bytes> found = new HashMap<>();
        private final Set<ByteString> unread = new HashSet<>();
        private final List<KeyError> met = new ArrayList<>();

        BatchGet(ReadPoint point) {
            this.point = point;
        }

        @Override
        public ByteString key(ByteString key) {
            return key;
        }

        @Override
        public int size(ByteString key) {
            return key.size() + ANSWER_BYTES_GUESS;
        }

        @Override
        public ListenableFuture<BatchGetResponse> send(
                TikvFutureStub stub, RegionLocation location, List<ByteString> part) {
            return stub.kvBatchGet(
                    BatchGetRequest.newBuilder()
                            .setContext(point.in(location.context()))
                            .addAllKeys(part)
                            .setVersion(point.timestamp())
                            .build());
        }

        @Override
        public Errorpb.Error regionError(BatchGetResponse answer) {
            return answer.hasRegionError() ? answer.getRegionError() : null;
        }

        @Override
        public List<ByteString> take(BatchGetResponse answer, List<ByteString> part) {
            if (answer.hasError()) {
                met.add(answer.getError());
                unread.addAll(part);
                return List.of();
            }
            for (KvPair pair : answer.getPairsList()) {
                if (pair.hasError()) {
                    KeyError error = pair.getError();
                    met.add(error);
                    // Only a lock names its key.
                    unread.addAll(error.hasLocked() ? List.of(error.getLocked().getKey()) : part);
                } else {
                    found.put(pair.getKey(), Wire.of(pair.getValue()));
                }
            }
            return List.of();
        }
    }
}
