package io.brain.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.Reply;
import io.brain.server.grpc.IncomingCall.Request;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class IncomingCallTest {
    private final List<String> events = new ArrayList<>();
    private final CompletableFuture<Reply<String>> result = new CompletableFuture<>();
    private final AtomicBoolean released = new AtomicBoolean();
    private boolean ready = true;

    @Test
    void headersAreSentOnceAndResponsesAfterTheCloseAreIgnored() {
        Stream stream = new Stream();
        stream.send("a");
        stream.send("b");
        stream.close(Status.OK);
        stream.close(Status.INTERNAL);
        stream.send("c");
        assertThat(events).containsExactly("request 1", "headers", "a", "b", "OK");
    }

    @Test
    void theNextRequestIsExpectedOnceWhenTheTransportIsReady() {
        Stream stream = new Stream();
        stream.requestNext();
        ready = false;
        stream.onMessage(request("a"));
        stream.requestNext();
        ready = true;
        stream.requestNext();
        stream.requestNext();
        assertThat(events).containsExactly("request 1", "received a", "request 1");
    }

    @Test
    void aUnaryCallClosesWhenTheResponseIsTakenAndTheClientHasHalfClosed() {
        UnaryCall<String, ?, String> call = unary();
        call.onMessage(request("a"));
        call.onMessage(request("ignored"));
        ready = false;
        result.complete(reply());
        call.onHalfClose();
        assertThat(events).containsExactly("request 2", "request 1", "headers", "response");
        ready = true;
        call.onReady();
        assertThat(events).endsWith("response", "OK");
        assertThat(released).isFalse();
        call.onComplete();
        assertThat(released).isTrue();
    }

    @Test
    void aUnaryCallWithoutRequestFails() {
        unary().onHalfClose();
        assertThat(events).containsExactly("request 2", "UNKNOWN EOF");
    }

    @Test
    void aFailureClosesTheCall() {
        UnaryCall<String, ?, String> call = unary();
        call.onMessage(request("a"));
        result.completeExceptionally(new BackendException(ErrorKind.NO_LEADER));
        assertThat(events).endsWith("UNAVAILABLE etcdserver: no leader");
    }

    @Test
    void aRefusedRequestClosesTheCall() {
        Stream stream = new Stream();
        stream.onMessage(new Request<>(null, 9, Status.INTERNAL));
        assertThat(events).containsExactly("request 1", "INTERNAL");
    }

    @Test
    void theEndOfTheCallCancelsTheHandler() {
        UnaryCall<String, ?, String> call = unary();
        call.onMessage(request("a"));
        call.onCancel();
        assertThat(result).isCancelled();
        assertThat(events).containsExactly("request 2");
    }

    @Test
    void aResultThatCannotBeEncodedIsReleased() {
        UnaryCall<String, ?, String> call = unary();
        call.onMessage(request("a"));
        result.complete(new Reply<>(null, () -> released.set(true)));
        assertThat(released).isTrue();
        assertThat(events).last().asString().startsWith("UNKNOWN internal error");
    }

    private Reply<String> reply() {
        return new Reply<>("response", () -> released.set(true));
    }

    private static Request<String> request(String message) {
        return new Request<>(message, message.length(), null);
    }

    private UnaryCall<String, ?, String> unary() {
        UnaryCall<String, Reply<String>, String> call =
                new UnaryCall<>(
                        new Call(),
                        request -> result,
                        reply -> reply.answer().strip(),
                        String::length,
                        null);
        call.start(true);
        return call;
    }

    /** A stream that records its requests. */
    private final class Stream extends IncomingCall<String, String> {
        Stream() {
            super(new Call());
            start(false);
        }

        @Override
        protected void onRequest(Request<String> request) {
            events.add("received " + request.message());
        }
    }

    /** Records what is sent. */
    private final class Call extends ServerCall<Request<String>, String> {
        @Override
        public void request(int messages) {
            events.add("request " + messages);
        }

        @Override
        public void sendHeaders(Metadata headers) {
            events.add("headers");
        }

        @Override
        public void sendMessage(String message) {
            events.add(message);
        }

        @Override
        public boolean isReady() {
            return ready;
        }

        @Override
        public void close(Status status, Metadata trailers) {
            String text = status.getDescription();
            events.add(status.getCode() + (text == null ? "" : " " + text));
        }

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public MethodDescriptor<Request<String>, String> getMethodDescriptor() {
            throw new UnsupportedOperationException();
        }
    }
}
