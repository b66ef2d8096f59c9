package io.brain.storage.tikv;

import static java.util.stream.Collectors.joining;

import com.google.protobuf.ByteString;
import io.brain.proto.tikv.Kvrpcpb.BatchGetResponse;
import io.brain.proto.tikv.Kvrpcpb.BatchRollbackResponse;
import io.brain.proto.tikv.Kvrpcpb.CheckTxnStatusResponse;
import io.brain.proto.tikv.Kvrpcpb.CommitResponse;
import io.brain.proto.tikv.Kvrpcpb.GetResponse;
import io.brain.proto.tikv.Kvrpcpb.PrewriteResponse;
import io.brain.proto.tikv.Kvrpcpb.ResolveLockResponse;
import io.brain.proto.tikv.Kvrpcpb.ScanResponse;
import io.brain.proto.tikv.Kvrpcpb.TxnHeartBeatResponse;
import io.brain.proto.tikv.Metapb;
import io.brain.proto.tikv.PDGrpc;
import io.brain.proto.tikv.Pdpb;
import io.brain.proto.tikv.Pdpb.GetGCSafePointResponse;
import io.brain.proto.tikv.Pdpb.GetMembersResponse;
import io.brain.proto.tikv.Pdpb.GetRegionRequest;
import io.brain.proto.tikv.Pdpb.GetRegionResponse;
import io.brain.proto.tikv.Pdpb.GetStoreResponse;
import io.brain.proto.tikv.Pdpb.Member;
import io.brain.proto.tikv.Pdpb.ResponseHeader;
import io.brain.proto.tikv.Pdpb.Timestamp;
import io.brain.proto.tikv.Pdpb.TsoRequest;
import io.brain.proto.tikv.Pdpb.TsoResponse;
import io.brain.proto.tikv.Pdpb.UpdateServiceGCSafePointResponse;
import io.brain.proto.tikv.TikvGrpc;
import io.brain.storage.KvStorage;
import io.brain.storage.tikv.client.Wire;
import io.grpc.InsecureServerCredentials;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCallHandler;
import io.grpc.ServerCredentials;
import io.grpc.ServerServiceDefinition;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * PD, of one or three members, and two stores in this process. Each store holds a replica of two
 * regions, which meet at the key "n"; PD names store 1 as the leader of both, unless the test says
 * otherwise. The stores keep nothing: a request is answered as the test says, else with an empty
 * answer, which means success.
 */
final class StubCluster implements AutoCloseable {
    static final ResponseHeader HEADER = ResponseHeader.newBuilder().setClusterId(7).build();
    static final ResponseHeader REFUSED =
            ResponseHeader.newBuilder()
                    .setClusterId(7)
                    .setError(Pdpb.Error.newBuilder().setMessage("not served by the test"))
                    .build();
    private static final int STORES = 2;

    /** "n" in the order-preserving encoding that PD knows keys in. */
    private static final ByteString BORDER =
            ByteString.copyFrom(new byte[] {'n', 0, 0, 0, 0, 0, 0, 0, (byte) 0xf8});

    /** The first member of PD, the stores, the other members. */
    private final List<Server> servers = new CopyOnWriteArrayList<>();

    /** Those of {@link #servers}, also of a stopped one. */
    private final List<Integer> ports = new CopyOnWriteArrayList<>();

    private final int members;
    private final ServerCredentials credentials;
    private volatile int leader;
    private volatile int silent = -1;
    private final Map<String, Function<?, ?>> answers = new ConcurrentHashMap<>();
    private final Map<Long, Long> leaders = new ConcurrentHashMap<>(Map.of(1L, 1L, 2L, 1L));

    /** Requests held back, by paused store. */
    private final Map<Integer, List<Runnable>> paused = new HashMap<>();

    private final AtomicInteger lookups = new AtomicInteger();
    private final AtomicInteger timestampStreams = new AtomicInteger();
    private final List<Runnable> heldTimestamps = new ArrayList<>();
    private boolean holdsTimestamps;
    private final AtomicLong clock = new AtomicLong(System.currentTimeMillis() << 18);

    StubCluster() throws IOException {
        this(1);
    }

    /** With so many members of PD, of which the first, 0, leads. */
    StubCluster(int members) throws IOException {
        this(members, InsecureServerCredentials.create());
    }

    /** With certificates. */
    StubCluster(int members, ServerCredentials credentials) throws IOException {
        this.members = members;
        this.credentials = credentials;
        servers.add(serve(pd(0)));
        for (int store = 1; store <= STORES; store++) {
            servers.add(serve(store(store)));
        }
        for (int member = 1; member < members; member++) {
            servers.add(serve(pd(member)));
        }
        servers.forEach(server -> ports.add(server.getPort()));
    }

    /** From now on another member of PD leads. */
    void leadPd(int member) {
        leader = member;
    }

    /** From now on a member of PD takes requests and answers none. */
    void silencePd(int member) {
        silent = member;
    }

    /**
     * What a store answers from now on to one kind of request; PD (0) likewise, but for the list of
     * its members and timestamps.
     *
     * @param answer runs on a thread of the server; null for no answer at all; may throw a status
     */
    <Q, R> void answer(int store, MethodDescriptor<Q, R> method, Function<Q, R> answer) {
        answers.put(store + method.getFullMethodName(), answer);
    }

    /** The options that open a storage here. */
    Map<String, String> options(String... more) {
        Map<String, String> options = new HashMap<>();
        options.put(
                "pd-endpoints",
                IntStream.range(0, members).mapToObj(this::address).collect(joining(",")));
        for (int i = 0; i < more.length; i += 2) {
            options.put(more[i], more[i + 1]);
        }
        return options;
    }

    /** Opens a storage here. */
    KvStorage open(String... more) {
        return new TikvStorageFactory().open(options(more));
    }

    /** The replica on a store of the region that holds keys before "n", or those behind. */
    static Metapb.Peer replica(long region, long store) {
        return Metapb.Peer.newBuilder().setId(10 * region + store).setStoreId(store).build();
    }

    /** The port of PD (0), or of a store. */
    int port(int server) {
        return ports.get(server);
    }

    /** How often PD was asked for the region of a key. */
    int lookups() {
        return lookups.get();
    }

    /** Ends a store; connections to it are refused. */
    void stop(int store) {
        servers.get(store).shutdownNow();
    }

    /** Starts a stopped store again. */
    void start(int store) throws IOException {
        servers.set(store, serve(store(store), port(store)));
    }

    /** Ends a store, and starts it again under another address, which PD names from now on. */
    void move(int store) throws IOException {
        Server moved = serve(store(store));
        ports.set(store, moved.getPort());
        servers.set(store, moved).shutdownNow();
    }

    /** Ends the servers at once; requests that are not answered end with an error. */
    @Override
    public void close() {
        servers.forEach(Server::shutdownNow);
    }

    private Server serve(ServerServiceDefinition service) throws IOException {
        return serve(service, 0);
    }

    private Server serve(ServerServiceDefinition service, int port) throws IOException {
        SocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        return NettyServerBuilder.forAddress(address, credentials)
                .addService(service)
                .build()
                .start();
    }

    private ServerServiceDefinition pd(int member) {
        ServerServiceDefinition.Builder service =
                ServerServiceDefinition.builder(PDGrpc.SERVICE_NAME);
        // Without an answer of the test, storages do nothing about safe points.
        addPd(
                service,
                member,
                PDGrpc.getUpdateServiceGCSafePointMethod(),
                request ->
                        UpdateServiceGCSafePointResponse.newBuilder().setHeader(REFUSED).build());
        addPd(
                service,
                member,
                PDGrpc.getGetGCSafePointMethod(),
                request -> GetGCSafePointResponse.newBuilder().setHeader(HEADER).build());
        addPd(service, member, PDGrpc.getGetRegionMethod(), this::region);
        addPd(
                service,
                member,
                PDGrpc.getGetStoreMethod(),
                request -> storeAt(request.getStoreId()));
        return service.addMethod(
                        PDGrpc.getGetMembersMethod(),
                        unary(request -> member == silent ? null : members()))
                .addMethod(
                        PDGrpc.getTsoMethod(),
                        ServerCalls.asyncBidiStreamingCall(out -> timestamps(member, out)))
                .build();
    }

    /** A method that only the leader serves, as the test says or with a default. */
    private <Q, R> void addPd(
            ServerServiceDefinition.Builder service,
            int member,
            MethodDescriptor<Q, R> method,
            Function<Q, R> fallback) {
        answers.putIfAbsent(0 + method.getFullMethodName(), fallback);
        service.addMethod(
                method,
                unary(
                        request -> {
                            if (member == silent) {
                                return null;
                            }
                            if (member != leader) {
                                throw new IllegalStateException("not the leader");
                            }
                            return this.<Q, R>answer(0, method).apply(request);
                        }));
    }

    private ServerServiceDefinition store(int store) {
        ServerServiceDefinition.Builder service =
                ServerServiceDefinition.builder(TikvGrpc.SERVICE_NAME);
        add(service, store, TikvGrpc.getKvGetMethod(), GetResponse.getDefaultInstance());
        add(service, store, TikvGrpc.getKvBatchGetMethod(), BatchGetResponse.getDefaultInstance());
        add(service, store, TikvGrpc.getKvPrewriteMethod(), PrewriteResponse.getDefaultInstance());
        add(service, store, TikvGrpc.getKvCommitMethod(), CommitResponse.getDefaultInstance());
        add(
                service,
                store,
                TikvGrpc.getKvBatchRollbackMethod(),
                BatchRollbackResponse.getDefaultInstance());
        add(
                service,
                store,
                TikvGrpc.getKvCheckTxnStatusMethod(),
                CheckTxnStatusResponse.getDefaultInstance());
        add(service, store, TikvGrpc.getKvScanMethod(), ScanResponse.getDefaultInstance());
        add(
                service,
                store,
                TikvGrpc.getKvResolveLockMethod(),
                ResolveLockResponse.getDefaultInstance());
        add(
                service,
                store,
                TikvGrpc.getKvTxnHeartBeatMethod(),
                TxnHeartBeatResponse.getDefaultInstance());
        return service.build();
    }

    private <Q, R> void add(
            ServerServiceDefinition.Builder service,
            int store,
            MethodDescriptor<Q, R> method,
            R success) {
        answers.putIfAbsent(
                store + method.getFullMethodName(), (Function<Q, R>) request -> success);
        service.addMethod(
                method,
                ServerCalls.asyncUnaryCall(
                        (request, observer) ->
                                whenResumed(
                                        store,
                                        () -> reply(answer(store, method), request, observer))));
    }

    @SuppressWarnings("unchecked")
    private <Q, R> Function<Q, R> answer(int server, MethodDescriptor<Q, R> method) {
        return (Function<Q, R>) answers.get(server + method.getFullMethodName());
    }

    /** From now on a store takes requests, but answers them only when it is resumed. */
    void pause(int store) {
        synchronized (paused) {
            paused.put(store, new ArrayList<>());
        }
    }

    void resume(int store) {
        List<Runnable> held;
        synchronized (paused) {
            held = paused.remove(store);
        }
        held.forEach(Runnable::run);
    }

    private void whenResumed(int store, Runnable reply) {
        synchronized (paused) {
            List<Runnable> held = paused.get(store);
            if (held != null) {
                held.add(reply);
                return;
            }
        }
        reply.run();
    }

    /** PD names this store as the leader of the region from now on. */
    void lead(long region, long store) {
        leaders.put(region, store);
    }

    private static <Q, R> ServerCallHandler<Q, R> unary(Function<Q, R> answer) {
        return ServerCalls.asyncUnaryCall((request, observer) -> reply(answer, request, observer));
    }

    private static <Q, R> void reply(Function<Q, R> answer, Q request, StreamObserver<R> observer) {
        R response;
        try {
            response = answer.apply(request);
        } catch (StatusRuntimeException refused) {
            observer.onError(refused);
            return;
        }
        if (response != null && !((ServerCallStreamObserver<R>) observer).isCancelled()) {
            observer.onNext(response);
            observer.onCompleted();
        }
    }

    private GetMembersResponse members() {
        GetMembersResponse.Builder answer = GetMembersResponse.newBuilder().setHeader(HEADER);
        IntStream.range(0, members).forEach(member -> answer.addMembers(member(member)));
        return answer.setLeader(member(leader)).build();
    }

    private Member member(int member) {
        return Member.newBuilder()
                .setMemberId(1 + member)
                .addClientUrls("http://" + address(member))
                .build();
    }

    private String address(int member) {
        return "127.0.0.1:" + port(member == 0 ? 0 : STORES + member);
    }

    /** Where PD sees a key, unless the test says otherwise. */
    GetRegionResponse region(GetRegionRequest request) {
        lookups.incrementAndGet();
        boolean first = Wire.compare(request.getRegionKey(), BORDER) < 0;
        long id = first ? 1 : 2;
        return GetRegionResponse.newBuilder()
                .setHeader(HEADER)
                .setRegion(
                        Metapb.Region.newBuilder()
                                .setId(id)
                                .setStartKey(first ? ByteString.EMPTY : BORDER)
                                .setEndKey(first ? BORDER : ByteString.EMPTY)
                                .setRegionEpoch(
                                        Metapb.RegionEpoch.newBuilder().setConfVer(1).setVersion(1))
                                .addPeers(replica(id, 1))
                                .addPeers(replica(id, 2)))
                .setLeader(replica(id, leaders.get(id)))
                .build();
    }

    /** Where PD sees a store, unless the test says otherwise. */
    GetStoreResponse storeAt(long store) {
        return GetStoreResponse.newBuilder()
                .setHeader(HEADER)
                .setStore(
                        Metapb.Store.newBuilder()
                                .setId(store)
                                .setAddress("127.0.0.1:" + port((int) store))
                                .setVersion("8.1.0"))
                .build();
    }

    /** From now on timestamps are answered, those held back first; or they are held back. */
    synchronized void holdTimestamps(boolean hold) {
        holdsTimestamps = hold;
        if (!hold) {
            heldTimestamps.forEach(Runnable::run);
            heldTimestamps.clear();
        }
    }

    /** Time passes for PD, whose clock stands still otherwise. */
    void pass(Duration time) {
        clock.addAndGet(time.toMillis() << 18);
    }

    /** Timestamp requests held back. */
    synchronized int heldTimestamps() {
        return heldTimestamps.size();
    }

    /** Timestamp streams opened so far. */
    int timestampStreams() {
        return timestampStreams.get();
    }

    private synchronized void answer(TsoRequest request, StreamObserver<TsoResponse> out) {
        if (holdsTimestamps) {
            heldTimestamps.add(() -> send(request, out));
        } else {
            send(request, out);
        }
    }

    private void send(TsoRequest request, StreamObserver<TsoResponse> out) {
        long last = clock.addAndGet(request.getCount());
        Timestamp timestamp =
                Timestamp.newBuilder()
                        .setPhysical(last >> 18)
                        .setLogical(last & ((1 << 18) - 1))
                        .build();
        try {
            out.onNext(
                    TsoResponse.newBuilder()
                            .setHeader(HEADER)
                            .setCount(request.getCount())
                            .setTimestamp(timestamp)
                            .build());
        } catch (RuntimeException ended) {
            // Nobody waits on this stream any more.
        }
    }

    private StreamObserver<TsoRequest> timestamps(int member, StreamObserver<TsoResponse> out) {
        timestampStreams.incrementAndGet();
        return new StreamObserver<>() {
            @Override
            public void onNext(TsoRequest request) {
                if (member != silent) {
                    answer(request, out);
                }
            }

            @Override
            public void onError(Throwable ended) {}

            @Override
            public void onCompleted() {
                out.onCompleted();
            }
        };
    }
}
