package io.brain.conformance.cluster.kube;

import io.brain.conformance.server.Peer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The kubectl program as the administrator of one kube-apiserver. */
final class Kubectl {

    private final List<String> words;

    Kubectl(KubeApiServer server) {
        this.words =
                List.of(
                        Peer.KUBECTL.require().toString(),
                        "--server=" + server.url(),
                        "--certificate-authority=" + server.certificate(),
                        "--token=" + KubeClient.TOKEN,
                        "--request-timeout=60s");
    }

    /** Runs a command that has to succeed and returns what it printed, standard error included. */
    String run(String... arguments) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(words);
        all.addAll(List.of(arguments));
        Process process = new ProcessBuilder(all).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new AssertionError("kubectl " + List.of(arguments) + ": " + output);
        }
        return output;
    }
}
