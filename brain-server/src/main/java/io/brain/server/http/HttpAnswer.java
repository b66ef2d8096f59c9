package io.brain.server.http;

/**
 * An answer.
 *
 * @param status HTTP's number
 * @param contentType what the body is; null if there is none
 * @param plain true if browsers must not guess another type
 */
record HttpAnswer(int status, String contentType, boolean plain, String body) {
    static final int OK = 200;
    static final int BAD_REQUEST = 400;
    static final int NOT_FOUND = 404;
    static final int NOT_ALLOWED = 405;
    static final int UNAVAILABLE = 503;
    static final HttpAnswer EMPTY = new HttpAnswer(OK, null, false, "");
    static final String TEXT = "text/plain; charset=utf-8";
    static final HttpAnswer FAILURE = error(500, "500 Internal Server Error");

    static HttpAnswer text(String body) {
        return new HttpAnswer(OK, TEXT, true, body);
    }

    static HttpAnswer of(String contentType, String body) {
        return new HttpAnswer(OK, contentType, false, body);
    }

    /** A refusal: a text and a new line, as Go's servers send it. */
    static HttpAnswer error(int status, String body) {
        return new HttpAnswer(status, TEXT, true, body + "\n");
    }
}
