package io.brain.transfer.backup;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A service that accepts connections and reads nothing. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SilentS3Test {
    private static final int LARGER_THAN_SOCKET_BUFFERS = (16 << 20) - 1;

    private ServerSocket service;

    @BeforeEach
    void start() throws IOException {
        service = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        System.setProperty("aws.accessKeyId", "backup");
        System.setProperty("aws.secretAccessKey", "not-a-secret");
    }

    @AfterEach
    void stop() throws IOException {
        service.close();
    }

    @Test
    void anUploadThatNobodyTakesFails() throws Exception {
        URI url = URI.create("http://127.0.0.1:" + service.getLocalPort());
        try (S3Store store =
                new S3Store(URI.create("s3://bucket"), url, null, Duration.ofMillis(300))) {
            assertThatThrownBy(
                            () ->
                                    store.put(
                                            "object",
                                            out -> out.write(new byte[LARGER_THAN_SOCKET_BUFFERS])))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("s3://bucket: ")
                    .hasMessageContaining("did not complete");
        }
    }
}
