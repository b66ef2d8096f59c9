package io.brain.server.peer;

import com.google.protobuf.Message;
import io.brain.backend.cluster.link.LeaderId;
import io.brain.proto.peer.CommandAnswer;
import io.brain.proto.peer.CommandCall;
import io.brain.proto.peer.Nothing;
import io.brain.proto.peer.PeerGrpc;
import io.brain.proto.peer.TailCall;
import io.brain.proto.peer.TailUpdate;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.protobuf.ProtoUtils;

/** The peer service's methods. Their messages may nest as deep as transactions do. */
final class PeerMethods {
    /** A transaction's level is two messages, and clients' requests nest up to 300. */
    private static final int NESTING_MAX = 320;

    /** What went wrong: the name of an {@link io.brain.backend.model.ErrorKind}. */
    static final Metadata.Key<String> ERROR_KIND =
            Metadata.Key.of("brain-error-kind", Metadata.ASCII_STRING_MARSHALLER);

    /** Who calls: a member id, in hexadecimal. It is counted by, and trusted for nothing else. */
    static final Metadata.Key<String> MEMBER =
            Metadata.Key.of("brain-member", Metadata.ASCII_STRING_MARSHALLER);

    /**
     * In a call: the leader that it is meant for. In an answer: the same, if the server is that
     * leader; an answer without it is of another server.
     */
    static final Metadata.Key<LeaderId> LEADER =
            Metadata.Key.of("brain-leader", new LeaderIdMarshaller());

    static final MethodDescriptor<CommandCall, CommandAnswer> SUBMIT =
            deep(PeerGrpc.getSubmitMethod());
    static final MethodDescriptor<Nothing, Nothing> PING = deep(PeerGrpc.getPingMethod());
    static final MethodDescriptor<TailCall, TailUpdate> TAIL = deep(PeerGrpc.getTailMethod());

    private PeerMethods() {}

    /** Three numbers in hexadecimal, with hyphens between them. */
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

    private static <Q extends Message, A extends Message> MethodDescriptor<Q, A> deep(
            MethodDescriptor<Q, A> method) {
        return method.toBuilder()
                .setRequestMarshaller(deep(method.getRequestMarshaller()))
                .setResponseMarshaller(deep(method.getResponseMarshaller()))
                .build();
    }

    private static <M extends Message> Marshaller<M> deep(Marshaller<M> marshaller) {
        M prototype = ((PrototypeMarshaller<M>) marshaller).getMessagePrototype();
        return ProtoUtils.marshallerWithRecursionLimit(prototype, NESTING_MAX);
    }
}
