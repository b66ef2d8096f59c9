package io.brain.conformance.cluster.kube;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A watch of a kube-apiserver, read by a thread of its own. Taking is for one thread. */
final class KubeWatch implements AutoCloseable {

    private static final Duration EVENT_MAX = Duration.ofSeconds(60);

    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final InputStream stream;
    private volatile boolean ended;

    /**
     * @param stream one JSON event per line
     */
    KubeWatch(InputStream stream) {
        this.stream = stream;
        Thread reader = new Thread(this::read, "kube-watch");
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * @param type ADDED, MODIFIED, DELETED, BOOKMARK or ERROR
     */
    record Event(String type, JsonObject object) {

        long resourceVersion() {
            return KubeObjects.resourceVersion(object);
        }

        String name() {
            return KubeObjects.name(object);
        }
    }

    /** The next event; empty when none comes in this time or the stream has ended. */
    Optional<Event> next(Duration max) throws InterruptedException {
        long deadline = System.nanoTime() + max.toNanos();
        while (true) {
            boolean wasEnded = ended;
            Event event = events.poll(50, TimeUnit.MILLISECONDS);
            if (event != null) {
                return Optional.of(event);
            }
            if (wasEnded || System.nanoTime() > deadline) {
                return Optional.empty();
            }
        }
    }

    /** The next events that are changes, exactly this many. */
    List<Event> take(int count) throws InterruptedException {
        List<Event> taken = new ArrayList<>();
        while (taken.size() < count) {
            int soFar = taken.size();
            Event event =
                    next(EVENT_MAX)
                            .orElseThrow(
                                    () -> new AssertionError(soFar + " of " + count + " events"));
            if (!event.type().equals("BOOKMARK")) {
                taken.add(event);
            }
        }
        return taken;
    }

    boolean hasEnded() {
        return ended;
    }

    @Override
    public void close() throws IOException {
        stream.close();
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                JsonObject event = JsonParser.parseString(line).getAsJsonObject();
                events.add(
                        new Event(
                                event.get("type").getAsString(), event.getAsJsonObject("object")));
            }
        } catch (IOException closed) {
            // The test or the server has closed the stream; both are an end.
        } finally {
            ended = true;
        }
    }
}
