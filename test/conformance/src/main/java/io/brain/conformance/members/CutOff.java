package io.brain.conformance.members;

import io.brain.conformance.linear.load.Options;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Cuts one member of three off from the others and from the store, and shows how each call to it
 * ends, for etcd and for Brain. Arguments: {@code --cut leader,follower}, {@code --target
 * etcd,brain}.
 */
public final class CutOff {
    private CutOff() {}

    /** Runs all cases and prints a table for each. */
    public static void main(String[] args) throws Exception {
        Options options = new Options(List.of(args));
        String[] cuts = options.text("--cut", "leader,follower").split(",", -1);
        String[] targets = options.text("--target", "etcd,brain").split(",", -1);
        for (String cut : cuts) {
            Map<String, Map<String, CutOffCalls.End>> ends = new LinkedHashMap<>();
            for (String target : targets) {
                ends.put(target, run(Target.valueOf(target.toUpperCase(Locale.ROOT)), cut));
            }
            print(cut, ends);
        }
        System.exit(0);
    }

    private static Map<String, CutOffCalls.End> run(Target target, String cut)
            throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("cut-off-");
        Map<String, CutOffCalls.End> ends;
        try (Cluster cluster = Cluster.start(target, directory)) {
            Node leader = cluster.leader().orElseThrow();
            List<Node> followers =
                    cluster.nodes().stream().filter(node -> !node.equals(leader)).toList();
            Node hit = cut.equals("leader") ? leader : followers.get(0);
            try (CutOffCalls calls = new CutOffCalls(hit, followers.get(1))) {
                calls.open();
                cutOff(cluster, hit);
                ends = calls.ends();
            }
        }
        delete(directory);
        return ends;
    }

    /** Ends all of its connections but those to clients, and has new ones refused. */
    private static void cutOff(Cluster cluster, Node hit) {
        cluster.network().of(hit.name()).stream()
                .filter(link -> !link.name().contains("client"))
                .forEach(link -> link.set(Link.State.CUT));
    }

    private static void print(String cut, Map<String, Map<String, CutOffCalls.End>> ends) {
        Set<String> calls = new LinkedHashSet<>();
        ends.values().forEach(all -> calls.addAll(all.keySet()));
        StringBuilder table = new StringBuilder("\nthe " + cut + " is cut off\n| call |");
        ends.keySet().forEach(target -> table.append(' ').append(target).append(" |"));
        table.append("\n| --- |").append(" --- |".repeat(ends.size())).append('\n');
        for (String call : calls) {
            table.append("| ").append(call).append(" |");
            ends.values().forEach(all -> table.append(' ').append(all.get(call)).append(" |"));
            table.append('\n');
        }
        System.out.println(table);
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
