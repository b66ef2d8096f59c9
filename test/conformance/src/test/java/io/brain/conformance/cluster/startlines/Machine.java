package io.brain.conformance.cluster.startlines;

import io.brain.conformance.cluster.tls.Certificates;
import io.brain.conformance.server.Repository;
import io.brain.storage.testkit.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * The machine that a file from the field is for, played on this one: its /etc and /var/lib are in a
 * test's directory, its addresses are the loopback's, its ports free ones. Nothing else of a file
 * is changed.
 */
final class Machine {
    private static final Path FILES =
            Repository.root().resolve("brain-server/src/test/resources/start-lines");
    private static final Pattern PORT = Pattern.compile("\\b(?:2379|238[0-3])\\b");
    private static final Pattern ADDRESS = Pattern.compile("\\b10\\.0\\.0\\.1([0-2])\\b");
    private static final Pattern DIRECTORY = Pattern.compile("(?<![\\w/.])/(etc|var/lib)/");
    private static final int DAYS = 2;

    private final Path root;
    private final Map<String, Integer> ports = new HashMap<>();

    /**
     * @param root stands for its root directory
     */
    Machine(Path root) throws IOException {
        this.root = root;
        for (String port : new String[] {"2379", "2380", "2381", "2382", "2383"}) {
            ports.put(port, FreePorts.next());
        }
        Files.createDirectories(root.resolve("var/lib"));
    }

    /** One of its files. */
    Path path(String path) {
        return root.resolve(path.substring(1));
    }

    /** The port that stands for one of the files' ports. */
    int port(int original) {
        return ports.get(Integer.toString(original));
    }

    /** What the file from the field says here. */
    String text(String file) throws IOException {
        String text = Files.readString(FILES.resolve(file));
        text = PORT.matcher(text).replaceAll(port -> ports.get(port.group()).toString());
        text = ADDRESS.matcher(text).replaceAll(a -> "127.0.0." + (2 + number(a.group(1))));
        text = text.replace("0.0.0.0", "127.0.0.1");
        return DIRECTORY
                .matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(root + found.group()));
    }

    /** The same of a YAML file: maps, lists and plain values. */
    Map<?, ?> yaml(String file) throws IOException {
        LoadSettings settings = LoadSettings.builder().build();
        return (Map<?, ?>) new Load(settings).loadFromString(text(file));
    }

    /** Puts a file from the field where it belongs. */
    Path install(String file, String path) throws IOException {
        Files.createDirectories(path(path).getParent());
        return Files.writeString(path(path), text(file));
    }

    /** An authority in a directory, "ca", and certificates that it issues. */
    void certify(String directory, String... names) throws IOException, InterruptedException {
        Certificates certificates = new Certificates(Files.createDirectories(path(directory)));
        certificates.authority("ca");
        for (String name : names) {
            certificates.issue(name, "ca", DAYS);
        }
    }

    private static int number(String digits) {
        return Integer.parseInt(digits);
    }
}
