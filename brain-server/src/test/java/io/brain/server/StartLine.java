package io.brain.server;

import io.brain.storage.testkit.FreePorts;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * Flags and variables from a configuration file used in production, with directories, addresses and
 * ports replaced for the test.
 */
final class StartLine {
    private static final String ADDRESS = "10.0.0.10";
    private static final Pattern BLANKS = Pattern.compile("\\s+");

    private final Path root;
    private final Map<String, Integer> ports = new HashMap<>();
    final List<String> args = new ArrayList<>();
    final Map<String, String> environment = new HashMap<>();

    StartLine(Path root) throws IOException {
        this.root = root;
        int free = FreePorts.row(5);
        for (String port : List.of("2379", "2380", "2381", "2382", "2383")) {
            ports.put(port, free++);
        }
    }

    /** The text of a resource, with directories, addresses and ports replaced. */
    String text(String resource) throws IOException {
        try (InputStream in = StartLine.class.getResourceAsStream("/start-lines/" + resource)) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            // Two names of one address on the same port become one.
            text = text.replace(",https://" + ADDRESS + ":2379", "");
            text = text.replace(",http://" + ADDRESS + ":2379", "");
            text = text.replace(ADDRESS, "127.0.0.1").replace("0.0.0.0", "127.0.0.1");
            text = text.replaceAll("/(etc|var/lib)/", root + "/$1/");
            for (Map.Entry<String, Integer> port : ports.entrySet()) {
                text = text.replace(":" + port.getKey(), ":" + port.getValue());
            }
            return text;
        }
    }

    /** The free port that replaces one of etcd's. */
    int port(int etcds) {
        return ports.get(Integer.toString(etcds));
    }

    /** Reads the command of a manifest's container. */
    void staticPod(String resource) throws IOException {
        Map<?, ?> pod = (Map<?, ?>) yaml(resource);
        Map<?, ?> spec = (Map<?, ?>) pod.get("spec");
        Map<?, ?> container = (Map<?, ?>) ((List<?>) spec.get("containers")).get(0);
        command((List<?>) container.get("command"));
    }

    /** Reads command and environment of the service etcd. */
    void compose(String resource) throws IOException {
        Map<?, ?> services = (Map<?, ?>) ((Map<?, ?>) yaml(resource)).get("services");
        Map<?, ?> service = (Map<?, ?>) services.get("etcd");
        command((List<?>) service.get("command"));
        ((Map<?, ?>) service.get("environment"))
                .forEach((key, value) -> environment.put(key.toString(), value.toString()));
    }

    /** Reads a unit and its environment file. */
    void unit(String resource, String variables) throws IOException {
        for (String line : text(variables).lines().toList()) {
            int split = line.indexOf('=');
            if (split > 0 && !line.startsWith("#")) {
                String value = line.substring(split + 1).replaceAll("^\"|\"$", "");
                environment.put(line.substring(0, split), value);
            }
        }
        for (String line : text(resource).lines().toList()) {
            if (line.startsWith("ExecStart=")) {
                String start = line.substring(line.indexOf('=') + 1);
                String whole = start.replace("$DAEMON_ARGS", environment.get("DAEMON_ARGS"));
                command(Arrays.asList(BLANKS.split(whole)));
            }
        }
    }

    /** Reads a multi-line command of a shell script. */
    void script(String resource) throws IOException {
        String whole = text(resource).replaceAll("(?m)^#.*$", "").replace("\\\n", " ").strip();
        command(Arrays.asList(BLANKS.split(whole)));
    }

    private void command(List<?> words) {
        if (!words.get(0).toString().endsWith("etcd")) {
            throw new IllegalArgumentException(words + " does not start etcd");
        }
        words.stream().skip(1).forEach(word -> args.add(word.toString()));
    }

    private Object yaml(String resource) throws IOException {
        return new Load(LoadSettings.builder().build()).loadFromString(text(resource));
    }
}
