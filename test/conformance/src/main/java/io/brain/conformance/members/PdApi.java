package io.brain.conformance.members;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;

/** PD's HTTP interface, at the first of its members that answers. Thread-safe. */
final class PdApi {

    private static final Duration CONNECT_MAX = Duration.ofSeconds(2);
    private static final Duration ANSWER_MAX = Duration.ofSeconds(3);
    private static final int OK = 200;

    private final HttpClient http = HttpClient.newBuilder().connectTimeout(CONNECT_MAX).build();
    private final List<Integer> ports;

    PdApi(List<Integer> ports) {
        this.ports = List.copyOf(ports);
    }

    /** The text at a path. */
    String text(String path) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder().GET(), path).body();
    }

    /** The object at a path. */
    JsonObject object(String path) throws IOException, InterruptedException {
        JsonElement answer = JsonParser.parseString(text(path));
        if (!answer.isJsonObject()) {
            throw new IOException("PD answers " + answer + " at " + path);
        }
        return answer.getAsJsonObject();
    }

    /** Orders a change of regions ("operator"); false if PD refuses. */
    boolean order(JsonObject operator) throws IOException, InterruptedException {
        var body = HttpRequest.BodyPublishers.ofString(operator.toString());
        return send(HttpRequest.newBuilder().POST(body), "/pd/api/v1/operators").statusCode() == OK;
    }

    private HttpResponse<String> send(HttpRequest.Builder request, String path)
            throws IOException, InterruptedException {
        IOException failure = null;
        for (int port : ports) {
            URI uri = URI.create("http://127.0.0.1:" + port + path);
            try {
                return http.send(
                        request.copy().uri(uri).timeout(ANSWER_MAX).build(),
                        HttpResponse.BodyHandlers.ofString());
            } catch (IOException noAnswer) {
                failure = noAnswer;
            }
        }
        throw new IOException("no PD answers", failure);
    }
}
