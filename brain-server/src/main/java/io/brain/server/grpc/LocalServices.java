package io.brain.server.grpc;

import com.google.protobuf.Message;
import io.grpc.Attributes;
import io.grpc.Metadata;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServerStreamTracer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The services of a server for calls from this process: the same handlers, interceptors and tracers
 * as for calls over the network. Thread-safe.
 */
public final class LocalServices {
    private final Map<String, ServerMethodDefinition<?, ?>> methods = new HashMap<>();
    private final List<ServerStreamTracer.Factory> tracers;

    /**
     * Creates the services.
     *
     * @param interceptors the last one sees a call first, as in gRPC servers
     * @param tracers the first one sees a call first
     */
    public LocalServices(
            List<ServerServiceDefinition> services,
            List<ServerInterceptor> interceptors,
            List<ServerStreamTracer.Factory> tracers) {
        for (ServerServiceDefinition service : services) {
            for (ServerMethodDefinition<?, ?> method :
                    ServerInterceptors.intercept(service, interceptors).getMethods()) {
                methods.put(method.getMethodDescriptor().getFullMethodName(), method);
            }
        }
        this.tracers = List.copyOf(tracers);
    }

    /** True if a method exists, by its full name. */
    public boolean contains(String method) {
        return methods.containsKey(method);
    }

    /**
     * Starts a call; on the thread of the client's connection.
     *
     * @param method full name of a method that exists
     * @param attributes with {@link Connection#KEY}
     * @param responseType the default message of the responses' type
     */
    public LocalCall<?, ?> start(
            String method,
            Metadata headers,
            Attributes attributes,
            Message responseType,
            LocalCall.Client client) {
        return start(methods.get(method), headers, attributes, responseType, client);
    }

    private <Q, R> LocalCall<Q, R> start(
            ServerMethodDefinition<Q, R> method,
            Metadata headers,
            Attributes attributes,
            Message responseType,
            LocalCall.Client client) {
        String name = method.getMethodDescriptor().getFullMethodName();
        List<ServerStreamTracer> observers =
                tracers.stream().map(one -> one.newServerStreamTracer(name, headers)).toList();
        LocalCall<Q, R> call =
                new LocalCall<>(
                        method.getMethodDescriptor(), attributes, observers, responseType, client);
        call.start(method.getServerCallHandler(), headers);
        return call;
    }
}
