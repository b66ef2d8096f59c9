package io.brain.transfer.verify;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.brain.backend.model.KeySpan;
import io.brain.proto.etcd.HashKVRequest;
import io.brain.proto.etcd.HashKVResponse;
import io.brain.proto.etcd.KVGrpc;
import io.brain.proto.etcd.MaintenanceGrpc;
import io.brain.proto.etcd.RangeRequest;
import io.brain.proto.etcd.RangeResponse;
import io.brain.proto.mvcc.KeyValue;
import io.brain.storage.Bytes;
import io.grpc.Channel;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A running server of Brain or etcd. Reads pages of keys, at a limited rate. */
public final class EndpointSide implements Side {
    /** Of a call that a server answers from memory or a page of keys. */
    public static final Duration CALL_LIMIT = Duration.ofSeconds(60);

    /** Of one page; etcd and its clients take at least 2 MiB. */
    private static final int PAGE_BYTES = 1 << 20;

    private static final int FIRST_PAGE_KEYS = 16;
    private static final int PAGE_KEYS_MAX = 4096;

    /** A server reads its whole history for a hash: four billion versions in this time. */
    private static final Duration HASH_LIMIT = Duration.ofDays(1);

    private static final Bytes ZERO = Bytes.wrap(new byte[1]);

    private final String name;
    private final KVGrpc.KVBlockingStub kv;
    private final MaintenanceGrpc.MaintenanceBlockingStub maintenance;
    private final long bytesPerSecond;

    /**
     * A side; the caller closes the channel.
     *
     * @param name for messages
     * @param bytesPerSecond most bytes to read in a second; 0: no limit
     */
    public EndpointSide(String name, Channel channel, long bytesPerSecond) {
        this.name = name;
        this.kv = KVGrpc.newBlockingStub(channel);
        this.maintenance = MaintenanceGrpc.newBlockingStub(channel);
        this.bytesPerSecond = bytesPerSecond;
    }

    @Override
    public long newestRevision() throws IOException {
        RangeRequest any =
                RangeRequest.newBuilder().setKey(ByteString.copyFrom(new byte[1])).build();
        return call(name, () -> range(any)).getHeader().getRevision();
    }

    private RangeResponse range(RangeRequest request) {
        return kv.withDeadlineAfter(CALL_LIMIT).range(request);
    }

    @Override
    public History history(long revision) throws IOException {
        HashKVRequest request = HashKVRequest.newBuilder().setRevision(revision).build();
        HashKVResponse hash =
                call(name, () -> maintenance.withDeadlineAfter(HASH_LIMIT).hashKV(request));
        return new History(hash.getHash(), hash.getCompactRevision());
    }

    @Override
    public Entries entries(KeySpan span, long revision) {
        return new Pages(span, revision);
    }

    @Override
    public void close() {
        // The caller closes the channel.
    }

    /**
     * The result of a call.
     *
     * @param name of the server
     * @throws IOException with a message of one line, if the call fails
     */
    public static <T> T call(String name, Supplier<T> call) throws IOException {
        try {
            return call.get();
        } catch (StatusRuntimeException failed) {
            throw failure(name, failed);
        }
    }

    /**
     * A message of one line.
     *
     * @param name of the server
     */
    public static IOException failure(String name, StatusRuntimeException failed) {
        String description = failed.getStatus().getDescription();
        Throwable cause = failed.getCause();
        String text = cause == null ? description : cause.getMessage();
        String line = text == null ? failed.getStatus().getCode().toString() : text;
        return new IOException(name + ": " + line + hint(name, line), failed);
    }

    /** What to do about a connection that TLS refuses; empty if unknown. */
    private static String hint(String name, String text) {
        if (text.contains("unable to find valid certification path")) {
            return "; the server's CA is not in the CA bundle (--cacert)";
        }
        if (text.contains("bad_certificate") || text.contains("certificate_required")) {
            return "; the server requires a client certificate that it trusts (--cert, --key)";
        }
        return text.contains("Network closed for unknown reason") && name.startsWith("http:")
                ? "; if the server uses TLS, its URL begins with https://"
                : "";
    }

    private final class Pages implements Entries {
        private final KeySpan span;
        private final long revision;
        private final long began = System.nanoTime();
        private Iterator<KeyValue> page = List.<KeyValue>of().iterator();

        /** The first key of the next page; null: there is none. */
        private Bytes start;

        private int limit = FIRST_PAGE_KEYS;
        private long bytes;

        Pages(KeySpan span, long revision) {
            this.span = span;
            this.revision = revision;
            this.start = span.key();
        }

        @Override
        public Entry next() throws IOException {
            while (!page.hasNext()) {
                if (start == null) {
                    return null;
                }
                load();
            }
            KeyValue next = page.next();
            byte[] key = next.getKey().toByteArray();
            return new Entry(Bytes.wrap(key), Bytes.wrap(next.toByteArray()));
        }

        private void load() throws IOException {
            pause();
            RangeResponse response = page();
            int count = response.getKvsCount();
            page = response.getKvsList().iterator();
            long length = response.getSerializedSize();
            bytes += length;
            limit = nextLimit(count, length);
            boolean more = response.getMore() && count > 0;
            start = more ? after(response.getKvs(count - 1).getKey()) : null;
        }

        /** Halves the limit as long as the page is too large for the server or this client. */
        private RangeResponse page() throws IOException {
            while (true) {
                RangeRequest request =
                        RangeRequest.newBuilder()
                                .setKey(bytes(start.isEmpty() ? ZERO : start))
                                .setRangeEnd(bytes(span.end() == null ? ZERO : span.end()))
                                .setRevision(revision)
                                .setLimit(limit)
                                .build();
                try {
                    return range(request);
                } catch (StatusRuntimeException failed) {
                    if (limit == 1 || failed.getStatus().getCode() != Code.RESOURCE_EXHAUSTED) {
                        throw failure(name, failed);
                    }
                    limit /= 2;
                }
            }
        }

        /**
         * So that a page of such keys has about {@link #PAGE_BYTES}; at most twice as many keys as
         * the last one, because the next ones may be larger.
         */
        private int nextLimit(int count, long length) {
            long fitting = PAGE_BYTES * (long) count / Math.max(1, length);
            return (int) Math.max(1, Math.min(Math.min(PAGE_KEYS_MAX, 2L * limit), fitting));
        }

        /** Waits until the bytes so far are within the rate. */
        private void pause() throws IOException {
            if (bytesPerSecond > 0) {
                double due = TimeUnit.SECONDS.toNanos(1) * ((double) bytes / bytesPerSecond);
                try {
                    TimeUnit.NANOSECONDS.sleep((long) due - (System.nanoTime() - began));
                } catch (InterruptedException stop) {
                    Thread.currentThread().interrupt();
                    throw new InterruptedIOException("interrupted");
                }
            }
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }

    private static Bytes after(ByteString key) {
        return Bytes.wrap(key.toByteArray()).successor();
    }

    private static ByteString bytes(Bytes bytes) {
        return UnsafeByteOperations.unsafeWrap(bytes.array());
    }
}
