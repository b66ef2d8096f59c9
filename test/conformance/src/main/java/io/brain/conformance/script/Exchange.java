package io.brain.conformance.script;

import com.google.protobuf.Message;
import io.brain.conformance.compare.Entry;
import io.brain.conformance.compare.Transcript;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One stream of requests and answers, with what is sent and awaited noted in a transcript. For one
 * thread; answers arrive on the transport's.
 */
public class Exchange<Q extends Message, A extends Message> implements AutoCloseable {

    /** Long enough for every answer that a server owes at once. */
    static final long EXPECT_MILLIS_MAX = 20_000;

    /** Longer than etcd takes to look at watchers that are behind (100 ms). */
    static final long QUIET_MILLIS = 300;

    private static final int WAITING_MAX = 100_000;

    private final String name;
    private final Transcript transcript;
    private final Wire wire;
    private final BlockingQueue<A> answers = new ArrayBlockingQueue<>(WAITING_MAX);
    private final CompletableFuture<Status> end = new CompletableFuture<>();
    private final ClientCall<Q, A> call;
    private volatile boolean stalled;
    private long lastSentAt;

    /**
     * Opens the stream.
     *
     * @param name what the transcript calls it
     */
    public Exchange(
            String name,
            Wire wire,
            MethodDescriptor<Q, A> method,
            Metadata metadata,
            CallOptions options,
            Transcript transcript) {
        this.name = name;
        this.wire = wire;
        this.transcript = transcript;
        this.call = wire.channel().newCall(method, options);
        call.start(new Listener(), metadata);
        call.request(1);
    }

    /** Sends a request. */
    public void send(Q request) {
        lastSentAt = System.nanoTime();
        call.sendMessage(wire.mask().request(request));
    }

    /** Waits for that many answers and notes them in the order of arrival. */
    public List<A> expect(int count) throws InterruptedException {
        List<A> got = take(count);
        note(got, count);
        return got;
    }

    /** As {@link #expect(int)} where the order is not defined: notes them in the order given. */
    public List<A> expectInAnyOrder(int count, Comparator<A> order) throws InterruptedException {
        List<A> got = take(count);
        got.sort(order);
        note(got, count);
        return got;
    }

    /** Waits for that many answers, notes nothing; fewer come back if they do not arrive. */
    public List<A> take(int count) throws InterruptedException {
        List<A> got = new ArrayList<>();
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(EXPECT_MILLIS_MAX);
        while (got.size() < count) {
            A answer = answers.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (answer == null) {
                break;
            }
            got.add(mask(answer));
        }
        return got;
    }

    /** The next answer, or null if none comes in this time; notes nothing. */
    public A poll(long millis) throws InterruptedException {
        A answer = answers.poll(millis, TimeUnit.MILLISECONDS);
        return answer == null ? null : mask(answer);
    }

    /** Notes that no answer comes for a while, or the one that does. */
    public void expectNothing() throws InterruptedException {
        A answer = poll(QUIET_MILLIS);
        transcript.add(name + " is quiet", answer == null ? "yes" : "no: " + Entry.show(answer));
    }

    /** Waits until no answer comes for a while, and notes none of them. */
    public void drain() throws InterruptedException {
        A answer = poll(QUIET_MILLIS);
        while (answer != null) {
            answer = poll(QUIET_MILLIS);
        }
    }

    /** Waits for the end of the stream and notes its status. */
    public void expectEnd() throws InterruptedException {
        try {
            Status status = end.get(EXPECT_MILLIS_MAX, TimeUnit.MILLISECONDS);
            transcript.add(name + " ends", Outcome.text(status));
        } catch (TimeoutException e) {
            transcript.add(name + " ends", "no");
        } catch (ExecutionException e) {
            throw new IllegalStateException("the end is never exceptional", e);
        }
    }

    /** Says that no more requests follow. */
    public void halfClose() {
        call.halfClose();
    }

    /** Stops taking answers from the transport, as a client that does not read. */
    public void stall() {
        stalled = true;
    }

    /** Takes answers again. */
    public void resume() {
        stalled = false;
        call.request(1);
    }

    /** Gives the stream up. */
    @Override
    public void close() {
        call.cancel("no longer needed", null);
    }

    final String name() {
        return name;
    }

    final Transcript transcript() {
        return transcript;
    }

    private void note(List<A> got, int expected) {
        for (A answer : got) {
            transcript.add(name + " <-", answer);
        }
        if (got.size() < expected) {
            Status status = end.getNow(null);
            String why = status == null ? "nothing more came" : Outcome.text(status);
            transcript.add(name + " <-", got.size() + " of " + expected + ", " + why);
        }
    }

    private A mask(A answer) {
        return wire.mask().answer(answer, lastSentAt, System.nanoTime());
    }

    private final class Listener extends ClientCall.Listener<A> {
        @Override
        public void onMessage(A answer) {
            if (!answers.offer(answer)) {
                call.cancel("more than " + WAITING_MAX + " answers wait", null);
            } else if (!stalled) {
                call.request(1);
            }
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            end.complete(status);
        }
    }
}
