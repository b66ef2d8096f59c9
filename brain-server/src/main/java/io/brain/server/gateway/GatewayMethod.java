package io.brain.server.gateway;

import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.PrototypeMarshaller;

/**
 * A method that the gateway serves.
 *
 * @param name full name
 * @param oneRequest whether the client sends one request
 * @param oneResponse whether the server sends one response
 * @param request default message of the requests' type
 * @param response default message of the responses' type
 */
record GatewayMethod(
        String name, boolean oneRequest, boolean oneResponse, Message request, Message response) {
    static GatewayMethod of(MethodDescriptor<?, ?> method) {
        return new GatewayMethod(
                method.getFullMethodName(),
                method.getType().clientSendsOneMessage(),
                method.getType().serverSendsOneMessage(),
                prototype(method.getRequestMarshaller()),
                prototype(method.getResponseMarshaller()));
    }

    private static Message prototype(Marshaller<?> marshaller) {
        return (Message) ((PrototypeMarshaller<?>) marshaller).getMessagePrototype();
    }
}
