package io.brain.server.standby;

import com.google.protobuf.Message;
import io.brain.backend.cluster.election.Standby;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.server.grpc.IncomingCall.Request;
import io.brain.server.grpc.StatusMapper;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The calls of clients that the source answers, while this server leads. Thread-safe. */
final class Calls {
    private static final Status MOVED =
            Status.UNAVAILABLE.withDescription("brain: the cluster has moved; try again");

    private final Source source;
    private final SourceReads reads;
    private final BooleanSupplier checked;
    private final Supplier<Standby> standby;
    private final Passage passage = new Passage();
    private final Set<PassedStream<?>> streams = ConcurrentHashMap.newKeySet();

    /** Answers to calls that wait for other clients, by the call. */
    private final Map<Object, CompletableFuture<byte[]>> waiting = new ConcurrentHashMap<>();

    /**
     * Creates the calls.
     *
     * @param checked true while the source checks the callers of all calls
     * @param standby of the current term; null while this server does not lead
     */
    Calls(Source source, SourceReads reads, BooleanSupplier checked, Supplier<Standby> standby) {
        this.source = source;
        this.reads = reads;
        this.checked = checked;
        this.standby = standby;
    }

    Passage passage() {
        return passage;
    }

    /**
     * Passes a call to the source, in the client's gRPC context; completes with its response, when
     * this server has the revision in it if it answers reads, or with null after the cutover.
     *
     * @param headers of the client's call
     * @param waits true if it may wait for other clients: it is ended by the cutover
     */
    CompletableFuture<byte[]> pass(
            String method, Message request, Metadata headers, boolean waits) {
        Context client = Context.current();
        Metadata passed = Source.passed(headers, checked.getAsBoolean());
        return proof().thenCompose(sure -> passage.enter(request.getSerializedSize()))
                .thenCompose(
                        toSource -> {
                            if (!toSource) {
                                return CompletableFuture.completedFuture(null);
                            }
                            CompletableFuture<byte[]> answer =
                                    answer(client, method, request, passed);
                            if (waits) {
                                passage.leave();
                                return untilMoved(answer);
                            }
                            return answer.whenComplete((done, failure) -> passage.leave());
                        })
                .thenCompose(this::shown);
    }

    /** Completes when no other server had done the cutover, after which the source has old data. */
    private CompletableFuture<Void> proof() {
        if (passage.isOpen()) {
            return CompletableFuture.completedFuture(null);
        }
        Standby term = standby.get();
        return term == null
                ? CompletableFuture.failedFuture(new BackendException(ErrorKind.NO_LEADER))
                : term.proof();
    }

    private boolean isLost() {
        Standby term = standby.get();
        return !passage.isOpen() && (term == null || !term.isHeld());
    }

    private CompletableFuture<byte[]> answer(
            Context client, String method, Message request, Metadata headers) {
        if (client.isCancelled()) {
            return CompletableFuture.failedFuture(Status.CANCELLED.asRuntimeException());
        }
        Context before = client.attach();
        try {
            return source.call(method, request, headers);
        } catch (RuntimeException failed) {
            return CompletableFuture.failedFuture(failed);
        } finally {
            client.detach(before);
        }
    }

    private CompletableFuture<byte[]> untilMoved(CompletableFuture<byte[]> answer) {
        Object call = new Object();
        waiting.put(call, answer);
        if (passage.isOpen()) {
            answer.completeExceptionally(MOVED.asRuntimeException());
        }
        return answer.whenComplete((done, failure) -> waiting.remove(call));
    }

    private CompletableFuture<byte[]> shown(byte[] response) {
        return response == null || checked.getAsBoolean()
                ? CompletableFuture.completedFuture(response)
                : reads.await(Source.revision(response)).thenApply(done -> response);
    }

    /** Completes with null when this server has what the source had. */
    CompletableFuture<byte[]> confirm() {
        return proof().thenCompose(sure -> reads.newest())
                .handle((done, failure) -> failure)
                .thenCompose(
                        failure ->
                                failure == null || passage.isOpen()
                                        ? CompletableFuture.completedFuture(null)
                                        : CompletableFuture.failedFuture(failure));
    }

    /** Lets the source serve a stream. */
    <Q extends Message> ServerCall.Listener<Request<Q>> stream(
            ServerCall<Request<Q>, Object> call, Metadata headers, String method, MethodType type) {
        if (isLost()) {
            call.close(StatusMapper.of(new BackendException(ErrorKind.NO_LEADER)), new Metadata());
            return new ServerCall.Listener<>() {};
        }
        PassedStream<Q> stream =
                new PassedStream<>(call, source.start(method, type), streams::remove);
        streams.add(stream);
        stream.start(Source.passed(headers, checked.getAsBoolean()));
        if (passage.isOpen()) {
            stream.move();
        }
        return stream;
    }

    /** Lets calls be handled here, and ends those that wait at the source. */
    void open() {
        passage.open();
        streams.forEach(PassedStream::move);
        waiting.values().forEach(one -> one.completeExceptionally(MOVED.asRuntimeException()));
    }
}
