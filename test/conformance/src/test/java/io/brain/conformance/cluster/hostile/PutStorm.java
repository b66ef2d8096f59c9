package io.brain.conformance.cluster.hostile;

import com.google.protobuf.ByteString;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.linear.Keys;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.PutResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;

/** Many puts at once over a few connections, and how each of them ended. Thread-safe. */
final class PutStorm implements AutoCloseable {

    private final List<EtcdClient> clients = new ArrayList<>();
    private final Map<String, Integer> ends = new TreeMap<>();
    private Thread sender;
    private int left;

    PutStorm(String target, int connections) {
        for (int i = 0; i < connections; i++) {
            clients.add(new EtcdClient(target));
        }
    }

    /** Has so many puts of this value sent, at most so many of them at a time. Once. */
    synchronized void begin(int puts, int atOnce, ByteString value) {
        left = puts;
        sender = new Thread(() -> send(puts, new Semaphore(atOnce), value), "put-storm");
        sender.start();
    }

    /** True when every put has ended. */
    synchronized boolean isOver() {
        return left == 0;
    }

    /** How many puts ended with which description; "answered" is one. */
    synchronized Map<String, Integer> ends() {
        return new TreeMap<>(ends);
    }

    private void send(int puts, Semaphore room, ByteString value) {
        try {
            for (int i = 0; i < puts; i++) {
                room.acquire();
                PutRequest put =
                        PutRequest.newBuilder()
                                .setKey(Keys.of("storm/" + i))
                                .setValue(value)
                                .build();
                EtcdClient client = clients.get(i % clients.size());
                KVGrpc.newStub(client.channel()).put(put, new Answer(room));
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void ended(String how) {
        ends.merge(how, 1, Integer::sum);
        left--;
    }

    @Override
    public void close() {
        sender.interrupt();
        clients.forEach(EtcdClient::close);
    }

    private final class Answer implements StreamObserver<PutResponse> {
        private final Semaphore room;

        private Answer(Semaphore room) {
            this.room = room;
        }

        @Override
        public void onNext(PutResponse response) {}

        @Override
        public void onError(Throwable failure) {
            Status status = Status.fromThrowable(failure);
            end(status.getDescription() == null ? "" + status.getCode() : status.getDescription());
        }

        @Override
        public void onCompleted() {
            end("answered");
        }

        private void end(String how) {
            ended(how);
            room.release();
        }
    }
}
