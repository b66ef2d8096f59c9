package io.brain.server.gateway;

import io.brain.server.config.BrainConfig;
import io.brain.server.etcd.EtcdServices;
import io.brain.server.grpc.LocalServices;
import io.brain.server.http.Exchange;
import io.brain.server.http.Request;
import io.brain.server.http.Response;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** Makes calls of requests under /v3/. Thread-safe. */
public final class Gateway implements Exchange.Factory {
    private final LocalServices services;

    /** True while a client certificate names a user of gRPC calls. */
    private final BooleanSupplier certificatesName;

    /** Longest JSON text of a request. */
    private final int jsonBytesMax;

    private final Map<String, GatewayMethod> methods = new HashMap<>();

    private Gateway(
            LocalServices services,
            BooleanSupplier certificatesName,
            List<ServiceDescriptor> descriptors,
            int jsonBytesMax) {
        this.services = services;
        this.certificatesName = certificatesName;
        this.jsonBytesMax = jsonBytesMax;
        Map<String, GatewayMethod> byName = new HashMap<>();
        for (ServiceDescriptor service : descriptors) {
            for (MethodDescriptor<?, ?> method : service.getMethods()) {
                byName.put(method.getFullMethodName(), GatewayMethod.of(method));
            }
        }
        GatewayPaths.all()
                .forEach(
                        (path, name) -> {
                            if (byName.containsKey(name) && services.contains(name)) {
                                methods.put(path, byName.get(name));
                            }
                        });
    }

    /** The gateway to these services; null if it is not wanted. */
    public static Gateway of(EtcdServices services, BrainConfig config) {
        if (!config.urls().http().gateway()) {
            return null;
        }
        long textBytesMax = GatewayCall.TEXT_FACTOR * (long) config.limits().messageBytesMax();
        return new Gateway(
                services.local(),
                services::certificatesName,
                EtcdServices.descriptors(),
                (int) Math.min(Integer.MAX_VALUE / 4, textBytesMax));
    }

    /** As etcd does, so that no client takes its certificate for its user. */
    @Override
    public boolean refusesCertificate(Request request) {
        String name = request.commonName();
        return name != null && !name.isEmpty() && certificatesName.getAsBoolean();
    }

    @Override
    public Exchange begin(Request request, Response response) {
        GatewayMethod method = methods.get(request.target().path());
        GatewayCall call = new GatewayCall(method, jsonBytesMax, response);
        if (method == null) {
            call.refuse(Status.NOT_FOUND.withDescription("Not Found"), request);
        } else if (!request.method().equals("POST")) {
            call.refuse(Status.UNIMPLEMENTED.withDescription("Method Not Allowed"), request);
        } else {
            begin(call, request);
        }
        return call;
    }

    private void begin(GatewayCall call, Request request) {
        try {
            Metadata metadata = CallHeaders.metadata(request);
            long timeout = CallHeaders.timeoutNanos(request);
            call.start(services, metadata, timeout);
        } catch (IllegalArgumentException malformed) {
            call.refuse(Status.INVALID_ARGUMENT.withDescription(malformed.getMessage()), request);
        }
    }
}
