package io.brain.transfer.mirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Message;
import io.brain.proto.etcd.AlarmResponse;
import io.brain.proto.etcd.HashKVResponse;
import io.brain.proto.etcd.LeaseLeasesResponse;
import io.brain.proto.etcd.RangeResponse;
import io.brain.proto.etcd.ResponseHeader;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The comparison before a way back begins. */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WayBackTest {
    private static final ResponseHeader HEADER = ResponseHeader.newBuilder().setRevision(5).build();

    @Test
    void theComparisonIsRepeatedWhileAServerIsAway() throws Exception {
        Server source = new Server(7);
        Server target = new Server(7);
        source.failures.put("HashKV", Status.UNAVAILABLE);
        target.failures.put("HashKV", Status.UNAVAILABLE);
        try (WayBack way = begin(source, target)) {
            assertThat(way.revision()).isEqualTo(5);
        }
        assertThat(source.failures).isEmpty();
        assertThat(target.failures).isEmpty();
    }

    @Test
    void theKeysAreComparedAgainWhenAServerGoesAwayMeanwhile() throws Exception {
        Server source = new Server(7);
        Server target = new Server(8);
        target.ranges = 1; // the newest revision
        target.failures.put("Range", Status.UNAVAILABLE);
        assertThatThrownBy(() -> begin(source, target))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the histories differ");
        assertThat(target.failures).isEmpty();
    }

    @Test
    void aRevisionThatTheSourceHasCompactedNeedsAnotherSeed() {
        Server source = new Server(7);
        source.failures.put("HashKV", Status.OUT_OF_RANGE.withDescription("compacted"));
        assertThatThrownBy(() -> begin(source, new Server(7)))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("server: compacted; seed the target");
    }

    private static WayBack begin(Server source, Server target) throws IOException {
        return new WayBack(
                new SourceCluster("server", source),
                source,
                new SourceCluster("server", target),
                target,
                (step, done, total) -> {});
    }

    /** Answers each call at once; has no keys and no leases. */
    private static final class Server extends Channel {
        private final Map<String, Message> answers;

        /** By method: how its next call ends. */
        private final Map<String, Status> failures = new HashMap<>();

        /** Ranges before the failure. */
        private int ranges;

        Server(int hash) {
            answers =
                    Map.of(
                            "Alarm", AlarmResponse.getDefaultInstance(),
                            "LeaseLeases", LeaseLeasesResponse.getDefaultInstance(),
                            "Range", RangeResponse.newBuilder().setHeader(HEADER).build(),
                            "HashKV",
                                    HashKVResponse.newBuilder()
                                            .setHeader(HEADER)
                                            .setHash(hash)
                                            .build());
        }

        @Override
        public String authority() {
            return "server";
        }

        @Override
        public <Q, R> ClientCall<Q, R> newCall(MethodDescriptor<Q, R> method, CallOptions options) {
            return new FakeCall<>() {
                @Override
                public void halfClose() {
                    String name = method.getBareMethodName();
                    boolean fails = !name.equals("Range") || ranges-- <= 0;
                    Status failure = fails ? failures.remove(name) : null;
                    if (failure == null) {
                        listener.onMessage(
                                method.parseResponse(answers.get(name).toByteString().newInput()));
                    }
                    listener.onClose(failure == null ? Status.OK : failure, new Metadata());
                }
            };
        }
    }
}
