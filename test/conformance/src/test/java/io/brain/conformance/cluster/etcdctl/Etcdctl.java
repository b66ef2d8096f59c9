package io.brain.conformance.cluster.etcdctl;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.server.Peer;
import io.brain.conformance.server.ServerHome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** etcdctl against one server, step by step, with a memory for the ids that the server chooses. */
final class Etcdctl implements AutoCloseable {

    private static final int SECONDS_MAX = 60;
    private static final Pattern GRANTED =
            Pattern.compile("lease ([0-9a-f]{16}) granted|\"ID\" ?: ?(\\d+)");

    private final ServerHome home;
    private final Path directory;
    private final EtcdClient client;
    private final Map<String, Running> background = new HashMap<>();
    private final List<String> leases = new ArrayList<>();

    /**
     * @param directory for the commands' output, empty
     */
    Etcdctl(ServerHome home, Path directory) throws IOException {
        this.home = home;
        this.directory = Files.createDirectories(directory);
        this.client = new EtcdClient(home.target());
    }

    /** Takes a step; START and AWAIT have an empty output. */
    Output take(Step step) throws IOException, InterruptedException {
        switch (step.kind()) {
            case RUN, DEVIATE -> {
                Output output = start(step).finish();
                if (step.words().contains("grant")) {
                    rememberLease(output.standard());
                }
                return output;
            }
            case START -> background.put(step.name(), start(step));
            case AWAIT -> background.get(step.name()).await(step.lines());
            case STOP -> {
                Running running = background.remove(step.name());
                running.await(step.lines());
                return running.stop();
            }
        }
        return new Output(0, "", "");
    }

    @Override
    public void close() {
        background.values().forEach(running -> running.process().destroyForcibly());
        client.close();
    }

    private Running start(Step step) throws IOException {
        List<String> words = new ArrayList<>();
        words.add(Peer.ETCDCTL.require().toString());
        words.addAll(
                List.of(
                        "--endpoints=" + home.target(),
                        "--command-timeout=60s",
                        "--dial-timeout=30s"));
        Map<String, String> values = values(step);
        step.words().forEach(word -> words.add(replace(word, values)));
        Path standard = directory.resolve(step.line() + ".out");
        Path error = directory.resolve(step.line() + ".err");
        Process process =
                new ProcessBuilder(words)
                        .redirectOutput(standard.toFile())
                        .redirectError(error.toFile())
                        .start();
        process.getOutputStream()
                .write(replace(step.input(), values).getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
        Running running = new Running(process, standard, error);
        if (step.isForeground()) {
            process.getOutputStream().close();
        }
        return running;
    }

    private Map<String, String> values(Step step) {
        Map<String, String> values = new HashMap<>();
        values.put("$DIR", directory.toString());
        String text = step.text() + step.input();
        if (text.contains("$REV") || text.contains("$NEXT")) {
            long revision = client.revision();
            values.put("$REV", Long.toString(revision));
            values.put("$NEXT", Long.toString(revision + 1));
        }
        if (text.contains("$MEMBER")) {
            values.put("$MEMBER", String.format("%016x", client.memberId()));
        }
        for (int i = 0; i < leases.size(); i++) {
            values.put("$LEASE" + (i + 1), leases.get(i));
        }
        return values;
    }

    private static String replace(String text, Map<String, String> values) {
        String replaced = text;
        for (Map.Entry<String, String> value : values.entrySet()) {
            replaced = replaced.replace(value.getKey(), value.getValue());
        }
        return replaced;
    }

    private void rememberLease(String output) {
        Matcher m = GRANTED.matcher(output);
        if (m.find()) {
            leases.add(
                    m.group(1) != null
                            ? m.group(1)
                            : String.format("%016x", Long.parseLong(m.group(2))));
        }
    }

    /** A command under way, with its output in files. */
    private record Running(Process process, Path standard, Path error) {

        /** Waits until it has printed so many lines, or has ended. */
        void await(int lines) throws IOException, InterruptedException {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
            while (process.isAlive() && (lines == 0 || printed() < lines)) {
                if (System.nanoTime() > deadline) {
                    process.destroyForcibly();
                    throw new AssertionError(printed() + " lines of " + lines + ": " + output());
                }
                Thread.sleep(10);
            }
        }

        /** Waits until it ends by itself. */
        Output finish() throws IOException, InterruptedException {
            if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError("it does not end: " + output());
            }
            return output();
        }

        Output stop() throws IOException, InterruptedException {
            // By its handle: Process.destroy would close its standard input as well.
            process.toHandle().destroy();
            return finish();
        }

        private long printed() throws IOException {
            return Files.readString(standard).chars().filter(c -> c == '\n').count();
        }

        private Output output() throws IOException {
            return new Output(
                    process.isAlive() ? -1 : process.exitValue(),
                    Files.readString(standard),
                    Files.readString(error));
        }
    }
}
