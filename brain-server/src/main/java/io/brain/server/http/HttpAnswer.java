package io.brain.server.http;

import java.nio.charset.StandardCharsets;

/**
 * An answer.
 *
 * @param status HTTP's number
 * @param contentType what the body is; null if there is none
 * @param plain true if browsers must not guess another type
 * @param body bytes to send; everybody leaves them alone
 */
record HttpAnswer(int status, String contentType, boolean plain, byte[] body) {
    static final int OK = 200;
    static final int BAD_REQUEST = 400;
    static final int NOT_FOUND = 404;
    static final int NOT_ALLOWED = 405;
    static final int UNAVAILABLE = 503;
    static final HttpAnswer EMPTY = new HttpAnswer(OK, null, false, new byte[0]);
    static final String TEXT = "text/plain; charset=utf-8";

    static HttpAnswer text(String body) {
        return new HttpAnswer(OK, TEXT, true, utf8(body));
    }

    static HttpAnswer of(String contentType, String body) {
        return new HttpAnswer(OK, contentType, false, utf8(body));
    }

    /** A refusal: a text and a new line, as Go's servers send it. */
    static HttpAnswer error(int status, String body) {
        return new HttpAnswer(status, TEXT, true, utf8(body + "\n"));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
