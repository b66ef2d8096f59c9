package io.brain.server.trial;

import com.google.protobuf.InvalidProtocolBufferException;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.RangeRequest;
import io.brain.transfer.mirror.SourceCluster;
import io.brain.transfer.verify.Side;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Compares the answers of a cluster with those of a Brain that follows it. Ranges come from a proxy
 * before the cluster, from a list, or are made up. Used by one thread, which blocks.
 */
public final class Trial implements AutoCloseable {
    private static final long CALL_SECONDS_MAX = 60;
    private static final long DRAIN_MILLIS_MAX = 60_000;

    /** A standby follows the source's compactions every 30 s. */
    private static final int HASH_ATTEMPTS = 4;

    private static final long HASH_PAUSE_MILLIS = 12_000;

    private final Endpoint source;
    private final Endpoint brain;
    private final KVGrpc.KVBlockingStub calls;
    private final Answers answers;
    private final Proxy proxy;
    private final Survey survey;
    private final Supplier<RangeRequest> reads;
    private final Optional<ProcessUse> sourceBefore;
    private final Optional<ProcessUse> brainBefore;
    private long asked;

    /**
     * A cluster.
     *
     * @param cluster its data
     * @param channel for its calls
     * @param http client for the page /metrics at {@code url}
     */
    public record Endpoint(SourceCluster cluster, Channel channel, HttpClient http, URI url) {
        private Optional<ProcessUse> use() throws InterruptedException {
            return ProcessUse.read(http, url);
        }
    }

    /** The result in words, and whether Brain answers as the source does. */
    public record Verdict(boolean good, List<String> lines) {}

    /**
     * Begins.
     *
     * @param brain follows the source, and has its keys
     * @param listen address of the proxy; null: none
     * @param recorded encoded RangeRequests to ask for in turn; empty: made-up ones
     */
    public Trial(Endpoint source, Endpoint brain, InetSocketAddress listen, List<byte[]> recorded)
            throws IOException, InterruptedException {
        this.source = source;
        this.brain = brain;
        this.calls = KVGrpc.newBlockingStub(source.channel());
        Random random = new Random();
        this.survey = Survey.of(brain.cluster().side(), random);
        this.reads = recorded.isEmpty() ? new Reads(survey, random) : inTurn(recorded);
        this.sourceBefore = source.use();
        this.brainBefore = brain.use();
        this.answers = new Answers(brain.channel());
        this.proxy = listen == null ? null : new Proxy(listen, source.channel(), answers);
    }

    private static Supplier<RangeRequest> inTurn(List<byte[]> recorded) throws IOException {
        List<RangeRequest> all = new ArrayList<>();
        for (byte[] each : recorded) {
            try {
                all.add(RangeRequest.parseFrom(each));
            } catch (InvalidProtocolBufferException impossible) {
                throw new IOException(impossible);
            }
        }
        int[] next = {0};
        return () -> all.get(next[0]++ % all.size());
    }

    /** Asks the source for one range, if there are keys or a list. */
    public void read() {
        if (survey.keys() == 0 && reads instanceof Reads) {
            return;
        }
        RangeRequest request = reads.get();
        asked++;
        try {
            byte[] response =
                    calls.withDeadlineAfter(CALL_SECONDS_MAX, TimeUnit.SECONDS)
                            .range(request)
                            .toByteArray();
            answers.offer(request.toByteArray(), response, Status.OK);
        } catch (StatusRuntimeException refused) {
            answers.offer(request.toByteArray(), null, refused.getStatus());
        }
    }

    /** How far it is, in words. */
    public String progress() {
        Answers.Result result = answers.result();
        return "%d answers compared, %d differ"
                .formatted(result.equal() + result.different(), result.different());
    }

    /** Ends the comparison. */
    public Verdict verdict() throws IOException, InterruptedException {
        answers.drain(DRAIN_MILLIS_MAX);
        Answers.Result result = answers.result();
        List<String> lines = new ArrayList<>();
        lines.add(progress());
        result.named().forEach(each -> lines.add("  " + each)); // each once, the first ones
        lines.add(
                "not compared: %d compacted meanwhile, %d too many at once, %d without an answer"
                        .formatted(result.compacted(), result.dropped(), result.failed()));
        Map<String, Long> notServed = proxy == null ? Map.of() : proxy.notServed();
        if (proxy != null) {
            lines.add("calls of clients: " + proxy.calls());
            lines.add("of them not served by Brain: " + (notServed.isEmpty() ? "none" : notServed));
        }
        boolean sameHistory = addHistories(lines);
        lines.add(
                "%d keys; the longest has %d bytes, the largest pair %d"
                        .formatted(survey.keys(), survey.keyBytesMax(), survey.pairBytesMax()));
        lines.add("reads of its own at the source: " + asked);
        addUse(lines, "source", sourceBefore, source.use());
        addUse(lines, "Brain, with this comparison", brainBefore, brain.use());
        boolean good = result.different() == 0 && notServed.isEmpty() && sameHistory;
        lines.add(good ? "verdict: Brain answers as the source does" : "verdict: they differ");
        return new Verdict(good, lines);
    }

    private boolean addHistories(List<String> lines) throws IOException, InterruptedException {
        for (int attempt = 1; attempt <= HASH_ATTEMPTS; attempt++) {
            long revision = brain.cluster().newestRevision();
            Side.History theirs = source.cluster().hash(revision);
            Side.History ours = brain.cluster().hash(revision);
            if (Math.max(0, theirs.compacted()) == Math.max(0, ours.compacted())) {
                boolean same = theirs.hash() == ours.hash();
                lines.add(
                        "history up to revision %d: %s"
                                .formatted(revision, same ? "equal hashes" : "different hashes"));
                return same;
            }
            Thread.sleep(HASH_PAUSE_MILLIS);
        }
        lines.add("history: not compared, the source is compacted too often");
        return true;
    }

    private static void addUse(
            List<String> lines, String who, Optional<ProcessUse> before, Optional<ProcessUse> now) {
        lines.add(
                who
                        + " meanwhile: "
                        + (before.isPresent() && now.isPresent()
                                ? now.get().since(before.get())
                                : "not known (no /metrics)"));
    }

    @Override
    public void close() {
        if (proxy != null) {
            proxy.close();
        }
        answers.close();
    }
}
