package io.brain.storage.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A file system of 32 MiB, mounted for a child process only, runs full. */
@EnabledOnOs(OS.LINUX)
final class FullDiskTest {
    @TempDir Path temp;

    @Test
    @Timeout(600)
    void aFullDiskLosesNothingAndIsLeftWhenThereIsRoom() throws Exception {
        run(FullDiskProgram.class);
    }

    @Test
    @Timeout(300)
    void aWriteThatWaitsForAFlushFailsWithIt() throws Exception {
        run(FailedFlushProgram.class);
    }

    /** Runs a program, whose argument is the file system, to its good end. */
    private void run(Class<?> program) throws Exception {
        List<String> unshare = List.of("unshare", "--map-root-user", "--mount");
        assumeTrue(succeeds(unshare), "needs the right to mount");
        Path disk = Files.createDirectory(temp.resolve("disk"));
        List<String> command = new ArrayList<>(unshare);
        command.addAll(
                List.of("sh", "-c", "mount -t tmpfs -o size=32m none \"$0\" && exec \"$@\""));
        command.add(disk.toString());
        command.addAll(ChildProcess.command(program, disk.toString()));
        Path output = temp.resolve("output");
        Process child =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        try {
            assertThat(child.waitFor(9, TimeUnit.MINUTES)).isTrue();
            assertThat(output).content().endsWith("all is well\n");
        } finally {
            child.destroyForcibly();
        }
    }

    private static boolean succeeds(List<String> unshare) throws InterruptedException {
        List<String> command = new ArrayList<>(unshare);
        command.add("true");
        try {
            return new ProcessBuilder(command).start().waitFor() == 0;
        } catch (IOException notInstalled) {
            return false;
        }
    }
}
