package io.brain.server.gateway;

import io.brain.server.http.Request;
import io.grpc.Metadata;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a request's headers say to the call: Authorization, Grpc-Metadata-NAME, Grpc-Timeout. */
final class CallHeaders {
    private static final String PREFIX = "grpc-metadata-";
    private static final String AUTHORIZATION = "authorization";
    private static final String TIMEOUT = "grpc-timeout";
    private static final String BINARY = Metadata.BINARY_HEADER_SUFFIX;
    private static final Pattern NAME = Pattern.compile("[0-9a-z_.-]+");
    private static final Pattern VALUE = Pattern.compile("[ -~]*");
    private static final Pattern TIME = Pattern.compile("([+-]?[0-9]{1,18})([HMSmun])");

    private CallHeaders() {}

    /**
     * The metadata of the call.
     *
     * @throws IllegalArgumentException if a binary header is no base64
     */
    static Metadata metadata(Request request) {
        Metadata metadata = new Metadata();
        for (Map.Entry<String, String> header : request.headers()) {
            String name = header.getKey().toLowerCase(Locale.ROOT);
            if (name.equals(AUTHORIZATION)) {
                add(metadata, name, header.getValue());
            } else if (name.startsWith(PREFIX)) {
                add(metadata, name.substring(PREFIX.length()), header.getValue());
            }
        }
        return metadata;
    }

    private static void add(Metadata metadata, String name, String value) {
        if (!NAME.matcher(name).matches()) {
            return;
        }
        if (name.endsWith(BINARY)) {
            byte[] bytes;
            try {
                bytes = Base64.getDecoder().decode(value);
            } catch (IllegalArgumentException malformed) {
                throw new IllegalArgumentException("invalid binary header " + name, malformed);
            }
            metadata.put(Metadata.Key.of(name, Metadata.BINARY_BYTE_MARSHALLER), bytes);
        } else if (VALUE.matcher(value).matches()) {
            metadata.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value);
        }
    }

    /**
     * The time limit of the call; 0: none.
     *
     * @throws IllegalArgumentException if it is malformed
     */
    static long timeoutNanos(Request request) {
        for (Map.Entry<String, String> header : request.headers()) {
            if (header.getKey().equalsIgnoreCase(TIMEOUT) && !header.getValue().isEmpty()) {
                Matcher matcher = TIME.matcher(header.getValue());
                if (!matcher.matches()) {
                    throw new IllegalArgumentException(
                            "invalid grpc-timeout: " + header.getValue());
                }
                return unit(matcher.group(2)).toNanos(Long.parseLong(matcher.group(1)));
            }
        }
        return 0;
    }

    private static TimeUnit unit(String letter) {
        return switch (letter) {
            case "H" -> TimeUnit.HOURS;
            case "M" -> TimeUnit.MINUTES;
            case "S" -> TimeUnit.SECONDS;
            case "m" -> TimeUnit.MILLISECONDS;
            case "u" -> TimeUnit.MICROSECONDS;
            default -> TimeUnit.NANOSECONDS;
        };
    }
}
