package io.brain.conformance.script;

import com.google.protobuf.Message;
import io.brain.conformance.compare.Mask;
import io.brain.conformance.compare.Names;
import io.brain.proto.election.CampaignRequest;
import io.brain.proto.election.CampaignResponse;
import io.brain.proto.etcd.LeaseGrantRequest;
import io.brain.proto.etcd.LeaseGrantResponse;
import io.brain.proto.lock.LockRequest;
import io.brain.proto.lock.LockResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Calls to one server whose answers can be compared with another's. Thread-safe. */
public final class Wire {

    /** More than etcd's own limit for a request, so that the server decides. */
    private static final long DEADLINE_SECONDS = 60;

    private final Channel channel;
    private final Names names;
    private final Mask mask;

    public Wire(Channel channel, Names names) {
        this(channel, names, new Mask(names));
    }

    private Wire(Channel channel, Names names, Mask mask) {
        this.channel = channel;
        this.names = names;
        this.mask = mask;
    }

    /** The same calls with more metadata. */
    public Wire with(Metadata metadata) {
        return new Wire(
                ClientInterceptors.intercept(
                        channel, MetadataUtils.newAttachHeadersInterceptor(metadata)),
                names,
                mask);
    }

    Channel channel() {
        return channel;
    }

    /** The same calls to a server that was restarted, over another channel. */
    Wire afterRestart(Channel other) {
        mask.restarted();
        return new Wire(other, names, mask);
    }

    Mask mask() {
        return mask;
    }

    /** Sends a request in which leases have their names, and masks the answer. */
    public <Q extends Message, A extends Message> Outcome<A> call(
            MethodDescriptor<Q, A> method, Q request) {
        CallOptions options =
                CallOptions.DEFAULT
                        .withWaitForReady()
                        .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
        return call(method, request, options);
    }

    /** As {@link #call(MethodDescriptor, Message)}, with options of the caller's. */
    public <Q extends Message, A extends Message> Outcome<A> call(
            MethodDescriptor<Q, A> method, Q request, CallOptions options) {
        long asked = System.nanoTime();
        try {
            A answer =
                    ClientCalls.blockingUnaryCall(channel, method, options, mask.request(request));
            long chosen = chosenLease(request, answer);
            if (chosen > 0) {
                names.learnLease(chosen);
            }
            return new Outcome.Answer<>(mask.answer(answer, asked, System.nanoTime()));
        } catch (StatusRuntimeException e) {
            return new Outcome.Refusal<>(e.getStatus());
        }
    }

    /** The lease id that the server chose for this request; 0: none. */
    private static long chosenLease(Message request, Message answer) {
        if (answer instanceof LeaseGrantResponse granted) {
            return ((LeaseGrantRequest) request).getID() == 0 ? granted.getID() : 0;
        } else if (answer instanceof CampaignResponse elected) {
            boolean chosen = ((CampaignRequest) request).getLease() == 0;
            return chosen ? elected.getLeader().getLease() : 0;
        } else if (answer instanceof LockResponse locked) {
            String key = locked.getKey().toString(StandardCharsets.ISO_8859_1);
            boolean chosen = ((LockRequest) request).getLease() == 0;
            return chosen ? Long.parseLong(key.substring(key.lastIndexOf('/') + 1), 16) : 0;
        }
        return 0;
    }

    /** Opens a stream with a request, and gives it up after its first answer or its end. */
    public <Q extends Message, A extends Message> Outcome<A> first(
            MethodDescriptor<Q, A> method, Q request) {
        ClientCall<Q, A> call =
                channel.newCall(
                        method,
                        CallOptions.DEFAULT
                                .withWaitForReady()
                                .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS));
        CompletableFuture<Outcome<A>> first = new CompletableFuture<>();
        long asked = System.nanoTime();
        call.start(
                new ClientCall.Listener<A>() {
                    @Override
                    public void onMessage(A answer) {
                        first.complete(
                                new Outcome.Answer<>(
                                        mask.answer(answer, asked, System.nanoTime())));
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        first.complete(new Outcome.Refusal<>(status));
                    }
                },
                new Metadata());
        call.request(1);
        call.sendMessage(mask.request(request));
        if (method.getType().clientSendsOneMessage()) {
            call.halfClose();
        }
        Outcome<A> outcome = first.join();
        call.cancel("the first answer was enough", null);
        return outcome;
    }
}
