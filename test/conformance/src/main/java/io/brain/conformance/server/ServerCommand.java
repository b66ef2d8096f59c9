package io.brain.conformance.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How one kind of server is started: the same flags mean the same to etcd and to Brain.
 *
 * @param name what reports call it
 * @param command the program and its first arguments
 * @param peerPort whether it also wants an address for other members
 */
public record ServerCommand(String name, List<String> command, boolean peerPort) {

    public ServerCommand {
        command = List.copyOf(command);
    }

    /** The real etcd, if {@code test/peers/build.sh etcd} has been run. */
    public static Optional<ServerCommand> etcd() {
        Path binary = peersBin().resolve("etcd");
        return Files.isExecutable(binary)
                ? Optional.of(new ServerCommand("etcd", List.of(binary.toString()), true))
                : Optional.empty();
    }

    /**
     * Brain: what the system property {@code brain.command} says, else the script {@code brain} at
     * the repository's root. The command "etcd" puts a second etcd in Brain's place.
     */
    public static ServerCommand brain() {
        String command = System.getProperty("brain.command", "");
        if (command.isBlank()) {
            return new ServerCommand("brain", List.of(root().resolve("brain").toString()), false);
        }
        if (command.equals("etcd")) {
            ServerCommand etcd = etcd().orElseThrow(() -> new IllegalStateException(missingEtcd()));
            return new ServerCommand("etcd2", etcd.command(), true);
        }
        return new ServerCommand("brain", List.of(command.trim().split("\\s+")), false);
    }

    /** A follower of three Brain servers on the store that these flags name. */
    public static ServerCommand follower(List<String> storage) {
        List<String> words = new ArrayList<>();
        words.add(root().resolve("test/peers/brain-cluster.sh").toString());
        words.addAll(storage);
        return new ServerCommand("brain", words, false);
    }

    /** One line that says how to get the real etcd. */
    public static String missingEtcd() {
        return "no etcd in " + peersBin() + ": build it with test/peers/build.sh etcd";
    }

    List<String> line(Path data, int clientPort, int memberPort, List<String> flags) {
        List<String> line = new ArrayList<>(command);
        String client = "http://127.0.0.1:" + clientPort;
        line.addAll(List.of("--name", "e1", "--data-dir", data.toString()));
        line.addAll(List.of("--listen-client-urls", client, "--advertise-client-urls", client));
        if (peerPort) {
            String member = "http://127.0.0.1:" + memberPort;
            line.addAll(List.of("--listen-peer-urls", member));
            line.addAll(List.of("--initial-advertise-peer-urls", member));
            line.addAll(List.of("--initial-cluster", "e1=" + member));
        }
        if (isBrain()) {
            // etcd does not send it; Brain's own tests have it on.
            line.add("--watch-progress-before-compaction=false");
        }
        line.addAll(flags);
        return line;
    }

    private boolean isBrain() {
        return name.equals("brain");
    }

    private static Path peersBin() {
        String asked = System.getenv("PEERS_BIN");
        return asked == null || asked.isBlank()
                ? Path.of(System.getProperty("user.home"), ".cache", "brain-peers", "bin")
                : Path.of(asked);
    }

    /** The repository's root: the nearest folder, upwards, that holds the Maven wrapper. */
    public static Path root() {
        try {
            Path folder = Path.of("").toRealPath();
            while (!Files.exists(folder.resolve("mvnw"))) {
                folder = folder.getParent();
                if (folder == null) {
                    throw new IllegalStateException("not inside the repository");
                }
            }
            return folder;
        } catch (IOException e) {
            throw new IllegalStateException("no working directory", e);
        }
    }
}
