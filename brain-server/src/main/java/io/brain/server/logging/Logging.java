package io.brain.server.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import io.brain.server.config.BrainConfig.Log;
import java.nio.charset.StandardCharsets;
import org.slf4j.LoggerFactory;

/** Sets up logging for the process. */
public final class Logging {
    private static final ThreadGroup TEMPORARY = new ThreadGroup("temporary");

    private Logging() {}

    /**
     * The group of a temporary server's threads, whose lines are not logged unless they report an
     * error. Threads inherit it from the thread that creates them.
     */
    public static ThreadGroup temporaryServers() {
        return TEMPORARY;
    }

    private static final class TemporaryServers extends Filter<ILoggingEvent> {
        @Override
        public FilterReply decide(ILoggingEvent event) {
            boolean muted =
                    Thread.currentThread().getThreadGroup() == TEMPORARY
                            && !event.getLevel().isGreaterOrEqual(Level.ERROR);
            return muted ? FilterReply.DENY : FilterReply.NEUTRAL;
        }
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
        console.addFilter(new TemporaryServers());
        console.start();
        Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.WARN);
        root.addAppender(console);
        context.getLogger("io.brain").setLevel(Level.toLevel(log.level().name()));
        JavaLogHandler.install();
    }
}
