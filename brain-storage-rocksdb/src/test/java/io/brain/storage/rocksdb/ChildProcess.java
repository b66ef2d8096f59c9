package io.brain.storage.rocksdb;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A process that commits one step after the other, and prints each one's number once it was
 * acknowledged. It goes on until it is killed.
 */
public final class ChildProcess {
    private ChildProcess() {}

    /** Starts the main method of a class of the test class path. */
    static Process start(Class<?> main, String... arguments) throws IOException {
        return new ProcessBuilder(command(main, arguments)).redirectErrorStream(true).start();
    }

    /** The command that does so. */
    static List<String> command(Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-ea", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        // Otherwise Java 24 and newer print warnings.
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /**
     * Takes the directory of the store, the size of its memtables and, if steps are to store noise,
     * its usual bytes; every hundredth step has a hundred times as many.
     */
    public static void main(String[] arguments) {
        KvStorage store = Stores.open(Path.of(arguments[0]), "memtable-size", arguments[1]);
        int noiseBytes = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 0;
        Random random = new Random();
        String fence = Stores.get(store, "fence");
        int number = fence == null ? 0 : Integer.parseInt(fence.substring("fence ".length()));
        while (true) {
            number++;
            byte[] noise = new byte[number % 100 == 0 ? 100 * noiseBytes : noiseBytes];
            random.nextBytes(noise);
            CommitResult end = Stores.await(store.commit(Stores.step(number, Bytes.wrap(noise))));
            if (!(end instanceof CommitResult.Committed)) {
                throw new IllegalStateException("step " + number + " ended " + end);
            }
            System.out.println("acknowledged " + number);
        }
    }
}
