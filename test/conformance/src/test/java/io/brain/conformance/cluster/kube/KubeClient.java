package io.brain.conformance.cluster.kube;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Plain HTTPS to a kube-apiserver, as its administrator. Nothing is retried. Thread-safe. */
final class KubeClient {

    static final String TOKEN = "admintoken";

    /** Longer than the server's own 60 s, so that an answer is never given up before it comes. */
    private static final Duration REQUEST_MAX = Duration.ofMinutes(2);

    private final HttpClient http;
    private final String url;

    KubeClient(KubeApiServer server) throws IOException, GeneralSecurityException {
        this.url = server.url();
        this.http = HttpClient.newBuilder().sslContext(trusting(server.certificate())).build();
    }

    /**
     * An answer, whatever its status.
     *
     * @param body what came, an empty object when it was not JSON
     */
    record Answer(int status, JsonObject body) {

        boolean isSuccess() {
            return status >= 200 && status < 300;
        }

        /** The body, for an answer that has to be a success. */
        JsonObject orFail() {
            if (!isSuccess()) {
                throw new AssertionError("status " + status + ": " + body);
            }
            return body;
        }

        /** The object's resource version; of a list, the list's. */
        long resourceVersion() {
            return KubeObjects.resourceVersion(orFail());
        }
    }

    Answer get(String path) throws IOException, InterruptedException {
        return send(request(path).GET());
    }

    Answer create(String path, JsonObject object) throws IOException, InterruptedException {
        return send(request(path).POST(json(object)));
    }

    Answer replace(String path, JsonObject object) throws IOException, InterruptedException {
        return send(request(path).PUT(json(object)));
    }

    /** A JSON merge patch. */
    Answer patch(String path, JsonObject patch) throws IOException, InterruptedException {
        return send(
                request(path)
                        .setHeader("Content-Type", "application/merge-patch+json")
                        .method("PATCH", json(patch)));
    }

    Answer delete(String path) throws IOException, InterruptedException {
        return send(request(path).DELETE());
    }

    /** Deletes the object only if this is still its resource version. */
    Answer delete(String path, long resourceVersion) throws IOException, InterruptedException {
        JsonObject options = KubeObjects.deleteOptions(resourceVersion);
        return send(request(path).method("DELETE", json(options)));
    }

    /** A page that is not JSON, such as /readyz or /metrics. */
    String text(String path) throws IOException, InterruptedException {
        return http.send(request(path).GET().build(), HttpResponse.BodyHandlers.ofString()).body();
    }

    /**
     * Watches a list's path (which may have a query) from a resource version on.
     *
     * @throws IOException also when the server refuses to begin
     */
    KubeWatch watch(String path, long resourceVersion) throws IOException, InterruptedException {
        String query = path.contains("?") ? "&" : "?";
        HttpRequest request =
                HttpRequest.newBuilder(
                                URI.create(
                                        url
                                                + path
                                                + query
                                                + "watch=1&allowWatchBookmarks=true"
                                                + "&resourceVersion="
                                                + resourceVersion))
                        .header("Authorization", "Bearer " + TOKEN)
                        .build();
        HttpResponse<InputStream> response =
                http.send(request, HttpResponse.BodyHandlers.ofInputStream());
        if (response.statusCode() != 200) {
            response.body().close();
            throw new IOException("a watch was refused with status " + response.statusCode());
        }
        return new KubeWatch(response.body());
    }

    private Answer send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> response =
                http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        String body = response.body();
        return new Answer(
                response.statusCode(),
                body.startsWith("{")
                        ? JsonParser.parseString(body).getAsJsonObject()
                        : new JsonObject());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(url + path))
                .timeout(REQUEST_MAX)
                .header("Authorization", "Bearer " + TOKEN)
                .header("Content-Type", "application/json");
    }

    private static HttpRequest.BodyPublisher json(JsonObject object) {
        return HttpRequest.BodyPublishers.ofString(object.toString());
    }

    private static SSLContext trusting(Path certificate)
            throws IOException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        try (InputStream in = Files.newInputStream(certificate)) {
            int number = 0;
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            for (Certificate c : factory.generateCertificates(in)) {
                trusted.setCertificateEntry("c" + number++, c);
            }
        }
        TrustManagerFactory managers =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }
}
