package io.brain.storage.tikv;

import io.brain.storage.KvStorage;
import io.brain.storage.testkit.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/**
 * A real PD and one store of TiKV's protocol, fresh, on free loopback ports; with the environment's
 * {@code BRAIN_TIKV_SERVER} three nodes of that tikv-server.
 */
final class TestBed implements AutoCloseable {
    private static final long START_SECONDS = 120;
    private static final String SERVER = System.getenv("BRAIN_TIKV_SERVER");
    private static final int NODES = SERVER == null ? 1 : 3;

    private final int pdPort;
    private final int storePort;
    private final ProcessHandle pd;
    private final List<ProcessHandle> stores = new ArrayList<>();

    private TestBed(Path directory, int pdPort, int storePort) throws IOException {
        this.pdPort = pdPort;
        this.storePort = storePort;
        this.pd = process(directory.resolve("pd.pid"));
        stores.add(process(directory.resolve("store.pid")));
        for (int node = 2; node <= NODES; node++) {
            stores.add(process(directory.resolve("store" + node + ".pid")));
        }
    }

    /**
     * Starts both, with a few regions that hardly split; a test without the programs is skipped
     * with one line that says how to get them.
     */
    static TestBed start(Path directory) {
        return start(directory, 64 << 20);
    }

    /** The same, with regions that split when they are half as large again as this. */
    static TestBed start(Path directory, int regionBytes) {
        for (String program :
                SERVER == null ? List.of("pd-server", "unistore") : List.of("pd-server")) {
            if (!Files.isExecutable(programs().resolve(program))) {
                throw new TestAbortedException(
                        "no " + program + ": run test/peers/build.sh pd unistore");
            }
        }
        try {
            int pdPort = FreePorts.row(2);
            int storePort = FreePorts.row(SERVER == null ? 1 : 2 * NODES);
            List<String> line = new ArrayList<>();
            line.add(root().resolve("test/peers/start-tikv.sh").toString());
            line.add(directory.toString());
            line.add(Integer.toString(pdPort));
            line.add(Integer.toString(storePort));
            if (SERVER != null) {
                line.addAll(List.of("--server", SERVER, "--nodes", "" + NODES));
            }
            line.addAll(List.of("-region-size", "" + regionBytes, "-L", "warn"));
            Path output = Files.createTempFile("start-tikv", ".log");
            Process script =
                    new ProcessBuilder(line)
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start();
            if (!script.waitFor(START_SECONDS, TimeUnit.SECONDS) || script.exitValue() != 0) {
                throw new IllegalStateException(
                        "PD and the store did not start: " + Files.readString(output));
            }
            Files.delete(output);
            return new TestBed(directory, pdPort, storePort);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The options that open a storage here. */
    Map<String, String> options(String... more) {
        Map<String, String> options = new HashMap<>();
        options.put("pd-endpoints", "127.0.0.1:" + pdPort);
        for (int i = 0; i < more.length; i += 2) {
            options.put(more[i], more[i + 1]);
        }
        return options;
    }

    int pdPort() {
        return pdPort;
    }

    /** The ports of the nodes. */
    List<Integer> storePorts() {
        return IntStream.range(storePort, storePort + NODES).boxed().toList();
    }

    KvStorage open(String... more) {
        return new TikvStorageFactory().open(options(more));
    }

    /** All nodes of the store stop in the middle of whatever they do, as a long pause would. */
    void stallStore() {
        stores.forEach(TestBed::stop);
    }

    void resumeStore() {
        stores.forEach(store -> signal("CONT", store));
    }

    void stallPd() {
        stop(pd);
    }

    void resumePd() {
        signal("CONT", pd);
    }

    @Override
    public void close() {
        List<ProcessHandle> all = new ArrayList<>(stores);
        all.add(pd);
        for (ProcessHandle process : all) {
            signal("CONT", process);
            process.destroy();
            try {
                process.onExit().get(10, TimeUnit.SECONDS);
            } catch (Exception e) {
                process.destroyForcibly();
            }
        }
    }

    /** Returns once each of its threads has stopped. */
    private static void stop(ProcessHandle process) {
        signal("STOP", process);
        Path tasks = Path.of("/proc/" + process.pid() + "/task");
        try {
            for (int tries = 0; tries < 1000 && !areStopped(tasks); tries++) {
                TimeUnit.MILLISECONDS.sleep(2);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean areStopped(Path tasks) throws IOException {
        try (Stream<Path> all = Files.list(tasks)) {
            for (Path task : all.toList()) {
                String stat = Files.readString(task.resolve("stat"));
                if (stat.charAt(stat.lastIndexOf(')') + 2) != 'T') {
                    return false;
                }
            }
            return true;
        }
    }

    private static void signal(String name, ProcessHandle process) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + name, "" + process.pid()).start();
            kill.waitFor(10, TimeUnit.SECONDS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static ProcessHandle process(Path pidFile) throws IOException {
        long pid = Long.parseLong(Files.readString(pidFile).trim());
        return ProcessHandle.of(pid)
                .orElseThrow(() -> new IllegalStateException("ended at once: " + pidFile));
    }

    private static Path programs() {
        String named = System.getenv("PEERS_BIN");
        return named != null
                ? Path.of(named)
                : Path.of(System.getProperty("user.home"), ".cache", "brain-peers", "bin");
    }

    private static Path root() throws IOException {
        Path folder = Path.of("").toRealPath();
        while (!Files.exists(folder.resolve("mvnw"))) {
            folder = folder.getParent();
        }
        return folder;
    }
}
