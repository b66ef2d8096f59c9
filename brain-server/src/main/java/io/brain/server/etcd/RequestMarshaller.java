package io.brain.server.etcd;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import com.google.protobuf.UnsafeByteOperations;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.Status;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/**
 * Reads requests. A message that is too long or damaged is an {@link Inbound#refused} one and not
 * an exception, so that the call ends with the words that grpc-go has for it.
 */
final class RequestMarshaller<Q extends Message> implements Marshaller<Inbound<Q>> {
    /**
     * Transactions nest at most as deep as they may have operations; each level is two messages.
     */
    private static final int NESTING_MAX = 300;

    private final Parser<Q> parser;
    private final int bytesMax;
    private final String parseError;

    /**
     * A reader of messages.
     *
     * @param bytesMax longest message that is read
     * @param parseError what grpc-go says before the reason
     */
    @SuppressWarnings("unchecked") // A message's own parser makes such messages.
    RequestMarshaller(Q prototype, int bytesMax, String parseError) {
        this.parser = (Parser<Q>) prototype.getParserForType();
        this.bytesMax = bytesMax;
        this.parseError = parseError;
    }

    @Override
    public Inbound<Q> parse(InputStream stream) {
        try {
            return stream instanceof KnownLength ? known(stream) : decompressed(stream);
        } catch (IOException lost) {
            throw new UncheckedIOException(lost);
        }
    }

    private Inbound<Q> known(InputStream stream) throws IOException {
        int length = stream.available();
        if (length > bytesMax) {
            return refused(
                    length,
                    Status.RESOURCE_EXHAUSTED.withDescription(
                            "grpc: received message larger than max ("
                                    + length
                                    + " vs. "
                                    + bytesMax
                                    + ")"));
        }
        return decode(stream.readNBytes(length));
    }

    private Inbound<Q> decompressed(InputStream stream) throws IOException {
        byte[] bytes = stream.readNBytes(bytesMax + 1);
        if (bytes.length > bytesMax) {
            return refused(
                    bytes.length,
                    Status.RESOURCE_EXHAUSTED.withDescription(
                            "grpc: received message after decompression larger than max "
                                    + bytesMax));
        }
        return decode(bytes);
    }

    private Inbound<Q> decode(byte[] bytes) {
        try {
            // The array is nobody else's, so the message may keep parts of it.
            CodedInputStream in = UnsafeByteOperations.unsafeWrap(bytes).newCodedInput();
            in.enableAliasing(true);
            in.setRecursionLimit(NESTING_MAX);
            Q message = parser.parseFrom(in);
            in.checkLastTagWas(0);
            return new Inbound<>(message, bytes.length, null);
        } catch (IOException damaged) {
            return refused(
                    bytes.length, Status.INTERNAL.withDescription(parseError + reason(damaged)));
        }
    }

    private static String reason(IOException damaged) {
        String reason = damaged.getMessage();
        return reason != null && reason.contains("UTF-8")
                ? "string field contains invalid UTF-8"
                : "proto: cannot parse invalid wire-format data";
    }

    private Inbound<Q> refused(int bytes, Status status) {
        return new Inbound<>(null, bytes, status);
    }

    @Override
    public InputStream stream(Inbound<Q> value) {
        throw new UnsupportedOperationException("a server sends no requests");
    }
}
