package io.brain.conformance.overload;

import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.LeaseGrpc;
import io.brain.proto.etcd.LeaseKeepAliveRequest;
import io.brain.proto.etcd.LeaseKeepAliveResponse;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * What must go on whatever happens: a lease is kept alive, and {@code /health} and {@code /readyz}
 * are asked, each five times a second. Notes how long each took.
 */
final class Vitals {

    private static final int PAUSE_MILLIS = 200;
    private static final int TTL_SECONDS = 600;
    private static final long DEADLINE_SECONDS = 30;
    private static final List<String> PATHS = List.of("/health", "/readyz");

    private final int port;
    private final Ends ends;
    private final ManagedChannel channel;
    private final HttpClient http = HttpClient.newHttpClient();
    private final List<Double> keepAlives = new ArrayList<>();
    private final List<Double> healths = new ArrayList<>();
    private final Thread keeping = new Thread(() -> repeat(this::keepAlive), "keep-alives");
    private final Thread asking = new Thread(() -> repeat(this::askHealth), "health");
    private volatile boolean measures;
    private volatile boolean stopped;

    // Of the keeping thread.
    private long lease;
    private StreamObserver<LeaseKeepAliveRequest> requests;
    private BlockingQueue<Object> answers;

    /**
     * @param ends notes what was refused
     */
    Vitals(int port, Ends ends) {
        this.port = port;
        this.ends = ends;
        this.channel = NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
        for (Thread thread : List.of(keeping, asking)) {
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** From now on it counts. */
    void measure() {
        measures = true;
    }

    /** Ends the work after what is under way. */
    void stop() throws InterruptedException {
        stopped = true;
        keeping.join();
        asking.join();
        channel.shutdownNow();
    }

    /** After {@link #stop()}. */
    Latency keepAlives() {
        return Latency.of(keepAlives);
    }

    /** Of both paths; after {@link #stop()}. */
    Latency healths() {
        return Latency.of(healths);
    }

    private interface Work {
        void run() throws InterruptedException;
    }

    private void repeat(Work work) {
        try {
            while (!stopped) {
                work.run();
                Thread.sleep(PAUSE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void keepAlive() throws InterruptedException {
        boolean counts = measures;
        if (requests == null && !open()) {
            return;
        }
        long started = System.nanoTime();
        requests.onNext(LeaseKeepAliveRequest.newBuilder().setID(lease).build());
        Object answer = answers.poll(DEADLINE_SECONDS, TimeUnit.SECONDS);
        if (counts) {
            keepAlives.add((System.nanoTime() - started) / 1e6);
        }
        if (answer instanceof LeaseKeepAliveResponse kept && kept.getTTL() > 0) {
            return;
        }
        ends.ended("keep-alive: " + (answer == null ? "no answer" : words(answer)));
        requests = null;
        lease = 0;
    }

    private static String words(Object answer) {
        return answer instanceof LeaseKeepAliveResponse ? "the lease is gone" : answer.toString();
    }

    private boolean open() {
        try {
            if (lease == 0) {
                lease =
                        LeaseGrpc.newBlockingStub(channel)
                                .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
                                .leaseGrant(
                                        LeaseGrantRequest.newBuilder().setTTL(TTL_SECONDS).build())
                                .getID();
            }
        } catch (StatusRuntimeException e) {
            ends.ended("keep-alive: " + e.getStatus().getCode());
            return false;
        }
        BlockingQueue<Object> mine = new ArrayBlockingQueue<>(8);
        answers = mine;
        requests =
                LeaseGrpc.newStub(channel)
                        .leaseKeepAlive(
                                new StreamObserver<>() {
                                    @Override
                                    public void onNext(LeaseKeepAliveResponse answer) {
                                        boolean unused = mine.offer(answer);
                                    }

                                    @Override
                                    public void onError(Throwable failure) {
                                        boolean unused =
                                                mine.offer(Status.fromThrowable(failure).getCode());
                                    }

                                    @Override
                                    public void onCompleted() {
                                        boolean unused = mine.offer("the stream ended");
                                    }
                                });
        return true;
    }

    private void askHealth() throws InterruptedException {
        for (String path : PATHS) {
            boolean counts = measures;
            long started = System.nanoTime();
            try {
                HttpRequest request =
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                                .timeout(Duration.ofSeconds(DEADLINE_SECONDS))
                                .version(HttpClient.Version.HTTP_1_1)
                                .build();
                HttpResponse<String> answer =
                        http.send(request, HttpResponse.BodyHandlers.ofString());
                if (answer.statusCode() != 200) {
                    ends.ended(path + ": " + answer.statusCode());
                }
            } catch (IOException e) {
                ends.ended(path + ": no answer");
            }
            if (counts) {
                healths.add((System.nanoTime() - started) / 1e6);
            }
        }
    }
}
