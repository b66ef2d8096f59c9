package io.brain.server.http;

import com.google.common.util.concurrent.Uninterruptibles;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;

/**
 * The pages of --enable-pprof: recordings of Java's flight recorder, one at a time, and the stacks
 * of all threads. As in etcd, they know no users. Thread-safe.
 */
public final class Profiles implements AutoCloseable {
    private static final String PATH = "/debug/pprof/";
    private static final String PAGES =
            """
            profile?seconds=30   recording of Java's flight recorder, at most 60 s
            goroutine            stacks of all threads
            """;

    private static final int SECONDS_DEFAULT = 30;
    private static final int SECONDS_MAX = 60;

    /** The recorder drops the oldest chunks beyond that; the file is read as a whole. */
    private static final long RECORDING_BYTES_MAX = 16 << 20;

    /** Their values may be secrets. */
    private static final List<String> NOT_RECORDED =
            List.of("jdk.InitialEnvironmentVariable", "jdk.InitialSystemProperty");

    private static final HttpAnswer BUSY =
            HttpAnswer.error(
                    HttpAnswer.FAILURE.status(),
                    "Could not enable CPU profiling: cpu profiling already in use");

    private static final HttpAnswer STOPPING =
            HttpAnswer.error(HttpAnswer.UNAVAILABLE, "the server is stopping");

    /** Makes the recording; null if there is none. Guarded by this. */
    private Thread recorder;

    private final CountDownLatch closing = new CountDownLatch(1);

    /** Routes by path. */
    Map<String, Route> routes() {
        return Map.of(
                PATH,
                request -> CompletableFuture.completedFuture(HttpAnswer.text(PAGES)),
                PATH + "goroutine",
                request -> CompletableFuture.completedFuture(HttpAnswer.text(stacks())),
                PATH + "profile",
                this::profile);
    }

    private static String stacks() {
        Map<String, String> stacks = new TreeMap<>();
        Thread.getAllStackTraces()
                .forEach(
                        (thread, frames) -> {
                            StringBuilder stack = new StringBuilder();
                            stack.append(thread.getState()).append('\n');
                            for (StackTraceElement frame : frames) {
                                stack.append("    at ").append(frame).append('\n');
                            }
                            stacks.put(thread.getName() + " #" + thread.getId(), stack.toString());
                        });
        StringBuilder text = new StringBuilder();
        stacks.forEach((name, stack) -> text.append(name).append(": ").append(stack).append('\n'));
        return text.toString();
    }

    private CompletableFuture<HttpAnswer> profile(Request request) {
        int seconds = seconds(request);
        return seconds > SECONDS_MAX
                ? CompletableFuture.completedFuture(
                        HttpAnswer.error(
                                HttpAnswer.BAD, "profile duration exceeds " + SECONDS_MAX + " s"))
                : start(seconds);
    }

    /** As in etcd, the default replaces what is no positive number. */
    private static int seconds(Request request) {
        List<String> given = request.target().parameters().getOrDefault("seconds", List.of(""));
        String text = given.get(0);
        if (!text.matches("0*[1-9][0-9]*")) {
            return SECONDS_DEFAULT;
        }
        return new BigInteger(text).min(BigInteger.valueOf(SECONDS_MAX + 1)).intValue();
    }

    private synchronized CompletableFuture<HttpAnswer> start(int seconds) {
        if (recorder != null || isClosing()) {
            return CompletableFuture.completedFuture(BUSY);
        }
        CompletableFuture<HttpAnswer> answer = new CompletableFuture<>();
        recorder = new Thread(() -> run(seconds, answer), "brain-profile");
        recorder.setDaemon(true);
        recorder.start();
        return answer;
    }

    private void run(int seconds, CompletableFuture<HttpAnswer> answer) {
        HttpAnswer made = null;
        Exception failure = null;
        try {
            made =
                    HttpAnswer.of("application/octet-stream", record(seconds))
                            .with(
                                    Map.of(
                                            "Content-Disposition",
                                            "attachment; filename=profile.jfr"));
        } catch (IOException | ParseException | InterruptedException | RuntimeException failed) {
            failure = failed;
        }
        synchronized (this) {
            recorder = null;
        }
        if (failure == null) {
            answer.complete(made);
        } else if (isClosing()) {
            answer.complete(STOPPING);
        } else {
            answer.completeExceptionally(failure);
        }
    }

    private boolean isClosing() {
        return closing.getCount() == 0;
    }

    private ByteString record(int seconds)
            throws IOException, ParseException, InterruptedException {
        try (Recording recording = new Recording(Configuration.getConfiguration("profile"))) {
            NOT_RECORDED.forEach(recording::disable);
            recording.setMaxSize(RECORDING_BYTES_MAX);
            recording.start();
            if (closing.await(seconds, TimeUnit.SECONDS)) {
                throw new InterruptedException("closing");
            }
            recording.stop();
            Path file = Files.createTempFile("brain-profile", ".jfr");
            try {
                recording.dump(file);
                return ByteString.copyFrom(Files.readAllBytes(file));
            } finally {
                Files.delete(file);
            }
        }
    }

    /** Ends the recording. */
    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            closing.countDown();
            running = recorder;
        }
        if (running != null) {
            Uninterruptibles.joinUninterruptibly(running);
        }
    }
}
