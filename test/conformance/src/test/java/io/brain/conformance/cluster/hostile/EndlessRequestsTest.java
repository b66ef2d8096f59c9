package io.brain.conformance.cluster.hostile;

import com.google.protobuf.ByteString;
import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.cluster.Form;
import io.brain.conformance.linear.Keys;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.junit.jupiter.api.Test;

/** A client that asks again and again, by hand, and takes none of the answers. */
class EndlessRequestsTest extends HostileFixture {

    private static final String PUT = "/etcdserverpb.KV/Put";
    private static final String RANGE = "/etcdserverpb.KV/Range";
    private static final ByteString KEY = Keys.of("asked-for");
    private static final int VALUE_BYTES = 20_000;
    private static final int CALLS = Form.size(200_000, 400_000);
    private static final int CALLS_AT_ONCE = 100;
    private static final int RECEIVE_BUFFER_BYTES = 4_096;
    private static final int SEND_MILLIS_MAX = Form.size(10_000, 60_000);

    @Test
    void putsOfAClientThatNeverReads() throws Exception {
        ask(PUT, put(), false);
    }

    @Test
    void putsOfAClientThatOpensNoWindow() throws Exception {
        ask(PUT, put(), true);
    }

    @Test
    void readsOfAClientThatNeverReads() throws Exception {
        ask(RANGE, range(), false);
    }

    @Test
    void readsOfAClientThatOpensNoWindow() throws Exception {
        ask(RANGE, range(), true);
    }

    private static byte[] put() {
        return PutRequest.newBuilder()
                .setKey(Keys.of("put"))
                .setValue(Keys.of("v"))
                .build()
                .toByteArray();
    }

    private byte[] range() {
        try (EtcdClient client = connect()) {
            var unused = client.put(KEY, value(1, VALUE_BYTES));
        }
        return RangeRequest.newBuilder().setKey(KEY).build().toByteArray();
    }

    /**
     * Sends until the server takes no more.
     *
     * @param readsFrames true for a client that reads what comes but lets no answer come
     */
    private void ask(String method, byte[] message, boolean readsFrames) throws Exception {
        Thread sender;
        Thread reader;
        try (Socket socket = new Socket()) { // closing it ends both
            if (!readsFrames) {
                socket.setReceiveBufferSize(RECEIVE_BUFFER_BYTES);
            }
            socket.connect(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), home().clientPort()));
            OutputStream out = socket.getOutputStream();
            Frames preface = new Frames().preface(readsFrames ? 0 : Integer.MAX_VALUE);
            out.write((readsFrames ? preface : preface.widestWindow()).bytes());
            sender = start(() -> send(out, method, message));
            reader = start(() -> read(socket, readsFrames));
            sender.join(SEND_MILLIS_MAX);
        }
        sender.join();
        reader.join();
    }

    private static Thread start(Runnable work) {
        Thread thread = new Thread(work);
        thread.start();
        return thread;
    }

    private static void send(OutputStream out, String method, byte[] message) {
        try {
            for (int i = 0; i < CALLS; i += CALLS_AT_ONCE) {
                Frames frames = new Frames();
                for (int k = i; k < i + CALLS_AT_ONCE; k++) {
                    frames.call(2 * k + 1, method, message, true);
                }
                out.write(frames.bytes());
            }
        } catch (IOException refused) {
            // The server may well end such a connection.
        }
    }

    private static void read(Socket socket, boolean readsFrames) {
        if (!readsFrames) {
            return;
        }
        try {
            InputStream in = socket.getInputStream();
            var unused = in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException ended) {
            // By the server, or by the test.
        }
    }
}
