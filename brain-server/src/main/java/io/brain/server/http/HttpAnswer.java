package io.brain.server.http;

import java.util.Map;

/**
 * An answer.
 *
 * @param status HTTP's number
 * @param contentType what the body is; null if there is none
 * @param plain true if browsers must not guess another type
 * @param location where to ask instead; null if the answer is here
 * @param headers more of them
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
    static final HttpAnswer NOWHERE = error(NOT_FOUND, "404 page not found");
    static final HttpAnswer FAILURE = error(500, "500 Internal Server Error");

    HttpAnswer(int status, String contentType, boolean plain, String location, String body) {
        this(status, contentType, plain, location, body, Map.of());
    }

    /** The same with other headers than those that every answer has. */
    HttpAnswer with(Map<String, String> other) {
        return new HttpAnswer(status, contentType, plain, location, body, other);
    }

    /** A page that no browser takes for anything else. */
    static HttpAnswer html(String body) {
        return new HttpAnswer(OK, HTML, true, null, body);
    }

    static HttpAnswer text(String body) {
        return new HttpAnswer(OK, TEXT, true, null, body);
    }

    static HttpAnswer of(String contentType, String body) {
        return new HttpAnswer(OK, contentType, false, null, body);
    }

    /** A refusal: a text and a new line, as Go's servers send it. */
    static HttpAnswer error(int status, String body) {
        return new HttpAnswer(status, TEXT, true, null, body + "\n");
    }

    /** Sends who asks elsewhere, with a text for those who read. */
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
