package io.brain.server.ctl;

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

/** Asks a server for its facts. */
final class FactClient {
    private static final int OK = 200;
    private static final int NOT_FOUND = 404;

    private final URI endpoint;
    private final Duration patience;
    private final HttpClient client;

    /**
     * A client of one server.
     *
     * @param endpoint a URL of {@code --listen-metrics-urls}
     * @param patience how long an answer may take
     * @param tls null: as Java does it
     */
    FactClient(URI endpoint, Duration patience, SSLContext tls) {
        this.endpoint = endpoint;
        this.patience = patience;
        HttpClient.Builder builder =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(patience);
        this.client = (tls == null ? builder : builder.sslContext(tls)).build();
    }

    /**
     * The fact of that name.
     *
     * @throws CtlException if the server is not there, has no facts, or cannot tell this one
     */
    JsonObject ask(String fact) throws CtlException {
        SocketFile.Answer answer = get(fact);
        if (answer.status() == NOT_FOUND) {
            throw new CtlException(
                    CtlCommand.FAILED,
                    endpoint
                            + " has no console: --endpoint must be one of the URLs that the"
                            + " server's --listen-metrics-urls has; that has to be set");
        }
        if (answer.status() != OK) {
            throw new CtlException(
                    CtlCommand.FAILED, endpoint + " cannot tell: " + answer.body().strip());
        }
        try {
            return JsonParser.parseString(answer.body()).getAsJsonObject();
        } catch (JsonParseException | IllegalStateException strange) {
            throw new CtlException(CtlCommand.FAILED, endpoint + " does not answer as Brain does");
        }
    }

    private SocketFile.Answer get(String fact) throws CtlException {
        String path = "/ui/data/" + fact;
        try {
            if (SocketFile.SCHEME.equals(endpoint.getScheme())) {
                return SocketFile.get(SocketFile.of(endpoint), path, patience);
            }
            HttpRequest request =
                    HttpRequest.newBuilder(endpoint.resolve(path)).timeout(patience).build();
            HttpResponse<String> answer =
                    client.send(request, HttpResponse.BodyHandlers.ofString());
            return new SocketFile.Answer(answer.statusCode(), answer.body());
        } catch (SSLHandshakeException refused) {
            throw unreachable("TLS: " + refused.getMessage());
        } catch (IOException away) {
            String why = away.getMessage();
            throw unreachable(why == null ? "nothing listens there" : why);
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
                        + " (--endpoint names one of the server's --listen-metrics-urls)");
    }
}
