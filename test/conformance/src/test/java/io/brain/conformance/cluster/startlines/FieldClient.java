package io.brain.conformance.cluster.startlines;

import io.brain.conformance.server.Peer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * etcdctl and curl at one server.
 *
 * @param endpoint the server's URL for clients
 * @param identity ca, certificate and key, PEM; empty for a server without TLS, the first alone for
 *     a client without a certificate
 */
record FieldClient(String endpoint, List<Path> identity) {
    private static final List<String> NAMES = List.of("--cacert", "--cert", "--key");
    private static final int SECONDS_MAX = 60;

    /** How a program ended. */
    record Output(int code, String text) {}

    FieldClient {
        identity = List.copyOf(identity);
    }

    /** What etcdctl prints, which has to succeed; words, and what it reads. */
    String etcdctl(List<String> words, String input) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Peer.ETCDCTL.require().toString());
        command.addAll(List.of("--endpoints=" + endpoint, "--command-timeout=30s"));
        command.addAll(flags());
        command.addAll(words);
        Output output = run(command, input);
        if (output.code() != 0) {
            throw new AssertionError("etcdctl " + words + ": " + output.text());
        }
        return output.text();
    }

    String etcdctl(String... words) throws IOException, InterruptedException {
        return etcdctl(List.of(words), "");
    }

    /** The body of a page of the endpoint that was answered with 200; else code 22 or another. */
    Output page(String path) throws IOException, InterruptedException {
        return get(endpoint + path, flags());
    }

    /** The same of a page in the clear. */
    static Output get(String url) throws IOException, InterruptedException {
        return get(url, List.of());
    }

    private static Output get(String url, List<String> flags)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Peer.CURL.require().toString());
        command.addAll(List.of("--silent", "--fail", "--max-time", "10"));
        command.addAll(flags);
        command.add(url);
        return run(command, "");
    }

    private List<String> flags() {
        List<String> flags = new ArrayList<>();
        for (int i = 0; i < identity.size(); i++) {
            flags.addAll(List.of(NAMES.get(i), identity.get(i).toString()));
        }
        return flags;
    }

    private static Output run(List<String> command, String input)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().close();
            // Both programs have a time limit of their own, and print less than a pipe takes.
            if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                throw new IOException("it does not end: " + command);
            }
            byte[] output = process.getInputStream().readAllBytes();
            return new Output(process.exitValue(), new String(output, StandardCharsets.UTF_8));
        } finally {
            process.destroyForcibly();
        }
    }
}
