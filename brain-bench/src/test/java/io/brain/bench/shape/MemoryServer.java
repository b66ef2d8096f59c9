package io.brain.bench.shape;

import com.google.protobuf.ByteString;
import io.brain.proto.etcd.CompactionRequest;
import io.brain.proto.etcd.CompactionResponse;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.PutResponse;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RangeResponse;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.ResponseHeader;
import io.brain.proto.etcd.TxnRequest;
import io.brain.proto.etcd.TxnResponse;
import io.brain.proto.etcd.WatchGrpc;
import io.brain.proto.etcd.WatchRequest;
import io.brain.proto.etcd.WatchResponse;
import io.brain.proto.mvcc.Event;
import io.brain.proto.mvcc.KeyValue;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** As much of etcd, in memory, as the loads use. It records the ranges that were read. */
final class MemoryServer {

    /**
     * A key's newest state.
     *
     * @param stored versions that are stored
     */
    record Stored(long revision, int stored) {}

    private final NavigableMap<ByteString, Stored> keys =
            new TreeMap<>(ByteString.unsignedLexicographicalComparator());
    private final List<RangeRequest> ranges = new ArrayList<>();
    private final List<StreamObserver<WatchResponse>> watchers = new ArrayList<>();
    private final Server server;
    private long revision = 1;
    private long puts;

    MemoryServer() throws IOException {
        server =
                NettyServerBuilder.forAddress(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .addService(new Kv())
                        .addService(new Watch())
                        .build()
                        .start();
    }

    int port() {
        return server.getPort();
    }

    /** All ranges that were read. */
    synchronized List<RangeRequest> ranges() {
        return List.copyOf(ranges);
    }

    /** Puts since the start, those of transactions included. */
    synchronized long puts() {
        return puts;
    }

    /** Versions stored of the keys in a range, in their order. */
    synchronized List<Integer> stored(RangeRequest range) {
        return in(range).values().stream().map(Stored::stored).toList();
    }

    void stop() throws InterruptedException {
        server.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
    }

    private NavigableMap<ByteString, Stored> in(RangeRequest range) {
        return range.getRangeEnd().isEmpty()
                ? keys.subMap(range.getKey(), true, range.getKey(), true)
                : keys.subMap(range.getKey(), true, range.getRangeEnd(), false);
    }

    private void put(PutRequest request) {
        puts++;
        Stored old = keys.get(request.getKey());
        int stored = old == null ? 1 : old.stored + 1;
        keys.put(request.getKey(), new Stored(revision, stored));
        KeyValue kv = KeyValue.newBuilder().setValue(request.getValue()).build();
        Event event = Event.newBuilder().setKv(kv).build();
        watchers.forEach(w -> w.onNext(WatchResponse.newBuilder().addEvents(event).build()));
    }

    private ResponseHeader header() {
        return ResponseHeader.newBuilder().setRevision(revision).build();
    }

    private static <T> void answer(StreamObserver<T> observer, T answer) {
        observer.onNext(answer);
        observer.onCompleted();
    }

    private final class Kv extends KVGrpc.KVImplBase {
        @Override
        public void put(PutRequest request, StreamObserver<PutResponse> observer) {
            synchronized (MemoryServer.this) {
                revision++;
                MemoryServer.this.put(request);
                answer(observer, PutResponse.newBuilder().setHeader(header()).build());
            }
        }

        @Override
        public void range(RangeRequest request, StreamObserver<RangeResponse> observer) {
            synchronized (MemoryServer.this) {
                ranges.add(request);
                List<ByteString> found = new ArrayList<>(in(request).keySet());
                if (request.getSortOrder() == RangeRequest.SortOrder.DESCEND) {
                    Collections.reverse(found);
                }
                long limit = request.getLimit() == 0 ? found.size() : request.getLimit();
                RangeResponse.Builder response =
                        RangeResponse.newBuilder()
                                .setHeader(header())
                                .setCount(found.size())
                                .setMore(found.size() > limit);
                found.stream()
                        .limit(limit)
                        .forEach(key -> response.addKvs(KeyValue.newBuilder().setKey(key)));
                answer(observer, response.build());
            }
        }

        @Override
        public void txn(TxnRequest request, StreamObserver<TxnResponse> observer) {
            synchronized (MemoryServer.this) {
                boolean holds =
                        request.getCompareList().stream()
                                .allMatch(c -> revisionOf(c.getKey()) == c.getModRevision());
                revision += holds ? 1 : 0;
                for (RequestOp op : holds ? request.getSuccessList() : List.<RequestOp>of()) {
                    if (op.hasRequestPut()) {
                        MemoryServer.this.put(op.getRequestPut());
                    } else {
                        keys.remove(op.getRequestDeleteRange().getKey());
                    }
                }
                answer(
                        observer,
                        TxnResponse.newBuilder().setHeader(header()).setSucceeded(holds).build());
            }
        }

        @Override
        public void compact(
                CompactionRequest request, StreamObserver<CompactionResponse> observer) {
            synchronized (MemoryServer.this) {
                keys.replaceAll((key, old) -> new Stored(old.revision, 1));
                answer(observer, CompactionResponse.getDefaultInstance());
            }
        }

        private long revisionOf(ByteString key) {
            Stored stored = keys.get(key);
            return stored == null ? 0 : stored.revision;
        }
    }

    /** Sends every put to every watcher, whatever its range. */
    private final class Watch extends WatchGrpc.WatchImplBase {
        @Override
        public StreamObserver<WatchRequest> watch(StreamObserver<WatchResponse> observer) {
            return new StreamObserver<>() {
                @Override
                public void onNext(WatchRequest request) {
                    synchronized (MemoryServer.this) {
                        watchers.add(observer);
                        observer.onNext(WatchResponse.newBuilder().setCreated(true).build());
                    }
                }

                @Override
                public void onError(Throwable cancelled) {
                    onCompleted();
                }

                @Override
                public void onCompleted() {
                    synchronized (MemoryServer.this) {
                        watchers.removeIf(watcher -> watcher == observer);
                    }
                }
            };
        }
    }
}
