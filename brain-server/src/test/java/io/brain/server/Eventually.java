package io.brain.server;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for conditions that other threads fulfil. */
public final class Eventually {
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private Eventually() {}

    /** Returns when {@code condition} holds; fails after a minute. */
    public static void holds(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("condition does not hold after " + TIMEOUT);
            }
            Thread.sleep(5);
        }
    }

    /** The first answer that is not 503: a check fails while a disk is busy. */
    public static HttpResponse<String> answer(URI page) throws IOException, InterruptedException {
        HttpClient client = HttpClient.newHttpClient();
        while (true) {
            var answer = client.send(HttpRequest.newBuilder(page).build(), BodyHandlers.ofString());
            if (answer.statusCode() != 503) {
                return answer;
            }
        }
    }
}
