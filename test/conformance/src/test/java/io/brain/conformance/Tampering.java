package io.brain.conformance;

import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/** A channel that changes requests or answers on their way, as a server with a fault would. */
final class Tampering implements ClientInterceptor {

    private final UnaryOperator<Message> requests;
    private final BiFunction<Message, Message, Message> answers;
    private final UnaryOperator<Status> statuses;

    private Tampering(
            UnaryOperator<Message> requests,
            BiFunction<Message, Message, Message> answers,
            UnaryOperator<Status> statuses) {
        this.requests = requests;
        this.answers = answers;
        this.statuses = statuses;
    }

    /**
     * @param change from the stream's latest request and an answer to what the client sees; null
     *     swallows the answer
     */
    static UnaryOperator<Channel> withAnswers(BiFunction<Message, Message, Message> change) {
        return via(new Tampering(UnaryOperator.identity(), change, UnaryOperator.identity()));
    }

    /**
     * @param change from what the client asks to what the server is asked
     */
    static UnaryOperator<Channel> withRequests(UnaryOperator<Message> change) {
        return via(new Tampering(change, (q, a) -> a, UnaryOperator.identity()));
    }

    static UnaryOperator<Channel> withStatuses(UnaryOperator<Status> change) {
        return via(new Tampering(UnaryOperator.identity(), (q, a) -> a, change));
    }

    private static UnaryOperator<Channel> via(Tampering fault) {
        return channel -> ClientInterceptors.intercept(channel, fault);
    }

    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(
            MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
        AtomicReference<Message> request = new AtomicReference<>();
        return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
            @Override
            public void start(Listener<A> listener, Metadata headers) {
                super.start(
                        new SimpleForwardingClientCallListener<>(listener) {
                            @Override
                            @SuppressWarnings("unchecked") // the change keeps the type
                            public void onMessage(A answer) {
                                Object changed =
                                        answer instanceof Message message
                                                ? answers.apply(request.get(), message)
                                                : answer;
                                if (changed == null) {
                                    request(1);
                                } else {
                                    super.onMessage((A) changed);
                                }
                            }

                            @Override
                            public void onClose(Status status, Metadata trailers) {
                                super.onClose(statuses.apply(status), trailers);
                            }
                        },
                        headers);
            }

            @Override
            @SuppressWarnings("unchecked") // the change keeps the type
            public void sendMessage(Q message) {
                if (message instanceof Message known) {
                    request.set(known);
                    super.sendMessage((Q) requests.apply(known));
                } else {
                    super.sendMessage(message);
                }
            }
        };
    }
}
