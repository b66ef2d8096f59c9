package io.brain.conformance.cluster.jetcd;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** How the calls of a client ended, also those that it made again. Thread-safe. */
final class SeenStatuses implements ClientInterceptor {
    private final List<String> statuses = new CopyOnWriteArrayList<>();

    /** Each as "Method CODE". */
    List<String> statuses() {
        return List.copyOf(statuses);
    }

    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(
            MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
        return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
            @Override
            public void start(Listener<A> listener, Metadata headers) {
                super.start(
                        new SimpleForwardingClientCallListener<>(listener) {
                            @Override
                            public void onClose(Status status, Metadata trailers) {
                                statuses.add(method.getBareMethodName() + " " + status.getCode());
                                super.onClose(status, trailers);
                            }
                        },
                        headers);
            }
        };
    }
}
