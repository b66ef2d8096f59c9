package io.brain.conformance.cluster;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.opentest4j.TestAbortedException;

/**
 * How to start one kind of server: any program that takes etcd's flags.
 *
 * @param words the program and the words before the flags, at least one
 * @param flags what this kind of run adds to the usual flags
 * @param environment what this kind of run adds to the environment
 */
public record ServerCommand(
        List<String> words, List<String> flags, Map<String, String> environment) {

    private static final String JAVA_OPTIONS = "BRAIN_JAVA_OPTS";

    public ServerCommand {
        words = List.copyOf(words);
        flags = List.copyOf(flags);
        environment = Map.copyOf(environment);
    }

    /**
     * The server under test: {@code -Dbrain.command="program words"}, by default ./brain; the one
     * word "etcd" is the real etcd.
     */
    public static ServerCommand underTest() {
        String named = System.getProperty("brain.command", "");
        if (named.equals("etcd")) {
            return etcd();
        }
        if (!named.isBlank()) {
            return new ServerCommand(words(named), List.of(), Map.of());
        }
        Path brain = Repository.root().resolve("brain");
        if (!Files.isExecutable(brain)) {
            throw new TestAbortedException(
                    "no ./brain in this checkout: name a server with -Dbrain.command=PROGRAM");
        }
        return new ServerCommand(List.of(brain.toString()), List.of(), Map.of());
    }

    /** The real etcd, which every suite is measured by. */
    public static ServerCommand etcd() {
        return of(Peer.ETCD);
    }

    /** An etcd of some version. */
    public static ServerCommand of(Peer etcd) {
        return new ServerCommand(List.of(etcd.require().toString()), List.of(), Map.of());
    }

    /** The words of a setting, split at blanks; empty for a blank setting. */
    public static List<String> words(String setting) {
        return Arrays.stream(setting.trim().split(" +", -1)).filter(w -> !w.isEmpty()).toList();
    }

    /** True when the program is etcd itself: a few promises are Brain's alone. */
    public boolean isEtcd() {
        return Path.of(words.get(words.size() - 1)).endsWith("etcd");
    }

    /** The same server with more flags. */
    public ServerCommand withFlags(List<String> more) {
        List<String> all = new ArrayList<>(flags);
        all.addAll(more);
        return new ServerCommand(words, all, environment);
    }

    /** The same server with at most this much Java heap; etcd takes no notice. */
    public ServerCommand withHeap(int mebibytes) {
        return new ServerCommand(words, flags, Map.of(JAVA_OPTIONS, "-Xmx" + mebibytes + "m"));
    }

    /** The same server, a small one that lives for seconds: Java need not compile well. */
    public ServerCommand shortLived() {
        return new ServerCommand(
                words, flags, Map.of(JAVA_OPTIONS, "-Xmx256m -XX:TieredStopAtLevel=1"));
    }

    /** The same server as the child of a tracer, whose own words come first. */
    public ServerCommand under(List<String> tracer) {
        List<String> all = new ArrayList<>(tracer);
        all.addAll(words);
        return new ServerCommand(all, flags, environment);
    }
}
