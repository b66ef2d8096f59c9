package io.brain.server.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import io.brain.server.config.BrainConfig.Log;
import java.nio.charset.StandardCharsets;
import java.util.logging.LogManager;
import org.slf4j.LoggerFactory;

/** Sets up logging for the process. */
public final class Logging {
    private Logging() {}

    /**
     * Initializes java.util.logging on a background thread: at first use it searches every jar for
     * a logger implementation. Threads that need it block until then.
     */
    public static void prepare() {
        Thread thread = new Thread(LogManager::getLogManager, "brain-logging");
        thread.setDaemon(true);
        thread.start();
    }

    /** Applies the configuration. */
    public static void configure(Log log) {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();
        LineLayout layout = new LineLayout(log.format() == Log.Format.JSON);
        layout.setContext(context);
        layout.start();
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setContext(context);
        encoder.setCharset(StandardCharsets.UTF_8);
        encoder.setLayout(layout);
        encoder.start();
        ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
        console.setContext(context);
        console.setTarget(log.output() == Log.Output.STDERR ? "System.err" : "System.out");
        console.setEncoder(encoder);
        console.start();
        Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.WARN);
        root.addAppender(console);
        context.getLogger("io.brain").setLevel(Level.toLevel(log.level().name()));
        JavaLogHandler.install();
    }
}
