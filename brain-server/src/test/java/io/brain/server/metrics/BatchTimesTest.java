package io.brain.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.brain.server.logging.SlowLog;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class BatchTimesTest {
    private static final long MILLI = 1_000_000;

    private final Logger logger = (Logger) LoggerFactory.getLogger(SlowLog.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final BackendMetrics stages = new BackendMetrics(new SlowLog(Duration.ofMillis(100)));

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(lines);
    }

    @Test
    void aSlowBatchIsLoggedWithItsOwnTimes() {
        stages.writeQueued(7 * MILLI);
        stages.writeQueued(30 * MILLI);
        stages.writesEvaluated(2, 3 * MILLI);
        stages.batchSent(2, 5000, 77);
        stages.writeQueued(1 * MILLI);
        stages.batchCommitted(90 * MILLI);
        stages.batchSent(1, 10, 78);
        stages.batchPublished(4 * MILLI);
        stages.batchCommitted(50 * MILLI);
        stages.batchPublished(48 * MILLI);
        assertThat(lines.list.stream().map(ILoggingEvent::getFormattedMessage))
                .containsExactly(
                        "apply request took too long: took=124ms writes=2 bytes=5000 revision=77"
                                + " queue=30ms round=3ms commit=90ms publish=4ms limit=100ms");
    }
}
