package io.brain.server.etcd;

import io.grpc.HandlerRegistry;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import java.io.InputStream;
import java.util.Set;

/** Refuses calls of methods that are not there, with grpc-go's words. */
final class UnknownMethods extends HandlerRegistry {
    private static final MethodDescriptor.Marshaller<InputStream> NOTHING =
            new MethodDescriptor.Marshaller<>() {
                @Override
                public InputStream stream(InputStream value) {
                    return value;
                }

                @Override
                public InputStream parse(InputStream stream) {
                    return InputStream.nullInputStream();
                }
            };

    private final Set<String> services;

    /**
     * A registry of nothing.
     *
     * @param services names of the services that exist
     */
    UnknownMethods(Set<String> services) {
        this.services = Set.copyOf(services);
    }

    @Override
    public ServerMethodDefinition<?, ?> lookupMethod(String name, String authority) {
        Status status = Status.UNIMPLEMENTED.withDescription(description(name));
        MethodDescriptor<InputStream, InputStream> method =
                MethodDescriptor.newBuilder(NOTHING, NOTHING)
                        .setFullMethodName(name)
                        .setType(MethodType.UNKNOWN)
                        .build();
        return ServerMethodDefinition.create(
                method,
                (call, md) -> {
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
