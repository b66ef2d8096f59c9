package io.brain.conformance.members;

import io.brain.conformance.server.ServerCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** The kinds of cluster. */
public enum Target {
    ETCD {
        @Override
        Cluster create(Path directory, Duration lease) throws IOException {
            Network network = new Network();
            List<Place> places = places(network);
            String token = "t" + System.nanoTime();
            StringBuilder all = new StringBuilder();
            for (Place place : places) {
                all.append(all.isEmpty() ? "" : ",").append(place.name()).append('=');
                all.append(place.peerUrl());
            }
            List<String> words =
                    ServerCommand.etcd()
                            .orElseThrow(
                                    () -> new IllegalStateException(ServerCommand.missingEtcd()))
                            .command();
            List<Node> nodes = new ArrayList<>();
            for (Place place : places) {
                List<String> line = place.line(words);
                line.add("--data-dir=" + directory.resolve(place.name()));
                line.add("--initial-cluster=" + all);
                line.add("--initial-cluster-token=" + token);
                line.add("--log-level=warn");
                nodes.add(place.node(line, Map.of(), directory));
            }
            return new Cluster("etcd", nodes, Optional.empty(), network);
        }
    },
    BRAIN {
        @Override
        Cluster create(Path directory, Duration lease) throws IOException, InterruptedException {
            Network network = new Network();
            TikvBed bed = TikvBed.start(directory, programs());
            List<Node> nodes = new ArrayList<>();
            for (Place place : places(network)) {
                Relay pd = network.between(place.name(), "pd", bed.pdPort());
                Relay store = network.between(place.name(), "store", bed.storePort());
                List<String> line = place.line(ServerCommand.brain().command());
                line.add("--data-dir=" + directory.resolve(place.name()));
                line.addAll(List.of("--storage=tikv", "--pd-endpoints=" + pd.address()));
                line.add(
                        "--storage-option=address-map=127.0.0.1:%d=%s,127.0.0.1:%d=%s"
                                .formatted(
                                        bed.pdPort(),
                                        pd.address(),
                                        bed.storePort(),
                                        store.address()));
                line.addAll(
                        List.of("--keyspace=linear", "--leader-lease=" + lease.toMillis() + "ms"));
                line.addAll(moreFlags());
                String options = System.getenv().getOrDefault(JAVA_OPTIONS, "-Xmx384m");
                nodes.add(place.node(line, Map.of(JAVA_OPTIONS, options), directory));
            }
            return new Cluster("brain", nodes, Optional.of(bed), network);
        }
    };

    private static final String JAVA_OPTIONS = "BRAIN_JAVA_OPTS";
    private static final int NODES = 3;

    /**
     * Everything but the start of the members.
     *
     * @param lease of Brain's leader; etcd has its own time
     */
    abstract Cluster create(Path directory, Duration lease)
            throws IOException, InterruptedException;

    /** What a member is called and where it is reached; the relays exist, the process does not. */
    private static final class Place {
        private final List<Program> programs;
        private final int index;
        private final int port;
        private final Relay clients;
        private final Relay peers;

        private Place(List<Program> programs, int index, Network network) throws IOException {
            this.programs = programs;
            this.index = index;
            this.port = Ports.pair();
            this.clients = network.between("client", name(), port);
            this.peers = network.among(programs, name(), port + 1);
        }

        private String name() {
            return "n" + (index + 1);
        }

        private String peerUrl() {
            return "http://" + peers.address();
        }

        private List<String> line(List<String> words) {
            List<String> line = new ArrayList<>(words);
            line.add("--name=" + name());
            line.add("--listen-client-urls=http://127.0.0.1:" + port);
            line.add("--advertise-client-urls=http://" + clients.address());
            line.add("--listen-peer-urls=http://127.0.0.1:" + (port + 1));
            line.add("--initial-advertise-peer-urls=" + peerUrl());
            return line;
        }

        private Node node(List<String> line, Map<String, String> environment, Path directory) {
            Path log = directory.resolve(name() + ".log");
            Program program = new Program(name(), line, environment, log);
            programs.add(program);
            return new Node(program, port, clients.address());
        }
    }

    private static List<Place> places(Network network) throws IOException {
        List<Program> programs = new CopyOnWriteArrayList<>();
        List<Place> places = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            places.add(new Place(programs, i, network));
        }
        return places;
    }

    /** Flags for every Brain node, from the environment. */
    private static List<String> moreFlags() {
        String flags = System.getenv().getOrDefault("BRAIN_FLAGS", "").trim();
        return flags.isEmpty() ? List.of() : List.of(flags.split("\\s+"));
    }

    private static Path programs() {
        String asked = System.getenv("PEERS_BIN");
        Path programs =
                asked == null || asked.isBlank()
                        ? Path.of(System.getProperty("user.home"), ".cache", "brain-peers", "bin")
                        : Path.of(asked);
        if (!Files.isExecutable(programs.resolve("unistore"))) {
            throw new IllegalStateException("run test/peers/build.sh pd unistore first");
        }
        return programs;
    }
}
