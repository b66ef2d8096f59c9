package io.brain.options;

import java.util.Locale;

/** Checks JDBC URLs. */
public final class DatabaseUrl {
    private DatabaseUrl() {}

    /** Returns true if a URL has a user before its host, or a password among its parameters. */
    public static boolean hasPassword(String url) {
        String lower = url.toLowerCase(Locale.ROOT);
        int parameters = lower.indexOf('?');
        String address = parameters < 0 ? lower : lower.substring(0, parameters);
        return address.contains("@") || lower.matches(".*[?&][a-z]*password[0-9]?=.*");
    }
}
