package io.brain.server.logging;

import ch.qos.logback.classic.AsyncAppender;
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
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.LoggerFactory;

/** Sets up logging for the process. */
public final class Logging {
    /** Lines that wait to be written; a line has at most some KiB. */
    private static final int LINES_MAX = 4096;

    private static final LongAdder DROPPED = new LongAdder();

    private static final ThreadGroup TEMPORARY = new ThreadGroup("temporary");

    private static volatile LoggerContext configured;

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

    /** Applies the configuration. Lines may follow the call that logs them: {@link #stop}. */
    public static void configure(Log log) {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();
        configured = context;
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
        LineQueue lines = new LineQueue();
        lines.setContext(context);
        lines.addAppender(console);
        lines.addFilter(new TemporaryServers());
        lines.start();
        Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.WARN);
        root.addAppender(lines);
        context.getLogger("io.brain").setLevel(Level.toLevel(log.level().name()));
        JavaLogHandler.install();
    }

    /** Writes what was logged, unless nobody reads it for a second; logs nothing from then on. */
    public static void stop() {
        LoggerContext context = configured;
        if (context != null) {
            context.reset();
        }
    }

    /** Lines that were dropped because nobody reads the log. */
    public static long dropped() {
        return DROPPED.sum();
    }

    /** So that no thread waits for the reader of a pipe: a thread of its own writes the lines. */
    private static final class LineQueue extends AsyncAppender {
        LineQueue() {
            setName("lines");
            setQueueSize(LINES_MAX);
            setDiscardingThreshold(0); // drop none while there is room
            setNeverBlock(true);
        }

        @Override
        protected void append(ILoggingEvent line) {
            if (getRemainingCapacity() == 0) {
                DROPPED.increment();
            } else {
                super.append(line);
            }
        }
    }
}
