package io.brain.conformance.members;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A real PD and one store of TiKV's protocol, as {@code test/peers/start-tikv.sh} starts them, but
 * so that each can be started again. The store's lock table is in memory: it may be stopped by
 * SIGTERM, never by {@code kill -9}.
 */
public final class TikvBed implements AutoCloseable {

    private static final Duration READY_MAX = Duration.ofSeconds(30);
    private static final int START_ATTEMPTS_MAX = 3;
    private static final long SMALL_REGION_BYTES = 256 << 10;

    /** One copy of each region, and regions stay as small as they became. */
    private static final String PD_SETTINGS =
            """
            [replication]
            max-replicas = 1
            location-labels = []
            [schedule]
            max-merge-region-size = 0
            max-merge-region-keys = 0
            """;

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();
    private final int pdPort;
    private final int storePort;
    private final Program pd;
    private final Program store;

    private TikvBed(Path directory, Path programs, long regionBytes) throws IOException {
        this.pdPort = Ports.pair();
        this.storePort = Ports.pair();
        Path settings = Files.writeString(directory.resolve("pd.toml"), PD_SETTINGS);
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
        this.store =
                new Program(
                        "store",
                        List.of(
                                programs.resolve("unistore").toString(),
                                "-pd=127.0.0.1:" + pdPort,
                                "-addr=127.0.0.1:" + storePort,
                                "-data-dir=" + directory.resolve("store"),
                                "-region-size=" + regionBytes,
                                "-L=warn"),
                        Map.of(),
                        directory.resolve("store.log"));
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
            bed.await(bed.pd, "/pd/api/v1/health", "\"health\": true");
            bed.store.start();
            bed.await(bed.store, "/pd/api/v1/stores", "\"Up\"");
            Thread.sleep(500); // its first regions are reported
            return bed;
        } catch (IOException | InterruptedException | RuntimeException e) {
            bed.close();
            throw e;
        }
    }

    private void await(Program program, String path, String text)
            throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + pdPort + path))
                        .timeout(Duration.ofSeconds(2))
                        .build();
        long deadline = System.nanoTime() + READY_MAX.toNanos();
        while (System.nanoTime() < deadline && program.isAlive()) {
            try {
                String body = http.send(request, HttpResponse.BodyHandlers.ofString()).body();
                if (body.contains(text)) {
                    return;
                }
            } catch (IOException notYet) {
                // It will listen soon.
            }
            Thread.sleep(100);
        }
        throw new IOException("PD and the store are not ready: " + pd.log() + ", " + store.log());
    }

    public Program pd() {
        return pd;
    }

    public Program store() {
        return store;
    }

    /** Where clients reach PD, on loopback. */
    public int pdPort() {
        return pdPort;
    }

    int storePort() {
        return storePort;
    }

    @Override
    public void close() {
        store.close();
        pd.close();
    }
}
