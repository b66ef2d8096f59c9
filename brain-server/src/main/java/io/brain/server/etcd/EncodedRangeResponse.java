package io.brain.server.etcd;

import io.brain.backend.wire.PackedKvs;
import io.brain.proto.stored.RangeResponse;
import io.brain.server.grpc.ServiceBuilder.Encoding;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/**
 * A RangeResponse in wire format: the fields before the KeyValues, the KeyValues as packed by the
 * backend, the fields after them.
 *
 * @param kvs null if {@code head} is the whole response
 * @param length number of bytes
 */
record EncodedRangeResponse(RangeResponse head, PackedKvs kvs, RangeResponse tail, int length) {
    static final Encoding<EncodedRangeResponse> ENCODING =
            new Encoding<>(new Marshaller(), EncodedRangeResponse::length);

    /** A response without packed KeyValues. */
    static EncodedRangeResponse of(RangeResponse message) {
        RangeResponse none = RangeResponse.getDefaultInstance();
        return new EncodedRangeResponse(message, null, none, message.getSerializedSize());
    }

    /** A response whose KeyValues are packed; {@code head} and {@code tail} have none. */
    static EncodedRangeResponse of(RangeResponse head, PackedKvs kvs, RangeResponse tail) {
        long length = kvs.bytes() + head.getSerializedSize() + tail.getSerializedSize();
        return new EncodedRangeResponse(head, kvs, tail, Math.toIntExact(length));
    }

    private void writeTo(OutputStream out) throws IOException {
        head.writeTo(out);
        if (kvs == null) {
            return;
        }
        try {
            kvs.forEachPart((array, from, count) -> write(out, array, from, count));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        tail.writeTo(out);
    }

    private static void write(OutputStream out, byte[] array, int from, int length) {
        try {
            out.write(array, from, length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Passes responses to the transport without an intermediate copy. */
    private static final class Marshaller
            implements MethodDescriptor.Marshaller<EncodedRangeResponse> {
        @Override
        public InputStream stream(EncodedRangeResponse response) {
            return new ResponseStream(response);
        }

        @Override
        public EncodedRangeResponse parse(InputStream stream) {
            throw new UnsupportedOperationException("server receives no responses");
        }
    }

    /** A response that gRPC drains and never reads. */
    @SuppressWarnings("InputStreamSlowMultibyteRead")
    private static final class ResponseStream extends InputStream
            implements Drainable, KnownLength {
        private final EncodedRangeResponse response;
        private boolean drained;

        ResponseStream(EncodedRangeResponse response) {
            this.response = response;
        }

        @Override
        public int available() {
            return drained ? 0 : response.length();
        }

        @Override
        public int drainTo(OutputStream target) throws IOException {
            int count = available();
            if (!drained) {
                drained = true;
                response.writeTo(target);
            }
            return count;
        }

        @Override
        public int read() {
            throw new UnsupportedOperationException("response must be drained");
        }

        @Override
        public int read(byte[] target, int offset, int length) {
            return read();
        }
    }
}
