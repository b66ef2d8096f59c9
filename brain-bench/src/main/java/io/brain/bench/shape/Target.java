package io.brain.bench.shape;

import com.google.protobuf.ByteString;
import io.brain.bench.ServerAddress;
import io.brain.bench.load.Clients;
import io.brain.bench.load.Pace;
import io.brain.bench.load.ProcessFigures;
import io.brain.bench.load.Recorder;
import io.brain.bench.load.Script;
import io.brain.bench.load.Stretch;
import io.brain.bench.load.UnexpectedAnswerException;
import io.brain.bench.wire.Answer;
import io.brain.bench.wire.Caller;
import io.brain.bench.wire.GrpcCaller;
import io.brain.bench.wire.KeySpace;
import io.brain.bench.wire.LeanCaller;
import io.brain.bench.wire.Loop;
import io.brain.bench.wire.Reply;
import io.brain.bench.wire.Requests;
import io.brain.bench.wire.Rpc;
import io.brain.proto.etcd.CompactionRequest;
import io.brain.proto.etcd.RangeRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * A server under test: connections to it, and the data written to it. Confined to the thread that
 * runs the rounds.
 */
public final class Target implements AutoCloseable {

    private static final int FILL_CLIENTS = 8;
    private static final int FILL_KEYS = 100;
    private static final int IDLE_POLL_MILLIS = 200;
    private static final int IDLE_POLLS_MAX = 25;
    private static final long IDLE_MICROS_MAX = 10_000;
    private static final Duration FILL_MAX = Duration.ofMinutes(10);

    private final ServerAddress server;
    private final Loop loop;
    private final Settings settings;
    private final String stamp;
    private final GrpcCaller own;
    private final List<Caller> callers = new ArrayList<>();
    private Caller background;
    private final Map<String, Objects> filled = new HashMap<>(); // by kind of data
    private long nextNumber;
    private long compacted;

    /**
     * Creates a target; connections are opened on first use.
     *
     * @param stamp part of all keys, to separate runs
     */
    public Target(ServerAddress server, Loop loop, Settings settings, String stamp) {
        this.server = server;
        this.loop = loop;
        this.settings = settings;
        this.stamp = stamp;
        this.own = grpcCaller();
    }

    /** Address of the server. */
    public ServerAddress server() {
        return server;
    }

    Settings settings() {
        return settings;
    }

    Loop loop() {
        return loop;
    }

    /** A stretch of the configured length. */
    Stretch stretch() {
        return stretch(settings.measured());
    }

    Stretch stretch(Duration measured) {
        return stretch(settings.warmUp(), measured);
    }

    Stretch stretch(Duration warmUp, Duration measured) {
        return new Stretch(loop, server.pid(), warmUp, measured);
    }

    /** Connections for {@code clients} clients. */
    List<Caller> callers(int clients) {
        int wanted = Math.min(clients, settings.connections());
        while (callers.size() < wanted) {
            callers.add(caller());
        }
        return callers.subList(0, wanted);
    }

    /** The connection of background puts. */
    Caller background() {
        if (background == null) {
            background = caller();
        }
        return background;
    }

    private Caller caller() {
        return settings.lean() ? new LeanCaller(loop, server.port(), server.token()) : grpcCaller();
    }

    /** A new connection with grpc-java. */
    GrpcCaller grpcCaller() {
        return new GrpcCaller(loop, server.port(), server.token());
    }

    /** A connection for calls that are not measured. */
    GrpcCaller own() {
        return own;
    }

    /** Clients at the configured pace. */
    Clients clients(int count, Supplier<? extends Script> scripts) {
        return clients(count, scripts, new Pace(settings.rate()), new Recorder(false));
    }

    Clients clients(int count, Supplier<? extends Script> scripts, Pace pace, Recorder recorder) {
        List<Script> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(scripts.get());
        }
        return new Clients(loop, callers(count), all, pace, recorder);
    }

    /** Keys of a kind. */
    KeySpace keys(String kind, int namespaces) {
        return new KeySpace("/registry/" + kind + stamp + '/', namespaces);
    }

    /** Reserves unused key numbers; returns the first. */
    long takeNumbers(long count) {
        long first = nextNumber;
        nextNumber += count;
        return first;
    }

    /** Permanent objects, written on first use. */
    Objects objects(KeySpace keys, int count, int valueBytes)
            throws IOException, InterruptedException {
        return objects(new Objects(keys, 0, new long[count]), valueBytes, 1);
    }

    /**
     * Permanent objects with several versions each, written on first use. Versions that were
     * compacted are written again.
     *
     * @param wanted keys; its revisions are set on first use
     */
    Objects objects(Objects wanted, int valueBytes, int versions)
            throws IOException, InterruptedException {
        String name = wanted.keys().prefix() + wanted.first() + '-' + wanted.count();
        Objects objects = filled.get(name);
        if (objects == null) {
            fill(wanted, valueBytes, versions);
            filled.put(name, wanted);
            return wanted;
        }
        if (versions > 1 && objects.revisions()[0] <= compacted) {
            fill(objects, valueBytes, versions - 1);
        }
        return objects;
    }

    /** Puts each object {@code versions} times, and waits until the server is idle. */
    void fill(Objects objects, int valueBytes, int versions)
            throws IOException, InterruptedException {
        Filling filling = new Filling(objects, Requests.value(valueBytes), versions);
        List<Script> scripts = new ArrayList<>();
        for (int i = 0; i < FILL_CLIENTS; i++) {
            scripts.add(filling.script());
        }
        complete(new Clients(loop, List.of(own), scripts, Pace.CLOSED, new Recorder(false)));
        awaitIdle();
    }

    /** Waits until background work such as flushes has ended. */
    private void awaitIdle() throws IOException, InterruptedException {
        long before = ProcessFigures.of(server.pid()).cpuMicros();
        for (int poll = 0; poll < IDLE_POLLS_MAX; poll++) {
            Thread.sleep(IDLE_POLL_MILLIS);
            long now = ProcessFigures.of(server.pid()).cpuMicros();
            if (now - before <= IDLE_MICROS_MAX) {
                return;
            }
            before = now;
        }
    }

    /** Runs clients until they are done. */
    void complete(Clients clients) throws IOException, InterruptedException {
        Stretch all = new Stretch(loop, server.pid(), Duration.ZERO, FILL_MAX);
        var failures = all.run(clients).failures();
        if (failures.count() > 0) {
            throw new IOException(server.name() + " could not be filled: " + failures.first());
        }
    }

    /** Compacts all history physically: an etcd that is never compacted would reach its quota. */
    public void compact() throws IOException, InterruptedException {
        byte[] any =
                RangeRequest.newBuilder()
                        .setKey(ByteString.copyFromUtf8("/"))
                        .build()
                        .toByteArray();
        long newest = await(Rpc.RANGE, any).revision();
        if (newest > compacted) {
            CompactionRequest request =
                    CompactionRequest.newBuilder().setRevision(newest).setPhysical(true).build();
            var unused = await(Rpc.COMPACT, request.toByteArray());
            compacted(newest);
        }
    }

    /** Records a compaction. */
    void compacted(long revision) {
        compacted = Math.max(compacted, revision);
    }

    private Answer await(Rpc rpc, byte[] request) throws IOException, InterruptedException {
        CompletableFuture<Answer> end = new CompletableFuture<>();
        Reply reply =
                new Reply() {
                    @Override
                    public void answered(Answer answer) {
                        end.complete(answer);
                    }

                    @Override
                    public void failed(String why) {
                        end.completeExceptionally(new IOException(rpc + ": " + why));
                    }
                };
        loop.execute(() -> own.call(rpc, request, reply));
        try {
            return end.get(FILL_MAX.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException failed) {
            throw new IOException(server.name() + ": " + failed.getMessage(), failed);
        }
    }

    @Override
    public void close() {
        callers.forEach(Caller::close);
        if (background != null) {
            background.close();
        }
        own.close();
    }

    /** Distributes transactions to its clients. Confined to the event loop. */
    private static final class Filling {
        private final Objects objects;
        private final byte[] value;
        private int passes;
        private int next;

        Filling(Objects objects, byte[] value, int passes) {
            this.objects = objects;
            this.value = value;
            this.passes = passes;
        }

        Script script() {
            return new Script() {
                private int from;
                private int to;

                @Override
                public Request begin() {
                    if (next == objects.count() && passes > 1) {
                        passes--;
                        next = 0;
                    }
                    from = next;
                    to = Math.min(objects.count(), from + FILL_KEYS);
                    next = to;
                    return from == to
                            ? null
                            : new Request(
                                    Rpc.TXN,
                                    Requests.fill(
                                            objects.keys(),
                                            objects.first() + from,
                                            objects.first() + to,
                                            value));
                }

                @Override
                public Request proceed(Answer answer) throws UnexpectedAnswerException {
                    if (!answer.succeeded()) {
                        throw new UnexpectedAnswerException(
                                "a transaction without compares failed");
                    }
                    for (int i = from; i < to; i++) {
                        objects.revisions()[i] = answer.revision();
                    }
                    return null;
                }
            };
        }
    }
}
