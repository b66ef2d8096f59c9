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
 * One of the servers: connections to it, and what has been put there. One thread, the one that runs
 * the rounds, owns it.
 */
public final class Target implements AutoCloseable {

    private static final int FILL_CLIENTS = 8;
    private static final int FILL_KEYS = 100;
    private static final int IDLE_LOOK_MILLIS = 200;
    private static final int IDLE_LOOKS_MAX = 25;
    private static final long IDLE_MICROS_MAX = 10_000;
    private static final Duration FILL_MAX = Duration.ofMinutes(10);

    private final ServerAddress server;
    private final Loop loop;
    private final Settings settings;
    private final String stamp;
    private final GrpcCaller own;
    private final List<Caller> callers = new ArrayList<>();
    private Caller background;
    private final Map<String, Objects> filled = new HashMap<>(); // one for each kind of data
    private long nextNumber;
    private long compacted;

    /**
     * A server; connections are made when they are needed.
     *
     * @param stamp part of all keys, so that another run's data is not in the way
     */
    public Target(ServerAddress server, Loop loop, Settings settings, String stamp) {
        this.server = server;
        this.loop = loop;
        this.settings = settings;
        this.stamp = stamp;
        this.own = new GrpcCaller(loop, server.port());
    }

    /** Where it is. */
    public ServerAddress server() {
        return server;
    }

    Settings settings() {
        return settings;
    }

    Loop loop() {
        return loop;
    }

    /** A stretch of the common length. */
    Stretch stretch() {
        return stretch(settings.measured());
    }

    Stretch stretch(Duration measured) {
        return stretch(settings.warmUp(), measured);
    }

    Stretch stretch(Duration warmUp, Duration measured) {
        return new Stretch(loop, server.pid(), warmUp, measured);
    }

    /** Connections for so many clients. */
    List<Caller> callers(int clients) {
        int wanted = Math.min(clients, settings.connections());
        while (callers.size() < wanted) {
            callers.add(caller());
        }
        return callers.subList(0, wanted);
    }

    /** The connection of puts that go on beside a measured load. */
    Caller background() {
        if (background == null) {
            background = caller();
        }
        return background;
    }

    private Caller caller() {
        return settings.lean()
                ? new LeanCaller(loop, server.port())
                : new GrpcCaller(loop, server.port());
    }

    /** A connection for what is not measured. */
    GrpcCaller own() {
        return own;
    }

    /** Clients at the pace that was asked for. */
    Clients clients(int count, Supplier<? extends Script> scripts) {
        return clients(count, scripts, new Pace(settings.rate()), new Recorder(false));
    }

    Clients clients(int count, Supplier<? extends Script> scripts, Pace pace, Recorder recorder) {
        List<Script> made = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            made.add(scripts.get());
        }
        return new Clients(loop, callers(count), made, pace, recorder);
    }

    /** Keys of a kind; with one namespace in the order of their numbers. */
    KeySpace keys(String kind, int namespaces) {
        return new KeySpace("/registry/" + kind + stamp + '/', namespaces);
    }

    /** Numbers that no key of this server has yet; the first of them. */
    long takeNumbers(long count) {
        long first = nextNumber;
        nextNumber += count;
        return first;
    }

    /** Objects that stay; they are put when they are first asked for. */
    Objects objects(KeySpace keys, int count, int valueBytes)
            throws IOException, InterruptedException {
        return objects(new Objects(keys, 0, new long[count]), valueBytes, 1);
    }

    /**
     * Objects that stay and have so many versions each: all are put when they are first asked for,
     * and those that a compaction has taken are replaced.
     *
     * @param wanted their keys; its revisions are used if they are not there yet
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

    /** Puts objects so many times, many in a transaction, and waits until the server is idle. */
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

    /** What a server does after many writes, such as flushes, is not part of what comes next. */
    private void awaitIdle() throws IOException, InterruptedException {
        long before = ProcessFigures.of(server.pid()).cpuMicros();
        for (int look = 0; look < IDLE_LOOKS_MAX; look++) {
            Thread.sleep(IDLE_LOOK_MILLIS);
            long now = ProcessFigures.of(server.pid()).cpuMicros();
            if (now - before <= IDLE_MICROS_MAX) {
                return;
            }
            before = now;
        }
    }

    /** Runs clients until they have nothing left. */
    void complete(Clients clients) throws IOException, InterruptedException {
        Stretch all = new Stretch(loop, server.pid(), Duration.ZERO, FILL_MAX);
        var failures = all.run(clients).failures();
        if (failures.count() > 0) {
            throw new IOException(server.name() + " could not be filled: " + failures.first());
        }
    }

    /**
     * Gives up all history, and waits until it is gone: an etcd that is never compacted would reach
     * its quota.
     */
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

    /** History up to a revision is gone. */
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

    /** Hands its clients one transaction after the other. Of the event loop. */
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
