package io.brain.conformance.members;

import io.brain.conformance.server.Repository;
import io.brain.storage.testkit.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A real PD and one store of TiKV's protocol, as {@code test/peers/start-tikv.sh} starts them, but
 * so that each can be started again. The store's lock table is in memory: it may be stopped by
 * SIGTERM, never by {@code kill -9}. With the environment's {@code BRAIN_TIKV_SERVER} three PDs and
 * three nodes of that tikv-server, which may be killed one at a time.
 */
public final class TikvBed implements AutoCloseable {

    private static final Duration READY_MAX = Duration.ofMinutes(3);
    private static final int START_ATTEMPTS_MAX = 3;
    private static final long SMALL_REGION_BYTES = 256 << 10;

    private static final String SERVER = System.getenv("BRAIN_TIKV_SERVER");
    private static final int MEMBERS = SERVER == null ? 1 : 3;

    /** More than a round writes, and less than a store has as soon as it runs. */
    private static final String ROOM = "4GB";

    private static final String NO_ROOM = "1MB";

    /** A copy of each region on each store, and regions stay as small as they became. */
    private static final String PD_SETTINGS =
            """
            [replication]
            max-replicas = %d
            location-labels = []
            [schedule]
            max-merge-region-size = 0
            max-merge-region-keys = 0
            """;

    private final Path directory;
    private final Path programs;
    private final long regionBytes;
    private final List<Integer> pdPorts = new ArrayList<>();
    private final List<Integer> storePorts = new ArrayList<>();
    private final List<Program> pds = new ArrayList<>();
    private final List<Program> stores = new ArrayList<>();
    private final List<Clock> clocks = new ArrayList<>();
    private final PdApi api;

    private TikvBed(Path directory, Path programs, long regionBytes) throws IOException {
        this.directory = directory;
        this.programs = programs;
        this.regionBytes = regionBytes;
        for (int i = 0; i < MEMBERS; i++) {
            pdPorts.add(FreePorts.row(2));
            storePorts.add(FreePorts.row(2));
        }
        this.api = new PdApi(pdPorts);
        Files.writeString(directory.resolve("pd.toml"), PD_SETTINGS.formatted(MEMBERS));
        for (int i = 0; i < MEMBERS; i++) {
            String name = "pd" + (i + 1);
            pds.add(new Program(name, pd(name, i), Map.of(), directory.resolve(name + ".out")));
        }
        for (int i = 0; i < MEMBERS; i++) {
            String name = "store" + (i == 0 ? "" : i + 1);
            Path log = directory.resolve(name + ".log");
            if (SERVER == null) {
                stores.add(new Program(name, unistore(), Map.of(), log));
                continue;
            }
            Clock clock = new Clock(directory, name);
            clocks.add(clock);
            stores.add(new Program(name, tikv(name, i), clock.environment(), log));
            writeSettings(name, ROOM);
        }
    }

    private List<String> pd(String name, int index) {
        int port = pdPorts.get(index);
        List<String> members = new ArrayList<>();
        for (int i = 0; i < MEMBERS; i++) {
            members.add("pd" + (i + 1) + "=http://127.0.0.1:" + (pdPorts.get(i) + 1));
        }
        return List.of(
                programs.resolve("pd-server").toString(),
                "--name=" + name,
                "--config=" + directory.resolve("pd.toml"),
                "--data-dir=" + directory.resolve(name),
                "--log-file=" + directory.resolve(name + ".log"),
                "--client-urls=http://127.0.0.1:" + port,
                "--peer-urls=http://127.0.0.1:" + (port + 1),
                "--initial-cluster=" + String.join(",", members));
    }

    private List<String> unistore() {
        return List.of(
                programs.resolve("unistore").toString(),
                "-pd=127.0.0.1:" + pdPorts.get(0),
                "-addr=127.0.0.1:" + storePorts.get(0),
                "-data-dir=" + directory.resolve("store"),
                "-region-size=" + regionBytes,
                "-L=warn");
    }

    private List<String> tikv(String name, int index) {
        int port = storePorts.get(index);
        return List.of(
                SERVER,
                "--config=" + settings(name),
                "--pd-endpoints=" + pdEndpoints(),
                "--addr=127.0.0.1:" + port,
                "--advertise-addr=127.0.0.1:" + port,
                "--status-addr=127.0.0.1:" + (port + 1),
                "--data-dir=" + directory.resolve(name),
                "--log-file=" + directory.resolve(name + "-server.log"));
    }

    private Path settings(String store) {
        return directory.resolve(store + ".toml");
    }

    private void writeSettings(String store, String room) throws IOException {
        String memory = Files.readString(Repository.root().resolve("test/peers/tikv.toml"));
        String regions =
                """
                [coprocessor]
                region-split-size = "%dB"
                region-max-size = "%dB"
                """
                        .formatted(regionBytes, regionBytes * 3 / 2);
        Files.writeString(
                settings(store),
                memory.replace("capacity = \"" + ROOM + "\"", "capacity = \"" + room + "\"")
                        + regions);
    }

    /** Starts both on empty directories, and returns when they are ready. */
    public static TikvBed start(Path directory, Path programs)
            throws IOException, InterruptedException {
        return start(directory, programs, SMALL_REGION_BYTES);
    }

    /**
     * The same with regions of another size. After a split PD can know no region of a key for some
     * seconds, and a server that starts then gives up.
     */
    public static TikvBed start(Path directory, Path programs, long regionBytes)
            throws IOException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            Path own = Files.createDirectories(directory.resolve("bed-" + attempt));
            try {
                return startOnce(own, programs, regionBytes);
            } catch (IOException portTaken) { // by somebody else, since it was seen free
                if (attempt == START_ATTEMPTS_MAX) {
                    throw portTaken;
                }
            }
        }
    }

    private static TikvBed startOnce(Path directory, Path programs, long regionBytes)
            throws IOException, InterruptedException {
        TikvBed bed = new TikvBed(directory, programs, regionBytes);
        try {
            for (Program pd : bed.pds) {
                pd.start();
            }
            bed.await(bed.pds.get(0), "/pd/api/v1/health", "\"health\": true");
            for (Program store : bed.stores) {
                store.start();
            }
            bed.await(bed.stores.get(0), "/pd/api/v1/stores", "\"Up\"");
            Thread.sleep(500); // its first regions are reported
            return bed;
        } catch (IOException | InterruptedException | RuntimeException e) {
            bed.close();
            throw e;
        }
    }

    /** Waits until PD's answer has the text once for each member. */
    private void await(Program program, String path, String text)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + READY_MAX.toNanos();
        while (System.nanoTime() < deadline && program.isAlive()) {
            try {
                if (api.text(path).split(Pattern.quote(text), -1).length == MEMBERS + 1) {
                    return;
                }
            } catch (IOException notYet) {
                // It will listen soon.
            }
            Thread.sleep(100);
        }
        throw new IOException("PD and the store are not ready: " + directory);
    }

    /** PD, or its members. */
    public List<Program> pds() {
        return List.copyOf(pds);
    }

    /** The member of PD that leads; the first one if nobody says so. */
    public Program leadingPd() throws InterruptedException {
        try {
            String leader = api.object("/pd/api/v1/leader").get("name").getAsString();
            return pds.stream().filter(pd -> pd.name().equals(leader)).findFirst().orElseThrow();
        } catch (IOException | RuntimeException unknown) {
            return pds.get(0);
        }
    }

    /** The store, or the nodes of the TiKV. */
    public List<Program> stores() {
        return List.copyOf(stores);
    }

    /** The clocks of the nodes of the TiKV. */
    List<Clock> clocks() {
        return List.copyOf(clocks);
    }

    /** Changes the regions of a TiKV. */
    public Regions regions() {
        return new Regions(api);
    }

    /** Starts a node of the TiKV again, with a disk that is full or is not. */
    public void restart(Program store, boolean full) throws IOException, InterruptedException {
        writeSettings(store.name(), full ? NO_ROOM : ROOM);
        var unused = store.terminate();
        store.start();
    }

    /** HOST:PORT of each of {@link #pds}, separated by commas. */
    public String pdEndpoints() {
        return pdPorts.stream().map(pd -> "127.0.0.1:" + pd).collect(Collectors.joining(","));
    }

    /** Where clients reach each of {@link #pds}, on loopback. */
    List<Integer> pdPorts() {
        return List.copyOf(pdPorts);
    }

    /** Where clients reach each of {@link #stores}. */
    List<Integer> storePorts() {
        return List.copyOf(storePorts);
    }

    @Override
    public void close() {
        stores.forEach(Program::close);
        pds.forEach(Program::close);
    }
}
