package io.brain.server.http;

import java.util.Map;

/**
 * An HTTP answer.
 *
 * @param status HTTP status code
 * @param contentType null without a body
 * @param plain whether to send {@code nosniff}
 * @param location redirect target; null for none
 * @param headers additional headers
 */
record HttpAnswer(
        int status,
        String contentType,
        boolean plain,
        String location,
        String body,
        Map<String, String> headers) {
    static final int OK = 200;
    static final int MOVED = 307;
    static final int FORBIDDEN = 403;
    static final int NOT_FOUND = 404;
    static final int NOT_ALLOWED = 405;
    static final int UNAVAILABLE = 503;
    static final String TEXT = "text/plain; charset=utf-8";
    private static final String HTML = "text/html; charset=utf-8";
    static final int BAD = 400;
    static final HttpAnswer EMPTY = new HttpAnswer(OK, null, false, null, "");
    static final HttpAnswer NO_PAGE = error(NOT_FOUND, "404 page not found");
    static final HttpAnswer FAILURE = error(500, "500 Internal Server Error");

    HttpAnswer(int status, String contentType, boolean plain, String location, String body) {
        this(status, contentType, plain, location, body, Map.of());
    }

    /** This answer with other additional headers. */
    HttpAnswer with(Map<String, String> other) {
        return new HttpAnswer(status, contentType, plain, location, body, other);
    }

    /** An HTML page with {@code nosniff}. */
    static HttpAnswer html(String body) {
        return new HttpAnswer(OK, HTML, true, null, body);
    }

    static HttpAnswer text(String body) {
        return new HttpAnswer(OK, TEXT, true, null, body);
    }

    static HttpAnswer of(String contentType, String body) {
        return new HttpAnswer(OK, contentType, false, null, body);
    }

    /** An error: a text and a newline, as from Go's servers. */
    static HttpAnswer error(int status, String body) {
        return new HttpAnswer(status, TEXT, true, null, body + "\n");
    }

    /** A redirect, with the same body as from Go's servers. */
    static HttpAnswer moved(String method, String location) {
        if (!method.equals("GET")) {
            String type = method.equals("HEAD") ? HTML : null;
            return new HttpAnswer(MOVED, type, false, location, "");
        }
        String shown =
                location.replace("&", "&amp;")
                        .replace("<", "&lt;")
                        .replace(">", "&gt;")
                        .replace("\"", "&#34;")
                        .replace("'", "&#39;");
        String body = "<a href=\"" + shown + "\">Temporary Redirect</a>.\n\n";
        return new HttpAnswer(MOVED, HTML, false, location, body);
    }
}
