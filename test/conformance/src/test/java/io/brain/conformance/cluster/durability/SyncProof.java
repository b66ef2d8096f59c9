package io.brain.conformance.cluster.durability;

import io.brain.conformance.cluster.EtcdClient;
import io.brain.conformance.linear.Keys;
import io.brain.conformance.server.Peer;
import io.brain.conformance.server.ServerCommand;
import io.brain.conformance.server.ServerHome;
import io.brain.conformance.server.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Runs a server under strace, puts one by one and then many at once, and reads the trace. */
final class SyncProof {

    private final ServerCommand command;
    private final Path directory;
    private final AtomicInteger numbers = new AtomicInteger();
    private final Map<Long, String> markerByRevision = new ConcurrentHashMap<>();

    SyncProof(ServerCommand command, Path directory) {
        this.command = command;
        this.directory = directory;
    }

    /**
     * @param sequential puts that each wait for the one before
     * @param clients connections at work at the same time afterwards
     * @param each puts of each of them
     */
    SyncReport run(int sequential, int clients, int each) throws IOException, InterruptedException {
        Path traces = Files.createDirectories(directory.resolve("traces"));
        List<String> tracer = new ArrayList<>(List.of(Peer.STRACE.require().toString()));
        tracer.addAll(Arrays.asList(SystemCall.STRACE_FLAGS));
        tracer.addAll(List.of("-o", traces.resolve("thread").toString(), "--"));
        ServerHome home = ServerHome.fresh(directory);
        ServerProcess server = ServerProcess.start(command.under(tracer), home);
        try {
            put(home, sequential);
            putAtOnce(home, clients, each);
        } finally {
            server.close();
        }
        int acknowledged = sequential + clients * each;
        if (markerByRevision.size() != acknowledged) {
            throw new IllegalStateException(
                    markerByRevision.size() + " of " + acknowledged + " puts were acknowledged");
        }
        String data = home.data().toRealPath().toString();
        return new SyncCheck(read(traces), data).check(markerByRevision, home.clientPort());
    }

    private void putAtOnce(ServerHome home, int clients, int each) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            Thread thread = new Thread(() -> put(home, each), "client-" + i);
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void put(ServerHome home, int puts) {
        try (EtcdClient client = new EtcdClient(home.target())) {
            for (int i = 0; i < puts; i++) {
                String marker = SyncCheck.marker(numbers.incrementAndGet());
                // Twice, so that a log's block boundary can cut only one of them in two.
                long revision =
                        client.put(Keys.of("k" + i % 10), Keys.of(marker + marker))
                                .getHeader()
                                .getRevision();
                markerByRevision.put(revision, marker);
            }
        }
    }

    private static List<SystemCall> read(Path traces) throws IOException {
        List<SystemCall> calls = new ArrayList<>();
        try (Stream<Path> files = Files.list(traces)) {
            for (Path file : files.toList()) {
                try (Stream<String> lines = Files.lines(file)) {
                    lines.flatMap(line -> SystemCall.parse(line).stream()).forEach(calls::add);
                }
            }
        }
        calls.sort(Comparator.comparingLong(SystemCall::startNanos));
        return calls;
    }
}
