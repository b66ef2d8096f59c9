package io.brain.conformance.cluster.disk;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A small file system of its own, in memory, in a mount name space of its own. A process keeps the
 * name space until {@link #close()}, so that one server after another can be started in it.
 */
final class SmallDisk implements AutoCloseable {
    private final Process keeper;

    private SmallDisk(Process keeper) {
        this.keeper = keeper;
    }

    /**
     * Mounts it on {@code directory}, which is created. Where the machine does not allow it, the
     * test is skipped.
     */
    static SmallDisk mount(Path directory, int mebibytes) throws IOException {
        Files.createDirectories(directory);
        String script =
                "mount -t tmpfs -o size=%dm none \"$0\" && echo mounted && exec sleep 3600"
                        .formatted(mebibytes);
        List<String> unshare = List.of("unshare", "--map-root-user", "--mount", "sh", "-c", script);
        List<String> command = new ArrayList<>(unshare);
        command.add(directory.toString());
        Process keeper = null;
        try {
            keeper = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException notInstalled) {
            assumeTrue(false, "no file system of its own: unshare is not installed");
        }
        String said = keeper.inputReader().readLine();
        assumeTrue("mounted".equals(said), "no file system of its own: " + said);
        return new SmallDisk(keeper);
    }

    /** The command that runs another one in the name space where it is mounted. */
    List<String> entering() {
        return List.of(
                "nsenter",
                "--preserve-credentials",
                "--user",
                "--mount",
                "--target",
                Long.toString(keeper.pid()));
    }

    @Override
    public void close() {
        keeper.destroyForcibly().onExit().join();
    }
}
