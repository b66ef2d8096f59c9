package io.brain.conformance.cluster.startlines;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * How a file starts etcd.
 *
 * @param flags what follows the program's name
 * @param variables what the file adds to the environment
 */
record StartLine(List<String> flags, Map<String, String> variables) {
    private static final Pattern BLANKS = Pattern.compile("\\s+");

    StartLine {
        flags = List.copyOf(flags);
        variables = Map.copyOf(variables);
    }

    /** The command of the only container of a pod. */
    static StartLine ofPod(Map<?, ?> pod) {
        return of(words((List<?>) container(pod).get("command")), Map.of());
    }

    /** The URLs that a kubelet asks. */
    static List<String> probesOfPod(Map<?, ?> pod) {
        List<String> urls = new ArrayList<>();
        for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
            Map<?, ?> get = (Map<?, ?>) ((Map<?, ?>) container(pod).get(probe)).get("httpGet");
            urls.add("http://" + get.get("host") + ":" + get.get("port") + get.get("path"));
        }
        return urls;
    }

    /** Command and environment of a service of docker-compose. */
    static StartLine ofCompose(Map<?, ?> file, String service) {
        Map<?, ?> entry = (Map<?, ?>) ((Map<?, ?>) file.get("services")).get(service);
        Map<String, String> variables = new HashMap<>();
        ((Map<?, ?>) entry.get("environment"))
                .forEach((name, value) -> variables.put(name.toString(), value.toString()));
        return of(words((List<?>) entry.get("command")), variables);
    }

    /** What systemd would run for a unit, with the file of variables that the unit names. */
    static StartLine ofUnit(String unit) throws IOException {
        Map<String, String> variables = new HashMap<>();
        List<String> words = List.of();
        for (String line : unit.lines().toList()) {
            if (line.startsWith("EnvironmentFile=-")) {
                variables.putAll(variables(Path.of(line.substring(line.indexOf('/')))));
            } else if (line.startsWith("ExecStart=")) {
                words = List.of(BLANKS.split(line.substring(line.indexOf('=') + 1)));
            }
        }
        List<String> expanded = new ArrayList<>();
        for (String word : words) {
            if (word.startsWith("$")) {
                expanded.addAll(List.of(BLANKS.split(variables.get(word.substring(1)))));
            } else {
                expanded.add(word);
            }
        }
        return of(expanded, variables);
    }

    /** A command over several lines of a shell script. */
    static StartLine ofScript(String script) {
        String command = script.replaceAll("(?m)^#.*$", "").replace("\\\n", " ").strip();
        return of(List.of(BLANKS.split(command)), Map.of());
    }

    private static StartLine of(List<String> words, Map<String, String> variables) {
        if (!Path.of(words.get(0)).endsWith("etcd")) {
            throw new IllegalArgumentException(words + " does not start etcd");
        }
        return new StartLine(words.subList(1, words.size()), variables);
    }

    private static Map<?, ?> container(Map<?, ?> pod) {
        Map<?, ?> spec = (Map<?, ?>) pod.get("spec");
        return (Map<?, ?>) ((List<?>) spec.get("containers")).get(0);
    }

    private static List<String> words(List<?> values) {
        return values.stream().map(Object::toString).toList();
    }

    private static Map<String, String> variables(Path file) throws IOException {
        Map<String, String> variables = new HashMap<>();
        for (String line : Files.readAllLines(file)) {
            int split = line.indexOf('=');
            if (split > 0 && !line.startsWith("#")) {
                String value = line.substring(split + 1).strip();
                variables.put(line.substring(0, split), value.replaceAll("^\"(.*)\"$", "$1"));
            }
        }
        return variables;
    }
}
