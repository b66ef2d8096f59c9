package io.brain.conformance.server;

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
 * @param name what reports call it
 * @param words the program and the words before the flags, at least one
 * @param flags what this kind of run adds to the usual flags
 * @param environment what this kind of run adds to the environment
 */
public record ServerCommand(
        String name, List<String> words, List<String> flags, Map<String, String> environment) {

    private static final String JAVA_OPTIONS = "BRAIN_JAVA_OPTS";
    private static final String AS_ETCD = "--watch-progress-before-compaction=false";
    private static final String COMPILE_QUICKLY = "-XX:TieredStopAtLevel=1";

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
            return etcd().named("etcd2");
        }
        if (!named.isBlank()) {
            return new ServerCommand("brain", words(named), List.of(), Map.of());
        }
        Path brain = Repository.root().resolve("brain");
        if (!Files.isExecutable(brain)) {
            throw new TestAbortedException(
                    "no ./brain in this checkout: name a server with -Dbrain.command=PROGRAM");
        }
        return new ServerCommand("brain", List.of(brain.toString()), List.of(), Map.of());
    }

    /** The server under test as it is compared: without messages that etcd does not send. */
    public static ServerCommand compared() {
        ServerCommand server = underTest();
        return server.isEtcd() ? server : server.withFlags(List.of(AS_ETCD));
    }

    /** A follower of three Brain servers on the store that these flags name, as it is compared. */
    public static ServerCommand follower(List<String> storage) {
        List<String> words = new ArrayList<>();
        words.add(Repository.root().resolve("test/peers/brain-cluster.sh").toString());
        words.addAll(storage);
        return new ServerCommand("brain", words, List.of(AS_ETCD), Map.of());
    }

    /** The real etcd, which every suite is measured by. */
    public static ServerCommand etcd() {
        return of(Peer.ETCD);
    }

    /** An etcd of some version. */
    public static ServerCommand of(Peer etcd) {
        return new ServerCommand("etcd", List.of(etcd.require().toString()), List.of(), Map.of());
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
        return new ServerCommand(name, words, all, environment);
    }

    /** The same server with flags that its own ones may replace. */
    ServerCommand withFirstFlags(List<String> first) {
        return new ServerCommand(name, words, first, environment).withFlags(flags);
    }

    /** The same server by another name. */
    public ServerCommand named(String other) {
        return new ServerCommand(other, words, flags, environment);
    }

    private ServerCommand withJavaOptions(String options) {
        return new ServerCommand(name, words, flags, Map.of(JAVA_OPTIONS, options));
    }

    /** The same server with at most this much Java heap; etcd takes no notice. */
    public ServerCommand withHeap(int mebibytes) {
        return withJavaOptions("-Xmx" + mebibytes + "m");
    }

    /** The same server, a small one that lives for seconds: Java need not compile well. */
    public ServerCommand shortLived() {
        return withJavaOptions("-Xmx256m " + COMPILE_QUICKLY);
    }

    /** The same server, compiled as a short-lived one unless the environment has Java options. */
    ServerCommand quicklyCompiled() {
        return System.getenv(JAVA_OPTIONS) == null ? withJavaOptions(COMPILE_QUICKLY) : this;
    }

    /** The same server as the child of a tracer, whose own words come first. */
    public ServerCommand under(List<String> tracer) {
        List<String> all = new ArrayList<>(tracer);
        all.addAll(words);
        return new ServerCommand(name, all, flags, environment);
    }
}
