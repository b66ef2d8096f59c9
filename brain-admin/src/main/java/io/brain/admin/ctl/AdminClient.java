package io.brain.admin.ctl;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;

/** Queries the admin endpoints of a server. */
final class AdminClient {
    private final URI endpoint;
    private final Duration timeout;
    private final SSLContext tls;

    /**
     * Creates a client of one server.
     *
     * @param endpoint a URL of {@code --listen-metrics-urls}
     * @param timeout for each answer
     * @param tls null: Java's default context
     */
    AdminClient(URI endpoint, Duration timeout, SSLContext tls) {
        this.endpoint = endpoint;
        this.timeout = timeout;
        this.tls = tls;
    }

    /** A failed query; the message is for the user. */
    static final class QueryException extends Exception {
        private static final long serialVersionUID = 1;
        private static final int FAILED = 1;
        private static final int UNREACHABLE = 3;

        private final int exitCode;

        QueryException(String message) {
            this(FAILED, message);
        }

        private QueryException(int exitCode, String message) {
            super(message);
            this.exitCode = exitCode;
        }

        int exitCode() {
            return exitCode;
        }
    }

    /**
     * A server's answer.
     *
     * @param status HTTP status code
     */
    record Answer(int status, String body) {}

    /**
     * Queries an endpoint.
     *
     * @throws QueryException if the server is unreachable, has no console, or refuses the query
     */
    JsonObject get(String name) throws QueryException {
        Answer answer = fetch("/ui/data/" + name);
        if (answer.status() == HttpURLConnection.HTTP_NOT_FOUND) {
            throw new QueryException(
                    endpoint
                            + " does not serve the console: set --endpoint to one of the server's"
                            + " --listen-metrics-urls");
        }
        if (answer.status() != HttpURLConnection.HTTP_OK) {
            throw new QueryException(endpoint + " refused the query: " + answer.body().strip());
        }
        try {
            return JsonParser.parseString(answer.body()).getAsJsonObject();
        } catch (JsonParseException | IllegalStateException other) {
            throw new QueryException(endpoint + " did not return JSON: not a Brain server");
        }
    }

    private Answer fetch(String path) throws QueryException {
        try {
            return UnixSocket.SCHEME.equals(endpoint.getScheme())
                    ? UnixSocket.get(UnixSocket.file(endpoint), path, timeout)
                    : get(endpoint.resolve(path));
        } catch (IOException failure) {
            throw new QueryException(
                    QueryException.UNREACHABLE,
                    "cannot reach %s: %s (%s)".formatted(endpoint, failure.getMessage(), advice()));
        }
    }

    /**
     * The same for every failure: in TLS 1.3 a server judges the client's certificate after the
     * client's handshake, so the closed connection can be seen before the alert that says why.
     */
    private String advice() {
        String urls = "--endpoint must be one of the server's --listen-metrics-urls";
        return "https".equals(endpoint.getScheme())
                ? urls
                        + "; --cacert must be the issuer of its certificate; if it requires a"
                        + " client certificate, set --cert and --key"
                : urls;
    }

    private Answer get(URI url) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) url.toURL().openConnection();
        if (tls != null && connection instanceof HttpsURLConnection secure) {
            secure.setSSLSocketFactory(tls.getSocketFactory());
        }
        connection.setInstanceFollowRedirects(false);
        connection.setConnectTimeout((int) timeout.toMillis());
        connection.setReadTimeout((int) timeout.toMillis());
        int status = connection.getResponseCode();
        boolean error = status >= HttpURLConnection.HTTP_BAD_REQUEST;
        try (InputStream body = error ? connection.getErrorStream() : connection.getInputStream()) {
            return new Answer(
                    status,
                    body == null ? "" : new String(body.readAllBytes(), StandardCharsets.UTF_8));
        }
    }
}
