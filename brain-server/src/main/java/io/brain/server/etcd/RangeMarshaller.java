package io.brain.server.etcd;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor.Marshaller;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** Hands ranges' answers to the transport, which takes their bytes from where they are. */
final class RangeMarshaller implements Marshaller<RangeMessage> {
    @Override
    public InputStream stream(RangeMessage message) {
        return new MessageStream(message);
    }

    @Override
    public RangeMessage parse(InputStream stream) {
        throw new UnsupportedOperationException("a server gets no answers");
    }

    /** Netty's transport drains it; others read. */
    private static final class MessageStream extends InputStream implements Drainable, KnownLength {
        private final RangeMessage message;

        /** All bytes, once somebody reads; null before. */
        private ByteArrayInputStream whole;

        private boolean drained;

        MessageStream(RangeMessage message) {
            this.message = message;
        }

        @Override
        public int available() {
            if (drained) {
                return 0;
            }
            return whole == null ? message.length() : whole.available();
        }

        @Override
        public int drainTo(OutputStream target) throws IOException {
            int left = available();
            if (whole != null) {
                whole.transferTo(target);
            } else if (!drained) {
                message.writeTo(target);
            }
            drained = true;
            return left;
        }

        @Override
        public int read() throws IOException {
            return drained ? -1 : whole().read();
        }

        @Override
        public int read(byte[] target, int from, int length) throws IOException {
            return drained ? -1 : whole().read(target, from, length);
        }

        private ByteArrayInputStream whole() throws IOException {
            if (whole == null) {
                ByteArrayOutputStream out = new ByteArrayOutputStream(message.length());
                message.writeTo(out);
                whole = new ByteArrayInputStream(out.toByteArray());
            }
            return whole;
        }
    }
}
