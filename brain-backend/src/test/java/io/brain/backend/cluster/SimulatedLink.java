package io.brain.backend.cluster;

import io.brain.backend.cluster.link.EventStream;
import io.brain.backend.cluster.link.EventStream.EventSink;
import io.brain.backend.cluster.link.EventStream.EventTarget;
import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.cluster.link.LeaderId;
import io.brain.backend.cluster.link.LeaderLink;
import io.brain.backend.cluster.link.LeaderUpdate;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Failures;
import io.brain.backend.model.Futures;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Reservation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A connection from one server to another, with calls and the event stream as messages. It breaks
 * when one of them is killed; the other one finds out with a delay.
 */
final class SimulatedLink implements LeaderLink {
    /** Maximum number of updates in flight, as in a transport's buffers. */
    private static final int WINDOW = 2;

    private final SimulatedServer near;
    private final SimulatedServer far;
    private final LeaderId id;
    private final SimulatedNetwork.Pipe there;
    private final SimulatedNetwork.Pipe back;
    private final List<CompletableFuture<?>> open = new ArrayList<>();
    private final List<CompletableFuture<?>> served = new ArrayList<>();
    private boolean reachable;
    private boolean ended;
    private Feed feed;
    private EventSink sink;

    SimulatedLink(
            SimulatedNetwork network, SimulatedServer near, SimulatedServer far, LeaderId id) {
        this.id = id;
        this.near = near;
        this.far = far;
        there = network.pipe(near.index(), far.index(), far.transport());
        back = network.pipe(far.index(), near.index(), near.transport());
        reachable = far.isAlive();
    }

    boolean joins(SimulatedServer server) {
        return near == server || far == server;
    }

    /** Breaks the connection, and reports that to this end. */
    void broken() {
        reachable = false;
        there.close();
        List.copyOf(served).forEach(call -> call.cancel(false));
        served.clear();
        if (feed != null && feed.source != null) {
            feed.source.close();
        }
        if (near.isAlive() && !ended) {
            near.transport().execute(this::reportEnd);
        }
    }

    private void reportEnd() {
        endCalls();
        if (sink != null && !ended) {
            ended = true;
            sink.ended();
        }
    }

    private void endCalls() {
        back.close();
        List.copyOf(open)
                .forEach(
                        call ->
                                call.completeExceptionally(
                                        new BackendException(ErrorKind.LEADER_CHANGED)));
        open.clear();
    }

    @Override
    public void close() {
        ended = true;
        endCalls();
        there.close();
        near.forget(this);
        far.transport().execute(this::broken);
    }

    @Override
    public void eventStream(long from, EventSink to) {
        sink = to;
        if (!reachable) {
            near.transport().execute(this::reportEnd);
            return;
        }
        feed = new Feed();
        there.send(() -> feed.source = far.node().leaderEndpoint().eventStream(id, from, feed));
    }

    @Override
    public <T> CompletableFuture<T> submit(LeaderCommand<T> command) {
        if (ended || !reachable) {
            return CompletableFuture.failedFuture(new BackendException(ErrorKind.NOT_LEADER));
        }
        CompletableFuture<T> answer = new CompletableFuture<>();
        open.add(answer);
        there.send(() -> serve(command, answer));
        return answer;
    }

    private <T> void serve(LeaderCommand<T> command, CompletableFuture<T> answer) {
        CompletableFuture<T> result;
        try {
            result = far.node().leaderEndpoint().leader(id).submit(command);
        } catch (BackendException refused) {
            result = CompletableFuture.failedFuture(refused);
        }
        served(result, answer);
    }

    private <T> void served(CompletableFuture<T> result, CompletableFuture<T> answer) {
        served.add(result);
        Futures.onEnd(
                answer,
                (value, failure) -> {
                    if (answer.isCancelled()) {
                        there.send(() -> result.cancel(false));
                    }
                });
        Futures.onEnd(
                result,
                (value, failure) -> {
                    served.removeIf(one -> one == result);
                    // As in gRPC: the sender releases the bytes once they are sent.
                    if (value instanceof Reply<?> reply) {
                        reply.held().close();
                    }
                    back.send(() -> arrived(value, failure, answer));
                });
    }

    @SuppressWarnings("unchecked")
    private <T> void arrived(T value, Throwable failure, CompletableFuture<T> answer) {
        open.removeIf(one -> one == answer);
        if (failure != null) {
            answer.completeExceptionally(Failures.of(failure));
        } else if (value instanceof Reply<?> reply) {
            answer.complete((T) new Reply<>(reply.answer(), Reservation.NONE));
        } else {
            answer.complete(value);
        }
    }

    /** The leader's end of the event stream. */
    private final class Feed implements EventTarget {
        private EventStream source;
        private int inFlight;
        private boolean streamEnded;

        @Override
        public long member() {
            return near.node().status().memberId();
        }

        @Override
        public boolean isReady() {
            return inFlight < WINDOW && reachable;
        }

        @Override
        public void send(LeaderUpdate update) {
            if (streamEnded || inFlight >= WINDOW) {
                throw new AssertionError("sent to a stream that is not ready");
            }
            inFlight++;
            back.send(() -> sink.update(update, () -> there.send(this::processed)));
        }

        private void processed() {
            inFlight--;
            source.ready();
        }

        @Override
        public void end() {
            if (streamEnded) {
                throw new AssertionError("ended twice");
            }
            streamEnded = true;
            back.send(
                    () -> {
                        if (!ended) {
                            ended = true;
                            sink.ended();
                        }
                    });
        }
    }
}
