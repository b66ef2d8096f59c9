package io.brain.server.lock;

import com.google.protobuf.InvalidProtocolBufferException;
import io.brain.backend.Backend;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.WatchEvent;
import io.brain.backend.watch.WatchRequest;
import io.brain.backend.watch.WatchStream;
import io.brain.proto.election.LeaderRequest;
import io.brain.proto.election.LeaderResponse;
import io.brain.proto.etcd.ResponseHeader;
import io.brain.proto.mvcc.KeyValue;
import io.brain.server.grpc.IncomingCall;
import io.brain.storage.Bytes;
import io.grpc.ServerCall;
import java.util.List;
import java.util.function.LongFunction;

/**
 * Sends each leader of an election, and each value that it proclaims. Reads the oldest key, then
 * watches it until it is deleted, then reads again; without a key it watches the prefix. At most
 * one watcher is open; it stays unsynced while the transport takes nothing.
 */
final class ObserveCall extends IncomingCall<LeaderRequest, LeaderResponse> {
    private final Backend backend;
    private final LongFunction<ResponseHeader> headers;
    private RequestCalls calls;
    private Contenders contenders;

    // Guarded by this.
    private Watch current;
    private boolean ended;

    ObserveCall(
            ServerCall<Request<LeaderRequest>, LeaderResponse> call,
            Backend backend,
            LongFunction<ResponseHeader> headers) {
        super(call);
        this.backend = backend;
        this.headers = headers;
    }

    /** A response with an encoded KeyValue. */
    static LeaderResponse response(ResponseHeader header, Bytes kv) {
        try {
            return LeaderResponse.newBuilder()
                    .setHeader(header)
                    .setKv(KeyValue.parseFrom(kv.array()))
                    .build();
        } catch (InvalidProtocolBufferException corrupt) {
            throw new BackendException(ErrorKind.CORRUPT, corrupt);
        }
    }

    @Override
    protected void onRequest(Request<LeaderRequest> request) {
        calls = new RequestCalls(backend);
        contenders = Contenders.of(request.message().getName());
        read();
    }

    private void read() {
        await(calls.range(contenders.owner()).exceptionally(failure -> null), this::found);
    }

    private void found(OpResult.Range owner) {
        if (owner == null) {
            complete(); // after a failure, as in etcd
        } else if (owner.kvs().isEmpty()) {
            watch(new Watch(false), contenders.span(), owner.revision());
        } else {
            Bytes kv = owner.kvs().get(0);
            follow(kv, io.brain.backend.wire.KeyValue.decode(kv).key(), owner.revision());
        }
    }

    /** Sends a leader, then the changes of its key after {@code revision}. */
    private void follow(Bytes kv, Bytes key, long revision) {
        send(response(headers.apply(revision), kv));
        watch(new Watch(true), KeySpan.of(key), revision + 1);
    }

    private void watch(Watch watch, KeySpan span, long start) {
        synchronized (this) {
            if (ended) {
                return;
            }
            try {
                watch.stream = calls.watch(watch, span);
            } catch (BackendException refused) {
                complete(); // as after a failed read
                return;
            }
            current = watch;
        }
        watch.stream.create(new WatchRequest(0, span, start, false, false, false, false, false));
    }

    @Override
    protected void onProgress() {
        Watch watch = current();
        if (watch != null) {
            watch.stream.ready();
        }
    }

    @Override
    protected void onEnd() {
        Watch watch;
        synchronized (this) {
            ended = true;
            watch = current;
        }
        if (watch != null) {
            watch.stream.close();
        }
    }

    private synchronized Watch current() {
        return current;
    }

    /** One watcher. Calls arrive on the watch hub's thread. */
    private final class Watch extends EventSink {
        private final boolean follows;
        private WatchStream stream;
        private boolean closed;

        /**
         * Creates a watch.
         *
         * @param follows true: of the leader's key, until it is deleted; false: of the prefix,
         *     until a key is put
         */
        Watch(boolean follows) {
            this.follows = follows;
        }

        @Override
        public void events(
                long watchId,
                long revision,
                List<WatchEvent> events,
                boolean prevKv,
                boolean fragment) {
            for (WatchEvent event : events) {
                if (closed) {
                    return;
                } else if (follows && event.isDelete()) {
                    end();
                    read();
                } else if (follows) {
                    send(response(headers.apply(revision), event.kv()));
                } else if (!event.isDelete()) {
                    end();
                    follow(event.kv(), event.key(), event.revision());
                }
            }
        }

        private void end() {
            closed = true;
            stream.close();
        }

        /** Values below the compact revision are lost; the newest one is read. */
        @Override
        public void compacted(long watchId, long compactRevision) {
            end();
            read();
        }

        @Override
        public void failed(BackendException cause) {
            close(Errors.of(cause).getStatus());
        }

        @Override
        public void stalled() {
            disconnect();
        }

        @Override
        public boolean isReady() {
            return ObserveCall.this.isReady();
        }

        @Override
        public long takenBytes() {
            return connection().takenBytes();
        }
    }
}
