package io.brain.conformance.script;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.stream.Collectors;

/** Plain HTTP/1.1 requests to the port that clients use. */
final class Http {

    private Http() {}

    /** Status, content type and body; the body's lines sorted, for lists that have no order. */
    static String request(URI server, String method, String path)
            throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(server.resolve(path))
                        .version(Version.HTTP_1_1)
                        .timeout(Duration.ofSeconds(20))
                        .method(method, BodyPublishers.noBody())
                        .build();
        HttpClient client = HttpClient.newBuilder().version(Version.HTTP_1_1).build();
        HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
        return answer.statusCode()
                + " "
                + answer.headers().firstValue("content-type").orElse("no content type")
                + answer.headers().firstValue("allow").map(a -> ", allow " + a).orElse("")
                + answer.body().lines().sorted().collect(Collectors.joining(" / ", " [", "]"));
    }
}
