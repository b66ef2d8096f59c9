package io.brain.server.grpc;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import com.google.protobuf.UnsafeByteOperations;
import io.brain.backend.model.ErrorKind;
import io.brain.server.grpc.IncomingCall.Request;
import io.brain.server.grpc.ServiceBuilder.Limits;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.Status;
import java.io.IOException;
import java.io.InputStream;

/**
 * Parses requests. A message that is too long or malformed becomes a refused {@link Request}, not
 * an exception: the call then ends with grpc-go's error text.
 */
final class RequestMarshaller<Q extends Message> implements Marshaller<Request<Q>> {
    private final Parser<Q> parser;
    private final Limits limits;
    private final String parseError;

    /**
     * Creates a parser.
     *
     * @param parseError start of the error text of a malformed message
     */
    @SuppressWarnings("unchecked") // A message's own parser makes such messages.
    RequestMarshaller(Q prototype, Limits limits, String parseError) {
        this.parser = (Parser<Q>) prototype.getParserForType();
        this.limits = limits;
        this.parseError = parseError;
    }

    @Override
    public Request<Q> parse(InputStream stream) {
        int bytesMax = limits.bytesMax();
        try {
            boolean compressed = !(stream instanceof KnownLength);
            int length = compressed ? bytesMax + 1 : stream.available();
            if (!compressed && length > bytesMax) {
                return tooLong(length, " larger than max (" + length + " vs. " + bytesMax + ")");
            }
            byte[] bytes = stream.readNBytes(length);
            return bytes.length > bytesMax
                    ? tooLong(bytes.length, " after decompression larger than max " + bytesMax)
                    : decode(bytes);
        } catch (IOException damaged) {
            return refused(0, Status.INTERNAL.withDescription(Gzip.refusal(damaged)));
        }
    }

    private Request<Q> tooLong(int bytes, String text) {
        String description = "grpc: received message" + text;
        return refused(bytes, Status.RESOURCE_EXHAUSTED.withDescription(description));
    }

    private Request<Q> decode(byte[] bytes) {
        try {
            // The message may keep parts of the array, which is not used elsewhere.
            CodedInputStream in = UnsafeByteOperations.unsafeWrap(bytes).newCodedInput();
            in.enableAliasing(true);
            in.setRecursionLimit(limits.nestingMax());
            Q message = parser.parseFrom(in);
            in.checkLastTagWas(0);
            return new Request<>(message, bytes.length, null);
        } catch (IOException damaged) {
            return refused(bytes.length, refusal(damaged));
        }
    }

    private Status refusal(IOException damaged) {
        String reason = String.valueOf(damaged.getMessage());
        if (reason.contains("too many levels of nesting")) {
            // Only transactions nest, and each level has an operation.
            return StatusMapper.of(ErrorKind.TOO_MANY_OPS);
        }
        String text =
                reason.contains("UTF-8")
                        ? "string field contains invalid UTF-8"
                        : "proto: cannot parse invalid wire-format data";
        return Status.INTERNAL.withDescription(parseError + text);
    }

    private Request<Q> refused(int bytes, Status status) {
        return new Request<>(null, bytes, status);
    }

    @Override
    public InputStream stream(Request<Q> value) {
        throw new UnsupportedOperationException("server sends no requests");
    }
}
