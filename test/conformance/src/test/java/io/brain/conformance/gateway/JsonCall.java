package io.brain.conformance.gateway;

import com.google.protobuf.ByteString;
import io.brain.conformance.server.Server;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A request; body and header may be null. */
record JsonCall(String method, String path, ByteString body, String header, String value) {
    static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    static JsonCall post(String path, byte[] body) {
        return new JsonCall("POST", path, ByteString.copyFrom(body), null, null);
    }

    static JsonCall post(String path, String body) {
        return post(path, body.getBytes(StandardCharsets.UTF_8));
    }

    HttpResponse<byte[]> send(Server server) throws IOException, InterruptedException {
        return CLIENT.send(request(server), BodyHandlers.ofByteArray());
    }

    HttpRequest request(Server server) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(server.http() + path))
                        .timeout(Duration.ofSeconds(60))
                        .method(
                                method,
                                body == null
                                        ? BodyPublishers.noBody()
                                        : BodyPublishers.ofByteArray(body.toByteArray()));
        if (header != null) {
            request.header(header, value);
        }
        return request.build();
    }

    String text() {
        String shown = body == null ? "" : body.toString(StandardCharsets.ISO_8859_1);
        return method + ' ' + path + ' ' + shown.substring(0, Math.min(300, shown.length()));
    }
}
