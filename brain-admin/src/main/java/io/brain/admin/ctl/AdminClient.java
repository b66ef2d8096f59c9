package io.brain.admin.ctl;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;

/** Queries the admin endpoints of a server. */
final class AdminClient {
    private static final int OK = 200;
    private static final int NOT_FOUND = 404;

    private final URI endpoint;
    private final Duration timeout;
    private final HttpClient client;

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
        HttpClient.Builder builder =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(timeout);
        this.client = (tls == null ? builder : builder.sslContext(tls)).build();
    }

    /**
     * Queries an endpoint.
     *
     * @throws CtlException if the server is unreachable, has no console, or refuses the query
     */
    JsonObject get(String name) throws CtlException {
        SocketFile.Answer answer = fetch(name);
        if (answer.status() == NOT_FOUND) {
            throw new CtlException(
                    CtlCommand.FAILED,
                    endpoint
                            + " does not serve the console: set --endpoint to one of the server's"
                            + " --listen-metrics-urls");
        }
        if (answer.status() != OK) {
            throw new CtlException(
                    CtlCommand.FAILED, endpoint + " refused the query: " + answer.body().strip());
        }
        try {
            return JsonParser.parseString(answer.body()).getAsJsonObject();
        } catch (JsonParseException | IllegalStateException strange) {
            throw new CtlException(
                    CtlCommand.FAILED, endpoint + " did not return JSON: not a Brain server");
        }
    }

    private SocketFile.Answer fetch(String name) throws CtlException {
        String path = "/ui/data/" + name;
        try {
            if (SocketFile.SCHEME.equals(endpoint.getScheme())) {
                return SocketFile.get(SocketFile.of(endpoint), path, timeout);
            }
            HttpRequest request =
                    HttpRequest.newBuilder(endpoint.resolve(path)).timeout(timeout).build();
            HttpResponse<String> answer =
                    client.send(request, HttpResponse.BodyHandlers.ofString());
            return new SocketFile.Answer(answer.statusCode(), answer.body());
        } catch (SSLHandshakeException refused) {
            throw unreachable("TLS: " + refused.getMessage());
        } catch (IOException away) {
            String why = away.getMessage();
            throw unreachable(why == null ? "connection refused" : why);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw unreachable("interrupted");
        }
    }

    private CtlException unreachable(String why) {
        return new CtlException(
                CtlCommand.UNREACHABLE,
                "cannot reach "
                        + endpoint
                        + ": "
                        + why
                        + " (--endpoint must be one of the server's --listen-metrics-urls)");
    }
}
