package io.brain.server.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** One line per event: JSON as in etcd, or the same fields separated by tabs. */
final class LineLayout extends LayoutBase<ILoggingEvent> {
    private final boolean json;

    LineLayout(boolean json) {
        this.json = json;
    }

    @Override
    public String doLayout(ILoggingEvent event) {
        String level = event.getLevel().toString().toLowerCase(Locale.ROOT);
        String time =
                DateTimeFormatter.ISO_INSTANT.format(
                        event.getInstant() == null
                                ? Instant.ofEpochMilli(event.getTimeStamp())
                                : event.getInstant().truncatedTo(ChronoUnit.MICROS));
        String logger = event.getLoggerName();
        String name = logger.substring(logger.lastIndexOf('.') + 1);
        String message = event.getFormattedMessage();
        IThrowableProxy cause = event.getThrowableProxy();
        String trace = cause == null ? "" : ThrowableProxyUtil.asString(cause);
        return json
                ? json(level, time, name, message, trace)
                : String.join("\t", time, level, name, message) + '\n' + trace;
    }

    private static String json(
            String level, String time, String caller, String message, String error) {
        StringWriter text = new StringWriter(160);
        try {
            JsonWriter json = new JsonWriter(text);
            json.beginObject().name("level").value(level).name("ts").value(time);
            json.name("caller").value(caller).name("msg").value(message);
            if (!error.isEmpty()) {
                json.name("error").value(error);
            }
            json.endObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.append('\n').toString();
    }
}
