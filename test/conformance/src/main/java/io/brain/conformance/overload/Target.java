package io.brain.conformance.overload;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.protobuf.ByteString;
import io.brain.conformance.server.Server;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.PutRequest;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RequestOp;
import io.brain.proto.etcd.TxnRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/** One server under overload, and the words of the scenarios. Used by one thread. */
final class Target implements AutoCloseable {

    private static final int IN_FLIGHT_MAX = 128;
    private static final int WARM_UPS = 5_000;
    private static final int PAUSE_MILLIS = 50;
    private static final int TXN_OPS_MAX = 100;

    /** For each call: nothing waits for ever. */
    private static final long DEADLINE_SECONDS = 60;

    private final Server server;
    private final Connections connections;
    private final Ends ends = new Ends();
    private long peakMib;

    Target(Server server) {
        this.server = server;
        this.connections = new Connections(server.port());
    }

    Server server() {
        return server;
    }

    Connections connections() {
        return connections;
    }

    /** How the overloading calls ended. */
    Ends ends() {
        return ends;
    }

    KVGrpc.KVFutureStub kv() {
        return KVGrpc.newFutureStub(server.channel())
                .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    LeaseGrpc.LeaseFutureStub lease() {
        return LeaseGrpc.newFutureStub(server.channel())
                .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    /** Sends numbered small requests, many at a time, and fails if one of them does. */
    void pipelined(int count, IntFunction<ListenableFuture<?>> request)
            throws InterruptedException {
        pipelined(count, IN_FLIGHT_MAX, request);
    }

    /** The same, with so many under way at a time. */
    void pipelined(int count, int inFlightMax, IntFunction<ListenableFuture<?>> request)
            throws InterruptedException {
        Semaphore free = new Semaphore(inFlightMax);
        AtomicInteger failed = new AtomicInteger();
        for (int i = 0; i < count; i++) {
            free.acquire();
            ListenableFuture<?> answer = request.apply(i);
            answer.addListener(
                    () -> {
                        if (!succeeded(answer)) {
                            failed.incrementAndGet();
                        }
                        free.release();
                    },
                    MoreExecutors.directExecutor());
        }
        free.acquire(inFlightMax);
        if (failed.get() > 0) {
            throw new IllegalStateException(failed + " of " + count + " requests were refused");
        }
    }

    /** Some thousands of requests, so that compilers and caches have begun their work. */
    void warmUp() throws InterruptedException {
        ByteString value = value(256);
        PutRequest.Builder put = PutRequest.newBuilder().setValue(value);
        pipelined(WARM_UPS, i -> kv().put(put.setKey(bytes("warm/" + i % 100)).build()));
        pipelined(
                WARM_UPS, i -> kv().range(RangeRequest.newBuilder().setKey(put.getKey()).build()));
    }

    /** Puts numbered keys below a prefix, many in one transaction. */
    void fill(String prefix, int keys, int valueBytes) throws InterruptedException {
        ByteString value = value(valueBytes);
        pipelined(
                keys / TXN_OPS_MAX,
                txn -> {
                    TxnRequest.Builder all = TxnRequest.newBuilder();
                    for (int i = 0; i < TXN_OPS_MAX; i++) {
                        ByteString key = bytes(prefix + (txn * TXN_OPS_MAX + i));
                        all.addSuccess(
                                RequestOp.newBuilder()
                                        .setRequestPut(
                                                PutRequest.newBuilder()
                                                        .setKey(key)
                                                        .setValue(value)));
                    }
                    return kv().txn(all.build());
                });
    }

    /** All keys below a prefix that ends with "/". */
    static RangeRequest.Builder below(String prefix) {
        return RangeRequest.newBuilder().setKey(bytes(prefix)).setRangeEnd(end(prefix));
    }

    static ByteString end(String prefix) {
        return bytes(prefix.substring(0, prefix.length() - 1) + (char) ('/' + 1));
    }

    long count(String prefix) {
        return KVGrpc.newBlockingStub(server.channel())
                .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
                .range(below(prefix).setCountOnly(true).build())
                .getCount();
    }

    /** Waits until this is so, and fails when the server ends before. */
    void await(long secondsMax, BooleanSupplier condition)
            throws InterruptedException, TimeoutException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(secondsMax);
        while (!condition.getAsBoolean()) {
            if (server.lastWords() != null) {
                throw new IllegalStateException("the server ended");
            }
            notePeak();
            if (System.nanoTime() > deadline) {
                throw new TimeoutException("not done in " + secondsMax + " s");
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    /** From now on only the peaks of memory that are to come count. */
    void forgetPeak() throws IOException {
        Files.writeString(process().resolve("clear_refs"), "5");
    }

    /** The highest resident memory noted: the kernel keeps it only while the server lives. */
    long peakMib() {
        notePeak();
        return peakMib;
    }

    private void notePeak() {
        try (Stream<String> lines = Files.lines(process().resolve("status"))) {
            long kib =
                    lines.filter(line -> line.startsWith("VmHWM:"))
                            .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                            .findFirst()
                            .orElse(0);
            peakMib = Math.max(peakMib, kib / 1024);
        } catch (IOException | UncheckedIOException ended) {
            // Then the last one noted is the best there is.
        }
    }

    private Path process() {
        return Path.of("/proc", Long.toString(server.pid()));
    }

    static ByteString bytes(String text) {
        return ByteString.copyFromUtf8(text);
    }

    static ByteString value(int bytes) {
        byte[] value = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            value[i] = (byte) (i * 7 + (i >> 8) * 31);
        }
        return ByteString.copyFrom(value);
    }

    @Override
    public void close() {
        connections.close();
        server.close();
    }

    private static boolean succeeded(ListenableFuture<?> answer) {
        try {
            return answer.get() != null;
        } catch (InterruptedException | ExecutionException e) {
            return false;
        }
    }
}
