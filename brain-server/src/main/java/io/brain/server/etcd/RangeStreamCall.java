package io.brain.server.etcd;

import io.brain.backend.model.KeySpan;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.model.Reply;
import io.brain.backend.model.Reservation;
import io.brain.backend.runtime.Scheduler;
import io.brain.backend.wire.KeyValue;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.stored.RangeResponse;
import io.brain.proto.stored.RangeStreamResponse;
import io.brain.storage.Bytes;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * One RangeStream call: reads a chunk, sends it, and reads the next when the transport took it.
 * Chunks start at 10 keys and then double or halve towards a length in bytes, as etcd's do.
 */
final class RangeStreamCall extends ServerCall.Listener<Inbound<RangeRequest>> {
    private static final long FIRST_CHUNK_KEYS = 10;

    private final ServerCall<Inbound<RangeRequest>, RangeStreamResponse> call;
    private final RangeStreamHandler service;

    // All below is guarded by this: chunks arrive on other threads than the transport's events.
    private boolean asked;
    private RangeQuery query;
    private long limit;
    private long chunkKeys;
    private long sentKeys;
    private long headerRevision;
    private boolean headersSent;
    private boolean ended;
    private boolean reading;
    private boolean last;
    private CompletableFuture<Reply<OpResult.Range>> pending;
    private Reservation held = Reservation.NONE;
    private Scheduler.Timer stall = () -> {};

    RangeStreamCall(
            ServerCall<Inbound<RangeRequest>, RangeStreamResponse> call,
            RangeStreamHandler service) {
        this.call = call;
        this.service = service;
    }

    @Override
    public synchronized void onMessage(Inbound<RangeRequest> request) {
        asked = true;
        if (request.refused() != null) {
            close(request.refused());
            return;
        }
        try {
            query = service.query(request.message());
        } catch (RuntimeException refused) {
            close(StatusMapper.of(refused));
            return;
        }
        limit = query.limit() == 0 ? Long.MAX_VALUE : query.limit();
        chunkKeys = Math.min(FIRST_CHUNK_KEYS, limit);
        read();
    }

    @Override
    public synchronized void onHalfClose() {
        if (!asked) {
            close(Errors.NO_REQUEST);
        }
    }

    private void read() {
        reading = true;
        pending = service.backend().range(query.with(query.span(), query.revision(), chunkKeys));
        CompletionStage<Reply<OpResult.Range>> begun = pending;
        begun.whenComplete(
                (reply, failure) -> {
                    if (failure != null) {
                        close(StatusMapper.of(failure));
                    } else {
                        send(reply);
                    }
                });
    }

    private synchronized void send(Reply<OpResult.Range> reply) {
        if (ended) {
            reply.held().close();
            return;
        }
        held = reply.held();
        OpResult.Range chunk = reply.answer();
        if (headerRevision == 0) {
            headerRevision = chunk.revision();
        }
        last = !chunk.more() || sentKeys + chunk.kvs().size() == limit;
        RangeResponse.Builder response = Answers.chunk(chunk.kvs());
        if (last) {
            response.setHeader(service.headers().at(headerRevision))
                    .setMore(chunk.more())
                    .setCount(sentKeys + chunk.count());
        }
        if (!headersSent) {
            headersSent = true;
            call.sendHeaders(new Metadata());
        }
        RangeStreamResponse message =
                RangeStreamResponse.newBuilder().setRangeResponse(response).build();
        // The transport copies the chunk: nobody here may keep another until it is read.
        pending = null;
        int bytes = message.getSerializedSize();
        stall = service.stalls().watch(Connection.of(call), bytes, held);
        call.sendMessage(message);
        sentKeys += chunk.kvs().size();
        if (!last) {
            advance(chunk, bytes);
        }
        reading = false;
        goOn();
    }

    private void advance(OpResult.Range chunk, int bytes) {
        Bytes lastKey = KeyValue.decode(chunk.kvs().get(chunk.kvs().size() - 1)).key();
        KeySpan rest = new KeySpan(lastKey.successor(), query.span().end(), false);
        long pinned = query.revision() > 0 ? query.revision() : headerRevision;
        query = query.with(rest, pinned, query.limit());
        if (bytes < service.chunkBytes() / 2) {
            chunkKeys *= 2;
        } else if (bytes > service.chunkBytes() * 2) {
            chunkKeys = Math.max(1, chunkKeys / 2);
        }
        chunkKeys = Math.min(chunkKeys, limit - sentKeys);
    }

    private void goOn() {
        if (ended || reading || !call.isReady()) {
            return;
        }
        stall.cancel();
        held.close();
        held = Reservation.NONE;
        if (last) {
            close(Status.OK);
        } else {
            read();
        }
    }

    @Override
    public synchronized void onReady() {
        if (query != null) {
            goOn();
        }
    }

    private synchronized void close(Status status) {
        if (!ended) {
            ended = true;
            call.close(status, new Metadata());
        }
    }

    @Override
    public void onCancel() {
        end();
    }

    @Override
    public void onComplete() {
        end();
    }

    private synchronized void end() {
        ended = true;
        if (pending != null) {
            pending.cancel(false);
        }
        stall.cancel();
        held.close();
    }
}
