package io.brain.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class LogProviderTest {
    @Test
    void loggersWriteNothingUntilConfigured() {
        LogProvider provider = new LogProvider();
        provider.initialize();

        LoggerContext loggers = (LoggerContext) provider.getLoggerFactory();

        Logger root = loggers.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        assertThat(loggers.isStarted()).isTrue();
        assertThat(root.iteratorForAppenders().hasNext()).isFalse();
        assertThat(loggers.getMDCAdapter()).isSameAs(provider.getMDCAdapter());
    }

    @Test
    void theJvmOptionsSelectTheProvider() throws Exception {
        assertThat(Files.readAllLines(Path.of("src/dist/conf/jvm.options")))
                .contains("-Dslf4j.provider=" + LogProvider.class.getName());
    }
}
