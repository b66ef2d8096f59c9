package io.brain.server.logging;

import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.slf4j.LoggerFactory;

/** Forwards java.util.logging records of libraries, from level WARNING. */
final class JavaLogHandler extends Handler {
    /** Loggers that warn of client errors with a stack trace. */
    private static final List<Logger> QUIET =
            List.of(
                    Logger.getLogger("io.grpc.netty.NettyServerStream"),
                    Logger.getLogger("io.grpc.netty.NettyServerHandler"),
                    Logger.getLogger("io.grpc.internal.ServerCallImpl"));

    private final SimpleFormatter formatter = new SimpleFormatter();

    static void install() {
        LogManager.getLogManager().reset();
        QUIET.forEach(logger -> logger.setLevel(Level.SEVERE));
        Logger root = LogManager.getLogManager().getLogger("");
        root.setLevel(Level.WARNING);
        root.addHandler(new JavaLogHandler());
    }

    @Override
    public void publish(LogRecord event) {
        String name = event.getLoggerName() == null ? "java" : event.getLoggerName();
        org.slf4j.Logger logger = LoggerFactory.getLogger(name);
        String message = formatter.formatMessage(event);
        if (event.getLevel().intValue() >= Level.SEVERE.intValue()) {
            logger.error(message, event.getThrown());
        } else {
            logger.warn(message, event.getThrown());
        }
    }

    @Override
    public void flush() {
        // Records are not buffered.
    }

    @Override
    public void close() {
        // Nothing to release.
    }
}
