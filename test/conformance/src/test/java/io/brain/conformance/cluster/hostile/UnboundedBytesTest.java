package io.brain.conformance.cluster.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.google.protobuf.ByteString;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.linear.Keys;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Few requests with very many bytes: answers that are not read, messages that do not end. */
class UnboundedBytesTest extends HostileFixture {

    private static final ByteString BIG = Keys.of("big");
    private static final int BIG_BYTES = 1_500_000;
    private static final int GETS = 127;
    private static final int TRANSACTIONS = 16;
    private static final Duration MEASURE = Duration.ofSeconds(20);
    private static final int MESSAGES = 60;
    private static final int MESSAGE_BYTES = 15 << 20;
    private static final int SLOW_CALLS = 40;
    private static final int SMALL_FRAMES = 200;
    private static final int FILLERS = 3;
    private static final int FRAME_BYTES = 16 << 10;
    private static final int RESETS = 200_000;
    private static final int RESETS_AT_ONCE = 1_000;

    @Test
    void transactionsWithLargeAnswersThatAreNotRead() throws Exception {
        try (EtcdClient client = connect()) {
            var unused = client.put(BIG, value(1, BIG_BYTES));
        }
        TxnRequest.Builder txn = TxnRequest.newBuilder();
        txn.addSuccessBuilder()
                .setRequestPut(PutRequest.newBuilder().setKey(Keys.of("k")).setValue(BIG));
        RangeRequest get = RangeRequest.newBuilder().setKey(BIG).build();
        for (int i = 0; i < GETS; i++) {
            txn.addSuccess(RequestOp.newBuilder().setRequestRange(get));
        }
        byte[] message = txn.build().toByteArray();
        puts().measureQuiet();
        List<NonReadingConnection> nonReading = new ArrayList<>();
        try {
            for (int i = 0; i < TRANSACTIONS; i++) {
                nonReading.add(
                        new NonReadingConnection(
                                home().clientPort(), "/etcdserverpb.KV/Txn", message, true));
            }
            puts().measureBeside(MEASURE);
            puts().expectServed();
        } finally {
            for (NonReadingConnection connection : nonReading) {
                connection.close();
            }
        }
    }

    @Test
    void messagesThatStopOneByteShort() throws Exception {
        puts().measureQuiet();
        List<UnfinishedMessage> messages = new ArrayList<>();
        try {
            for (int i = 0; i < MESSAGES; i++) {
                messages.add(
                        new UnfinishedMessage(
                                home().clientPort(), "/etcdserverpb.KV/Put", MESSAGE_BYTES));
            }
            puts().measureBeside(MEASURE);
            puts().expectServed();
        } finally {
            for (UnfinishedMessage message : messages) {
                message.close();
            }
        }
    }

    /** Each small frame arrives in a receive buffer that is full of something else. */
    @Test
    void messagesInFramesOfOneByte() throws Exception {
        puts().measureQuiet();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), home().clientPort())) {
            OutputStream out = socket.getOutputStream();
            out.write(new Frames().preface(1 << 20).bytes());
            for (int call = 0; call < SLOW_CALLS; call++) {
                int stream = 2 * call + 1;
                out.write(new Frames().begin(stream, "/etcdserverpb.KV/Put", 1 << 20).bytes());
                for (int i = 0; i < SMALL_FRAMES; i++) {
                    Frames frames = new Frames().data(stream, new byte[1]);
                    for (int k = 0; k < FILLERS; k++) {
                        frames.unknown(new byte[FRAME_BYTES]);
                    }
                    out.write(frames.bytes());
                }
            }
            puts().measureBeside(Duration.ofSeconds(5));
            puts().expectServed();
        }
    }

    @Test
    void streamsThatAreResetAtOnceEndTheConnection() throws Exception {
        assumeFalse(command().isEtcd(), "etcd has no bound of resets");
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), home().clientPort())) {
            socket.getOutputStream().write(new Frames().preface(1 << 20).bytes());
            assertThat(isEndedByResets(socket)).isTrue();
        }
    }

    private static boolean isEndedByResets(Socket socket) {
        byte[] range = RangeRequest.newBuilder().setKey(BIG).build().toByteArray();
        try {
            for (int i = 0; i < RESETS; i += RESETS_AT_ONCE) {
                Frames frames = new Frames();
                for (int k = i; k < i + RESETS_AT_ONCE; k++) {
                    frames.call(2 * k + 1, "/etcdserverpb.KV/Range", range, false);
                    frames.reset(2 * k + 1);
                }
                socket.getOutputStream().write(frames.bytes());
                socket.getInputStream().skip(socket.getInputStream().available());
            }
            return false;
        } catch (IOException ended) {
            return true;
        }
    }
}
