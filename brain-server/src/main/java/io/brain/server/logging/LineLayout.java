package io.brain.server.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
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
        IThrowableProxy cause = event.getThrowableProxy();
        String trace = cause == null ? "" : ThrowableProxyUtil.asString(cause);
        StringBuilder line = new StringBuilder(160);
        if (!json) {
            line.append(time).append('\t').append(level).append('\t').append(name).append('\t');
            line.append(event.getFormattedMessage()).append('\n');
            return line.append(trace).toString();
        }
        field(line.append('{'), "level", level);
        field(line.append(','), "ts", time);
        field(line.append(','), "caller", name);
        field(line.append(','), "msg", event.getFormattedMessage());
        if (!trace.isEmpty()) {
            field(line.append(','), "error", trace);
        }
        return line.append("}\n").toString();
    }

    private static void field(StringBuilder line, String name, String value) {
        line.append('"').append(name).append("\":\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"' -> line.append("\\\"");
                case '\\' -> line.append("\\\\");
                case '\n' -> line.append("\\n");
                case '\t' -> line.append("\\t");
                default -> {
                    if (c < ' ') {
                        line.append(String.format("\\u%04x", (int) c));
                    } else {
                        line.append(c);
                    }
                }
            }
        }
        line.append('"');
    }
}
