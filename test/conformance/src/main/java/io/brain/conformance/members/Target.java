package io.brain.conformance.members;

import io.brain.conformance.server.Peer;
import io.brain.conformance.server.ServerCommand;
import io.brain.storage.testkit.FreePorts;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** The kinds of cluster. */
public enum Target {
    ETCD {
        @Override
        Cluster create(Path directory, Duration lease, List<String> flags) throws IOException {
            Network network = new Network();
            List<Place> places = places(network);
            String token = "t" + System.nanoTime();
            StringBuilder all = new StringBuilder();
            for (Place place : places) {
                all.append(all.isEmpty() ? "" : ",").append(place.name()).append('=');
                all.append(place.peerUrl());
            }
            List<String> words = ServerCommand.etcd().words();
            List<Node> nodes = new ArrayList<>();
            for (Place place : places) {
                List<String> line = new ArrayList<>();
                line.add("--initial-cluster=" + all);
                line.add("--initial-cluster-token=" + token);
                line.add("--log-level=warn");
                line.addAll(flags);
                nodes.add(place.node(words, line, Map.of(), directory));
            }
            return new Cluster("etcd", nodes, List.of(), Optional.empty(), List.of(), network);
        }
    },
    BRAIN {
        @Override
        Cluster create(Path directory, Duration lease, List<String> flags)
                throws IOException, InterruptedException {
            Peer.requireTikv();
            Network network = new Network();
            TikvBed bed = TikvBed.start(directory, Peer.builtPrograms(), REGION_BYTES);
            List<Node> nodes = new ArrayList<>();
            List<Node> twins = new ArrayList<>();
            List<Clock> clocks = new ArrayList<>(bed.clocks());
            for (Place place : places(network)) {
                List<String> pds = new ArrayList<>();
                List<String> map = new ArrayList<>();
                for (int i = 0; i < bed.pds().size(); i++) {
                    int port = bed.pdPorts().get(i);
                    Relay pd = network.between(place.name(), bed.pds().get(i).name(), port);
                    pds.add(pd.address());
                    map.add("127.0.0.1:%d=%s".formatted(port, pd.address()));
                }
                for (int i = 0; i < bed.stores().size(); i++) {
                    int port = bed.storePorts().get(i);
                    Relay store = network.between(place.name(), bed.stores().get(i).name(), port);
                    map.add("127.0.0.1:%d=%s".formatted(port, store.address()));
                }
                List<String> line = new ArrayList<>();
                line.addAll(List.of("--storage=tikv", "--pd-endpoints=" + String.join(",", pds)));
                line.add("--storage-option=address-map=" + String.join(",", map));
                line.addAll(
                        List.of("--keyspace=linear", "--leader-lease=" + lease.toMillis() + "ms"));
                line.addAll(flags);
                line.addAll(moreFlags());
                List<String> words = ServerCommand.underTest().words();
                Clock clock = new Clock(directory, place.name());
                clocks.add(clock);
                Map<String, String> environment = new TreeMap<>(clock.environment());
                environment.put(
                        JAVA_OPTIONS, System.getenv().getOrDefault(JAVA_OPTIONS, "-Xmx384m"));
                nodes.add(place.node(words, line, environment, directory));
                twins.add(place.twin(network).node(words, line, environment, directory));
            }
            return new Cluster("brain", nodes, twins, Optional.of(bed), clocks, network);
        }
    };

    private static final String JAVA_OPTIONS = "BRAIN_JAVA_OPTS";
    private static final int NODES = 3;

    /**
     * More than a run writes. After a burst splits a small region, the store may not tell PD of the
     * new ones for minutes, and no server can find their keys.
     */
    private static final long REGION_BYTES = 256L << 20;

    /**
     * Everything but the start of the members.
     *
     * @param lease of Brain's leader; etcd has its own time
     * @param flags further ones of each member
     */
    abstract Cluster create(Path directory, Duration lease, List<String> flags)
            throws IOException, InterruptedException;

    /** What a member is called and where it is reached; the relays exist, the process does not. */
    private static final class Place {
        private final List<Program> programs;
        private final String name;
        private final String process;
        private final int port;
        private final Relay clients;
        private final Relay peers;

        private Place(List<Program> programs, int index, Network network) throws IOException {
            this.programs = programs;
            this.name = "n" + (index + 1);
            this.process = name;
            this.port = FreePorts.row(2);
            this.clients = network.between("client", name, port);
            this.peers = network.among(programs, name, port + 1);
        }

        private Place(Place first, Network network) throws IOException {
            this.programs = first.programs;
            this.name = first.name;
            this.process = name + "-twin";
            this.port = FreePorts.row(2);
            this.clients = network.between("client", name, port);
            this.peers = first.peers;
        }

        /** Another process of the same member: peers are told to call the first one. */
        private Place twin(Network network) throws IOException {
            return new Place(this, network);
        }

        private String name() {
            return name;
        }

        private String peerUrl() {
            return "http://" + peers.address();
        }

        private Node node(
                List<String> words,
                List<String> flags,
                Map<String, String> environment,
                Path directory) {
            List<String> line = new ArrayList<>(words);
            line.add("--name=" + name);
            line.add("--data-dir=" + directory.resolve(process));
            line.add("--listen-client-urls=http://127.0.0.1:" + port);
            line.add("--advertise-client-urls=http://" + clients.address());
            line.add("--listen-peer-urls=http://127.0.0.1:" + (port + 1));
            line.add("--initial-advertise-peer-urls=" + peerUrl());
            line.addAll(flags);
            Path log = directory.resolve(process + ".log");
            Program program = new Program(process, line, environment, log);
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
}
