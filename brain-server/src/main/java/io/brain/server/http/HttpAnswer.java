package io.brain.server.http;

import com.google.protobuf.ByteString;
import java.util.HashMap;
import java.util.Map;

/**
 * An HTTP answer.
 *
 * @param status HTTP status code
 * @param headers without those of the connection
 */
record HttpAnswer(int status, Map<String, String> headers, ByteString body) {
    static final int OK = 200;
    static final int MOVED = 307;
    static final int BAD = 400;
    static final int FORBIDDEN = 403;
    static final int NOT_FOUND = 404;
    static final int NOT_ALLOWED = 405;
    static final int UNAVAILABLE = 503;
    static final String TEXT = "text/plain; charset=utf-8";
    static final String JSON = "application/json";
    private static final String HTML = "text/html; charset=utf-8";
    private static final String TYPE = "Content-Type";
    static final HttpAnswer EMPTY = new HttpAnswer(OK, Map.of(), ByteString.EMPTY);
    static final HttpAnswer NO_PAGE = error(NOT_FOUND, "404 page not found");
    static final HttpAnswer FAILURE = error(500, "500 Internal Server Error");
    static final HttpAnswer GET_ONLY =
            error(NOT_ALLOWED, "Method Not Allowed").with(Map.of("Allow", "GET"));

    /** This answer with more headers. */
    HttpAnswer with(Map<String, String> more) {
        Map<String, String> all = new HashMap<>(headers);
        all.putAll(more);
        return new HttpAnswer(status, Map.copyOf(all), body);
    }

    static HttpAnswer of(String contentType, String body) {
        return of(contentType, ByteString.copyFromUtf8(body));
    }

    static HttpAnswer of(String contentType, ByteString body) {
        return new HttpAnswer(OK, Map.of(TYPE, contentType), body);
    }

    /** An answer whose type browsers must not guess. */
    private static HttpAnswer typed(int status, String contentType, String body) {
        return new HttpAnswer(
                status,
                Map.of(TYPE, contentType, "X-Content-Type-Options", "nosniff"),
                ByteString.copyFromUtf8(body));
    }

    static HttpAnswer html(String body) {
        return typed(OK, HTML, body);
    }

    static HttpAnswer json(String body) {
        return typed(OK, JSON, body);
    }

    static HttpAnswer text(String body) {
        return typed(OK, TEXT, body);
    }

    /** An error: a text and a newline, as from Go's servers. */
    static HttpAnswer error(int status, String body) {
        return typed(status, TEXT, body + "\n");
    }

    /** A redirect, with the same body as from Go's servers. */
    static HttpAnswer moved(String method, String location) {
        HttpAnswer bare = new HttpAnswer(MOVED, Map.of("Location", location), ByteString.EMPTY);
        if (!method.equals("GET")) {
            return method.equals("HEAD") ? bare.with(Map.of(TYPE, HTML)) : bare;
        }
        String shown =
                location.replace("&", "&amp;")
                        .replace("<", "&lt;")
                        .replace(">", "&gt;")
                        .replace("\"", "&#34;")
                        .replace("'", "&#39;");
        String body = "<a href=\"" + shown + "\">Temporary Redirect</a>.\n\n";
        return new HttpAnswer(
                MOVED, Map.of("Location", location, TYPE, HTML), ByteString.copyFromUtf8(body));
    }
}
