package io.brain.conformance.server;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/** The real programs that the suites need, and how to get one that is missing. */
public enum Peer {
    ETCD("etcd", "test/peers/build.sh etcd"),
    ETCD_3_4("etcd-3.4", "test/peers/build.sh older-etcd"),
    ETCD_3_5("etcd-3.5", "test/peers/build.sh older-etcd"),
    ETCD_3_6("etcd-3.6", "test/peers/build.sh older-etcd"),
    ETCDCTL("etcdctl", "test/peers/build.sh etcd"),
    ETCDUTL("etcdutl", "test/peers/build.sh etcd"),
    BBOLT("bbolt", "test/peers/build.sh etcd"),
    PD("pd-server", "test/peers/build.sh pd"),
    UNISTORE("unistore", "test/peers/build.sh unistore"),
    KUBE_APISERVER("kube-apiserver", "test/peers/build.sh kubernetes"),
    KUBECTL("kubectl", "apt-get install kubernetes-client"),
    PYTHON_CLIENTS("clients/bin/python", "test/peers/build.sh clients"),
    OPENSSL("openssl", "apt-get install openssl"),
    CURL("curl", "apt-get install curl"),
    CHROMIUM("chromium-headless-shell", "apt-get install chromium-headless-shell"),
    STRACE("strace", "apt-get install strace");

    private final String program;
    private final String remedy;

    Peer(String program, String remedy) {
        this.program = program;
        this.remedy = remedy;
    }

    /**
     * The program's path. A test that calls this without the program is skipped with one line that
     * says how to get it.
     */
    public Path require() {
        return directories()
                .map(directory -> directory.resolve(program))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new TestAbortedException("no " + program + ": run " + remedy));
    }

    /** What a cluster on TiKV stands on; as {@link #require}. */
    public static void requireTikv() {
        PD.require();
        if (System.getenv("BRAIN_TIKV_SERVER") == null) {
            UNISTORE.require();
        }
    }

    /** Where {@code test/peers/build.sh} puts what it builds: {@code PEERS_BIN}, or its default. */
    public static Path builtPrograms() {
        String named = System.getenv("PEERS_BIN");
        return named == null || named.isBlank()
                ? Path.of(System.getProperty("user.home"), ".cache", "brain-peers", "bin")
                : Path.of(named);
    }

    private static Stream<Path> directories() {
        List<String> path = Arrays.asList(System.getenv("PATH").split(File.pathSeparator, -1));
        return Stream.concat(Stream.of(builtPrograms()), path.stream().map(Path::of));
    }
}
