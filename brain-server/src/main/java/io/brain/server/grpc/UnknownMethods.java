package io.brain.server.grpc;

import com.google.protobuf.Empty;
import io.grpc.HandlerRegistry;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.protobuf.ProtoUtils;
import java.util.Set;

/** Fails calls of unknown methods with grpc-go's error texts. */
public final class UnknownMethods extends HandlerRegistry {
    /** No message is read or sent. */
    private static final Marshaller<Empty> UNUSED =
            ProtoUtils.marshaller(Empty.getDefaultInstance());

    private final Set<String> services;

    /**
     * Creates an empty registry.
     *
     * @param services names of the known services
     */
    public UnknownMethods(Set<String> services) {
        this.services = Set.copyOf(services);
    }

    @Override
    public ServerMethodDefinition<?, ?> lookupMethod(String name, String authority) {
        Status status = Status.UNIMPLEMENTED.withDescription(description(name));
        MethodDescriptor<Empty, Empty> method =
                MethodDescriptor.newBuilder(UNUSED, UNUSED)
                        .setFullMethodName(name)
                        .setType(MethodType.UNKNOWN)
                        .build();
        return ServerMethodDefinition.create(
                method,
                (call, headers) -> {
                    call.close(status, new Metadata());
                    return new ServerCall.Listener<>() {};
                });
    }

    private String description(String name) {
        int split = name.lastIndexOf('/');
        if (split < 0) {
            return "malformed method name: \"/" + name + '"';
        }
        String service = name.substring(0, split);
        return services.contains(service)
                ? "unknown method " + name.substring(split + 1) + " for service " + service
                : "unknown service " + service;
    }
}
