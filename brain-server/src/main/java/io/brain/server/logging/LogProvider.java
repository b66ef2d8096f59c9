package io.brain.server.logging;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * Logback without the search for a configuration file in every jar: {@link Logging} configures it.
 * The property {@code slf4j.provider} in {@code conf/jvm.options} selects it; without it, Logback's
 * own provider works, but starts more slowly.
 */
public final class LogProvider implements SLF4JServiceProvider {
    private final LoggerContext loggers = new LoggerContext();
    private final IMarkerFactory markers = new BasicMarkerFactory();
    private final LogbackMDCAdapter diagnostics = new LogbackMDCAdapter();

    /** Called by slf4j. */
    public LogProvider() {}

    @Override
    public void initialize() {
        loggers.setName("default");
        loggers.setMDCAdapter(diagnostics);
        loggers.start();
    }

    @Override
    public ILoggerFactory getLoggerFactory() {
        return loggers;
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return markers;
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return diagnostics;
    }

    @Override
    public String getRequestedApiVersion() {
        return "2.0.99";
    }
}
