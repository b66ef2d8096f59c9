package io.brain.server.etcd;

import com.google.protobuf.Message;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.Status;
import io.grpc.protobuf.ProtoUtils;
import java.io.InputStream;

/**
 * Writes answers. A null answer resets the stream: a call has no other means to drop what is queued
 * for a client that does not read.
 */
final class ResponseMarshaller<A extends Message> implements Marshaller<A> {
    private final Marshaller<A> protobuf;

    ResponseMarshaller(A prototype) {
        this.protobuf = ProtoUtils.marshaller(prototype);
    }

    @Override
    public InputStream stream(A message) {
        if (message == null) {
            throw Status.CANCELLED
                    .withDescription("the client does not read its answer")
                    .asRuntimeException();
        }
        return protobuf.stream(message);
    }

    @Override
    public A parse(InputStream stream) {
        throw new UnsupportedOperationException("a server reads no answers");
    }
}
