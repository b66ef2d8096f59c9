package io.brain.transfer.mirror;

import io.grpc.ClientCall;
import io.grpc.Metadata;

/** A call that does nothing but keep its listener. */
class FakeCall<Q, R> extends ClientCall<Q, R> {
    Listener<R> listener;

    @Override
    public void start(Listener<R> answers, Metadata headers) {
        listener = answers;
    }

    @Override
    public void request(int count) {}

    @Override
    public void cancel(String message, Throwable cause) {}

    @Override
    public void halfClose() {}

    @Override
    public void sendMessage(Q message) {}
}
