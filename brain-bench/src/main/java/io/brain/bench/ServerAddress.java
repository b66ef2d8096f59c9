package io.brain.bench;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server on this machine.
 *
 * @param name name in the tables
 * @param pid process id, to read its CPU time and memory
 * @param port client port on the loopback address
 * @param token sent with each call; empty for none
 */
public record ServerAddress(String name, long pid, int port, String token) {

    private static final Pattern TEXT =
            Pattern.compile(
                    "([^=@]+)=(\\d{1,9})@(127\\.0\\.0\\.1|localhost):(\\d{1,5})(?:,(\\S+))?");

    /**
     * Parses {@code NAME=PID@HOST:PORT[,TOKEN]}.
     *
     * @throws IllegalArgumentException if it is malformed, or a remote address
     */
    public static ServerAddress parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException(
                    "'"
                            + text
                            + "' is not NAME=PID@127.0.0.1:PORT[,TOKEN]; only loopback addresses"
                            + " are allowed");
        }
        String token = parts.group(5);
        return new ServerAddress(
                parts.group(1),
                Long.parseLong(parts.group(2)),
                Integer.parseInt(parts.group(4)),
                token == null ? "" : token);
    }
}
