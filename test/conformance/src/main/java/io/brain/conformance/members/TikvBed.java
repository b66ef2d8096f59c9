package io.brain.conformance.members;

import io.brain.conformance.server.ServerCommand;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A real PD and one store of TiKV's protocol, as {@code test/peers/start-tikv.sh} starts them, but
 * so that each can be started again. The store's lock table is in memory: it may be stopped by
 * SIGTERM, never by {@code kill -9}. With the environment's {@code BRAIN_TIKV_SERVER} three nodes
 * of that tikv-server, which may be killed one at a time.
 */
public final class TikvBed implements AutoCloseable {

    private static final Duration READY_MAX = Duration.ofSeconds(60);
    private static final int START_ATTEMPTS_MAX = 3;
    private static final long SMALL_REGION_BYTES = 256 << 10;

    private static final String SERVER = System.getenv("BRAIN_TIKV_SERVER");
    private static final int STORES = SERVER == null ? 1 : 3;

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

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();
    private final int pdPort;
    private final List<Integer> storePorts = new ArrayList<>();
    private final Program pd;
    private final List<Program> stores = new ArrayList<>();

    private TikvBed(Path directory, Path programs, long regionBytes) throws IOException {
        this.pdPort = Ports.pair();
        Path settings =
                Files.writeString(directory.resolve("pd.toml"), PD_SETTINGS.formatted(STORES));
        String pdUrl = "http://127.0.0.1:" + pdPort;
        this.pd =
                new Program(
                        "pd",
                        List.of(
                                programs.resolve("pd-server").toString(),
                                "--name=pd1",
                                "--config=" + settings,
                                "--data-dir=" + directory.resolve("pd"),
                                "--log-file=" + directory.resolve("pd.log"),
                                "--client-urls=" + pdUrl,
                                "--peer-urls=http://127.0.0.1:" + (pdPort + 1)),
                        Map.of(),
                        directory.resolve("pd.out"));
        for (int i = 1; i <= STORES; i++) {
            int port = Ports.pair();
            String name = "store" + (i == 1 ? "" : i);
            storePorts.add(port);
            stores.add(
                    new Program(
                            name,
                            SERVER == null
                                    ? unistore(programs, directory, port, regionBytes)
                                    : tikv(name, directory, port, regionBytes),
                            Map.of(),
                            directory.resolve(name + ".log")));
        }
    }

    private List<String> unistore(Path programs, Path directory, int port, long regionBytes) {
        return List.of(
                programs.resolve("unistore").toString(),
                "-pd=127.0.0.1:" + pdPort,
                "-addr=127.0.0.1:" + port,
                "-data-dir=" + directory.resolve("store"),
                "-region-size=" + regionBytes,
                "-L=warn");
    }

    private List<String> tikv(String name, Path directory, int port, long regionBytes)
            throws IOException {
        String memory = Files.readString(ServerCommand.root().resolve("test/peers/tikv.toml"));
        String regions =
                """
                [coprocessor]
                region-split-size = "%dB"
                region-max-size = "%dB"
                """
                        .formatted(regionBytes, regionBytes * 3 / 2);
        Path settings = Files.writeString(directory.resolve(name + ".toml"), memory + regions);
        return List.of(
                SERVER,
                "--config=" + settings,
                "--pd-endpoints=127.0.0.1:" + pdPort,
                "--addr=127.0.0.1:" + port,
                "--advertise-addr=127.0.0.1:" + port,
                "--status-addr=127.0.0.1:" + (port + 1),
                "--data-dir=" + directory.resolve(name),
                "--log-file=" + directory.resolve(name + "-server.log"));
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
            bed.pd.start();
            bed.await(bed.pd, "/pd/api/v1/health", "\"health\": true", 1);
            for (Program store : bed.stores) {
                store.start();
            }
            bed.await(bed.stores.get(0), "/pd/api/v1/stores", "\"Up\"", STORES);
            Thread.sleep(500); // its first regions are reported
            return bed;
        } catch (IOException | InterruptedException | RuntimeException e) {
            bed.close();
            throw e;
        }
    }

    private void await(Program program, String path, String text, int count)
            throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + pdPort + path))
                        .timeout(Duration.ofSeconds(2))
                        .build();
        long deadline = System.nanoTime() + READY_MAX.toNanos();
        while (System.nanoTime() < deadline && program.isAlive()) {
            try {
                String body = http.send(request, HttpResponse.BodyHandlers.ofString()).body();
                if (body.split(Pattern.quote(text), -1).length == count + 1) {
                    return;
                }
            } catch (IOException notYet) {
                // It will listen soon.
            }
            Thread.sleep(100);
        }
        throw new IOException("PD and the store are not ready: " + pd.log().getParent());
    }

    public Program pd() {
        return pd;
    }

    /** The store, or the nodes of the TiKV. */
    public List<Program> stores() {
        return List.copyOf(stores);
    }

    /** Where clients reach PD, on loopback. */
    public int pdPort() {
        return pdPort;
    }

    /** Where clients reach each of {@link #stores}. */
    List<Integer> storePorts() {
        return List.copyOf(storePorts);
    }

    @Override
    public void close() {
        stores.forEach(Program::close);
        pd.close();
    }
}
