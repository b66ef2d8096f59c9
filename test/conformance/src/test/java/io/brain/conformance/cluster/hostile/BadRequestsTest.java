package io.brain.conformance.cluster.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.linear.Keys;
import io.brain.conformance.script.RawBytes;
import io.etcd.jetcd.api.AlarmRequest;
import io.etcd.jetcd.api.MaintenanceGrpc;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BadRequestsTest extends HostileFixture {

    private static final int OVER_LARGE = 60;
    private static final int IDLE_CONNECTIONS = 300;

    @Test
    void overLargeRequestsAreRefusedInParallel() {
        try (EtcdClient client = connect()) {
            IntStream.range(0, OVER_LARGE)
                    .parallel()
                    .forEach(
                            i -> {
                                boolean overMessage = i % 2 == 0;
                                int bytes = overMessage ? 8 << 20 : 1_600_000;
                                StatusRuntimeException refused = refusedPut(client, i, bytes);
                                Status status = refused.getStatus();
                                assertThat(status.getCode())
                                        .isEqualTo(
                                                overMessage
                                                        ? Status.Code.RESOURCE_EXHAUSTED
                                                        : Status.Code.INVALID_ARGUMENT);
                                assertThat(status.getDescription())
                                        .contains(
                                                overMessage
                                                        ? "grpc: received message larger than max"
                                                        : "etcdserver: request is too large");
                            });
        }
    }

    @Test
    void brokenMessagesAreRefused() {
        byte[] garbage = new byte[1_000];
        new Random(7).nextBytes(garbage);
        garbage[0] = 0x0a; // a key, longer than the message
        garbage[1] = (byte) 0xff;
        garbage[2] = 0x7f;
        try (EtcdClient client = connect()) {
            for (String method : List.of("KV/Put", "KV/Range", "KV/Txn", "Lease/LeaseGrant")) {
                assertThatThrownBy(() -> callWith(client, "etcdserverpb." + method, garbage))
                        .isInstanceOf(StatusRuntimeException.class)
                        .extracting(e -> ((StatusRuntimeException) e).getStatus())
                        .satisfies(
                                status -> {
                                    assertThat(status.getCode()).isEqualTo(Status.Code.INTERNAL);
                                    assertThat(status.getDescription())
                                            .startsWith("grpc: error unmarshalling request");
                                });
            }
        }
    }

    @Test
    void messageLengthThatIsALieReservesNothing() throws Exception {
        byte[] fourGigabytes = {0, -1, -1, -1, -1, 1, 2, 3};
        List<NonReadingConnection> liars = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            liars.add(
                    new NonReadingConnection(
                            home().clientPort(), "/etcdserverpb.KV/Put", fourGigabytes, false));
        }
        Thread.sleep(1_000);
        for (NonReadingConnection liar : liars) {
            liar.close();
        }
    }

    @Test
    void connectionsOfOtherProtocolsDisturbNoClient() throws Exception {
        Random random = new Random(11);
        List<Socket> idle = new ArrayList<>();
        try {
            for (int i = 0; i < IDLE_CONNECTIONS; i++) {
                idle.add(open());
            }
            for (byte[] hello : strangeGreetings(random)) {
                try (Socket socket = open()) {
                    socket.setSoTimeout(500);
                    greet(socket, hello);
                }
            }
        } finally {
            for (Socket socket : idle) {
                socket.close();
            }
        }
    }

    /** Real etcd crashes here: this is one of the listed deviations. */
    @Test
    void unknownAlarmActionIsRefused() {
        assumeFalse(command().isEtcd(), "etcd itself crashes on an unknown alarm action");
        try (EtcdClient client = connect()) {
            AlarmRequest request = AlarmRequest.newBuilder().setActionValue(99).build();
            assertThatThrownBy(
                            () -> MaintenanceGrpc.newBlockingStub(client.channel()).alarm(request))
                    .isInstanceOf(StatusRuntimeException.class)
                    .extracting(e -> ((StatusRuntimeException) e).getStatus().getCode())
                    .isEqualTo(Status.Code.INVALID_ARGUMENT);
        }
    }

    private static StatusRuntimeException refusedPut(EtcdClient client, int number, int bytes) {
        try {
            var unused = client.put(Keys.of("large"), value(number, bytes));
        } catch (StatusRuntimeException e) {
            return e;
        }
        throw new AssertionError("a value of " + bytes + " bytes was taken");
    }

    private static byte[] callWith(EtcdClient client, String method, byte[] message) {
        MethodDescriptor.Marshaller<byte[]> bytes = RawBytes.MARSHALLER;
        MethodDescriptor<byte[], byte[]> descriptor =
                MethodDescriptor.newBuilder(bytes, bytes)
                        .setType(MethodDescriptor.MethodType.UNARY)
                        .setFullMethodName(method)
                        .build();
        return ClientCalls.blockingUnaryCall(
                client.channel(), descriptor, CallOptions.DEFAULT, message);
    }

    private static List<byte[]> strangeGreetings(Random random) {
        byte[] noise = new byte[100_000];
        random.nextBytes(noise);
        String preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
        String frameOf16MiB = "\u00ff\u00ff\u00ff\0\0\0\0\0\1";
        return List.of(
                noise,
                new byte[0],
                "\u0016\u0003\u0001\u0002\0\u0001\0\u0001\u00fc\u0003\u0003"
                        .getBytes(StandardCharsets.ISO_8859_1),
                "GET /health HTTP/1.1\r\nHost: ".getBytes(StandardCharsets.US_ASCII),
                ("GET / HTTP/1.1\r\nX: " + "y".repeat(1 << 20)).getBytes(StandardCharsets.US_ASCII),
                preface.substring(0, 10).getBytes(StandardCharsets.US_ASCII),
                (preface + "garbage after it").getBytes(StandardCharsets.US_ASCII),
                (preface + frameOf16MiB).getBytes(StandardCharsets.ISO_8859_1));
    }

    private Socket open() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), home().clientPort());
    }

    /** Reads for a while what the server has to say to that, if anything. */
    private static void greet(Socket socket, byte[] hello) {
        try {
            socket.getOutputStream().write(hello);
            byte[] buffer = new byte[4_096];
            for (int i = 0; i < 10 && socket.getInputStream().read(buffer) >= 0; i++) {
                // The answer does not matter.
            }
        } catch (IOException silenceOrReset) {
            // Both are good answers, a reset also in the middle of the greeting.
        }
    }
}
