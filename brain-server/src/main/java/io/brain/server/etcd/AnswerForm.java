package io.brain.server.etcd;

import com.google.protobuf.Message;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.protobuf.ProtoUtils;
import java.util.function.ToIntFunction;

/**
 * How a method's answers are sent.
 *
 * @param length bytes of an answer
 */
record AnswerForm<A>(Marshaller<A> marshaller, ToIntFunction<A> length) {
    /** As messages. */
    static <A extends Message> AnswerForm<A> of(A prototype) {
        return new AnswerForm<>(ProtoUtils.marshaller(prototype), Message::getSerializedSize);
    }
}
