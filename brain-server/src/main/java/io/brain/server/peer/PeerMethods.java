package io.brain.server.peer;

import com.google.protobuf.Message;
import io.brain.backend.cluster.link.LeaderId;
import io.brain.backend.model.ErrorKind;
import io.brain.proto.peer.CommandRequest;
import io.brain.proto.peer.CommandResponse;
import io.brain.proto.peer.Empty;
import io.brain.proto.peer.EventStreamRequest;
import io.brain.proto.peer.EventStreamUpdate;
import io.brain.proto.peer.PeerGrpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.protobuf.ProtoUtils;

/** Methods and headers of the peer service. */
final class PeerMethods {
    /** Maximum depth of nested messages: above that of clients' transactions. */
    static final int NESTING_MAX = 320;

    /** Trailer of failed calls. */
    static final Metadata.Key<ErrorKind> ERROR_KIND =
            Metadata.Key.of("brain-error-kind", new ErrorKindMarshaller());

    /** Member id of the caller, in hexadecimal; only a hint, as it is not authenticated. */
    static final Metadata.Key<String> MEMBER =
            Metadata.Key.of("brain-member", Metadata.ASCII_STRING_MARSHALLER);

    /** The leader that a call is for; also in the response, which otherwise is not the leader's. */
    static final Metadata.Key<LeaderId> LEADER =
            Metadata.Key.of("brain-leader", new LeaderIdMarshaller());

    static final MethodDescriptor<CommandRequest, CommandResponse> SUBMIT =
            nested(PeerGrpc.getSubmitMethod());
    static final MethodDescriptor<Empty, Empty> PING = nested(PeerGrpc.getPingMethod());
    static final MethodDescriptor<EventStreamRequest, EventStreamUpdate> EVENT_STREAM =
            nested(PeerGrpc.getTailMethod());

    private PeerMethods() {}

    /** The name; kinds of newer versions are read as INTERNAL. */
    private static final class ErrorKindMarshaller implements Metadata.AsciiMarshaller<ErrorKind> {
        @Override
        public String toAsciiString(ErrorKind kind) {
            return kind.name();
        }

        @Override
        public ErrorKind parseAsciiString(String name) {
            for (ErrorKind kind : ErrorKind.values()) {
                if (kind.name().equals(name)) {
                    return kind;
                }
            }
            return ErrorKind.INTERNAL;
        }
    }

    /** Three hexadecimal numbers, joined by hyphens. */
    private static final class LeaderIdMarshaller implements Metadata.AsciiMarshaller<LeaderId> {
        private static final int HEX = 16;
        private static final LeaderId UNKNOWN = new LeaderId(0, 0, 0);

        @Override
        public String toAsciiString(LeaderId id) {
            return id.toString();
        }

        @Override
        public LeaderId parseAsciiString(String text) {
            String[] parts = text.split("-", -1);
            try {
                return parts.length == 3
                        ? new LeaderId(number(parts[0]), number(parts[1]), number(parts[2]))
                        : UNKNOWN;
            } catch (NumberFormatException malformed) {
                return UNKNOWN;
            }
        }

        private static long number(String text) {
            return Long.parseUnsignedLong(text, HEX);
        }
    }

    /** The method, with the limit of nested messages. */
    private static <Q extends Message, R extends Message> MethodDescriptor<Q, R> nested(
            MethodDescriptor<Q, R> method) {
        return method.toBuilder()
                .setRequestMarshaller(nested(method.getRequestMarshaller()))
                .setResponseMarshaller(nested(method.getResponseMarshaller()))
                .build();
    }

    private static <M extends Message> Marshaller<M> nested(Marshaller<M> marshaller) {
        M prototype = ((PrototypeMarshaller<M>) marshaller).getMessagePrototype();
        return ProtoUtils.marshallerWithRecursionLimit(prototype, NESTING_MAX);
    }
}
