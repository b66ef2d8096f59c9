package io.brain.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SilenceTest {
    private static final String REQUEST = "GET /livez HTTP/1.1\r\nHost: h\r\n\r\n";

    private final EmbeddedChannel connection = new EmbeddedChannel();

    @BeforeEach
    void connect() {
        connection.freezeTime();
        HttpHandler.install(connection.pipeline(), HttpRoutes.whileStarting());
    }

    @AfterEach
    void disconnect() {
        connection.finishAndReleaseAll();
    }

    @Test
    void aConnectionWithoutARequestStaysAsInEtcd() {
        for (int i = 0; i < 3; i++) {
            send(REQUEST);
            assertThat(answers()).isEqualTo(1);
            pass(TimeUnit.DAYS.toSeconds(1));
            assertThat(connection.isActive()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "G",
                "GET /livez HTTP/1.1\r\n",
                "GET /livez HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n",
                "GET /livez HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n1"
            })
    void aConnectionThatIsSilentDuringARequestIsClosed(String part) {
        send(part);
        assertClosedAfterSilence();
    }

    @ParameterizedTest
    @ValueSource(strings = {"G", "GET /livez HTTP/1.1\r\n"})
    void aConnectionThatIsSilentDuringItsNextRequestIsClosed(String part) {
        send(REQUEST);
        pass(TimeUnit.DAYS.toSeconds(1));
        send(part);
        assertClosedAfterSilence();
    }

    private void assertClosedAfterSilence() {
        pass(119);
        assertThat(connection.isActive()).isTrue();
        pass(2);
        assertThat(connection.isActive()).isFalse();
    }

    private void send(String text) {
        if (!text.isEmpty()) {
            connection.writeInbound(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII));
        }
        connection.runPendingTasks();
    }

    private int answers() {
        int count = 0;
        for (ByteBuf part = connection.readOutbound();
                part != null;
                part = connection.readOutbound()) {
            count += part.toString(StandardCharsets.US_ASCII).startsWith("HTTP/1.1 200") ? 1 : 0;
            part.release();
        }
        return count;
    }

    private void pass(long seconds) {
        connection.advanceTimeBy(seconds, TimeUnit.SECONDS);
        connection.runScheduledPendingTasks();
    }
}
