package io.brain.backend.cluster;

import io.brain.backend.cluster.link.LeaderCommand;
import io.brain.backend.cluster.link.LeaderId;
import io.brain.backend.cluster.link.LeaderLink;
import io.brain.backend.cluster.link.TailSink;
import io.brain.backend.cluster.link.TailSource;
import io.brain.backend.cluster.link.TailTarget;
import io.brain.backend.cluster.link.TailUpdate;
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
 * A connection from one server to another: calls and the stream of commits, as messages. It breaks
 * when one of them dies; then whoever lives is told, sooner or later.
 */
final class SimulatedLink implements LeaderLink {
    /** Updates under way and not taken: what a transport's buffers hold. */
    private static final int WINDOW = 2;

    private final SimulatedServer near;
    private final SimulatedServer far;
    private final LeaderId meant;
    private final SimulatedNetwork.Pipe there;
    private final SimulatedNetwork.Pipe back;
    private final List<CompletableFuture<?>> open = new ArrayList<>();
    private final List<CompletableFuture<?>> served = new ArrayList<>();
    private boolean reachable;
    private boolean ended;
    private Feed feed;
    private TailSink sink;

    SimulatedLink(
            SimulatedNetwork network, SimulatedServer near, SimulatedServer far, LeaderId meant) {
        this.meant = meant;
        this.near = near;
        this.far = far;
        there = network.pipe(near.place(), far.place(), far.transport());
        back = network.pipe(far.place(), near.place(), near.transport());
        reachable = far.isAlive();
    }

    boolean joins(SimulatedServer server) {
        return near == server || far == server;
    }

    /** The other end hears nothing any more, and says nothing; this end is told here. */
    void broken() {
        reachable = false;
        there.close();
        List.copyOf(served).forEach(call -> call.cancel(false));
        served.clear();
        if (feed != null && feed.source != null) {
            feed.source.close();
        }
        if (near.isAlive() && !ended) {
            near.transport().execute(this::tellNearEnd);
        }
    }

    private void tellNearEnd() {
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
    public void tail(long from, TailSink to) {
        sink = to;
        if (!reachable) {
            near.transport().execute(this::tellNearEnd);
            return;
        }
        feed = new Feed();
        there.send(() -> feed.source = far.node().leaderSide().tail(meant, from, feed));
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
        CompletableFuture<T> made;
        try {
            made = far.node().leaderSide().leader(meant).submit(command);
        } catch (BackendException refused) {
            made = CompletableFuture.failedFuture(refused);
        }
        served(made, answer);
    }

    private <T> void served(CompletableFuture<T> made, CompletableFuture<T> answer) {
        served.add(made);
        Futures.onEnd(
                answer,
                (value, failure) -> {
                    if (answer.isCancelled()) {
                        there.send(() -> made.cancel(false));
                    }
                });
        Futures.onEnd(
                made,
                (value, failure) -> {
                    served.removeIf(one -> one == made);
                    // As over the wire: the bytes are the sender's only until they are sent.
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

    /** The far end of the stream of commits. */
    private final class Feed implements TailTarget {
        private TailSource source;
        private int under;
        private boolean over;

        @Override
        public boolean isReady() {
            return under < WINDOW && reachable;
        }

        @Override
        public void send(TailUpdate update) {
            if (over || under >= WINDOW) {
                throw new AssertionError("sent to a stream that takes nothing");
            }
            under++;
            back.send(() -> sink.update(update, () -> there.send(this::taken)));
        }

        private void taken() {
            under--;
            source.ready();
        }

        @Override
        public void end() {
            if (over) {
                throw new AssertionError("ended twice");
            }
            over = true;
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
