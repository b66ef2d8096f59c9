package io.brain.server.warmup;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.NodeStatus;
import io.brain.server.BrainServer;
import io.brain.server.config.CommandLineReader;
import io.brain.server.logging.Logging;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

@Timeout(60)
class BackgroundWarmUpTest {
    private static NodeStatus status(long leader, long revision) {
        return new NodeStatus(1, 1, leader, revision, -1, 1, 1, 0, 0, 0, new TreeSet<>());
    }

    private static Set<Path> directories() throws IOException {
        return directoriesSince(Set.of());
    }

    /**
     * Other processes' directories may go while a test runs: whoever starts removes abandoned ones.
     */
    private static Set<Path> directoriesSince(Set<Path> before) throws IOException {
        Path parent = Path.of(System.getProperty("java.io.tmpdir"));
        try (Stream<Path> all = Files.list(parent)) {
            return all.filter(path -> path.getFileName().toString().startsWith("brain-work-"))
                    .filter(path -> !before.contains(path))
                    .collect(Collectors.toSet());
        }
    }

    @Test
    void itMakesABoundedNumberOfRequests() throws Exception {
        AtomicInteger bursts = new AtomicInteger();
        try (TemporaryServer server = TemporaryServer.start(BrainServer::start)) {
            WarmUp.compile(server.address(), worked -> bursts.incrementAndGet() > 0);
        }
        assertThat(bursts).hasValueBetween(2, 100);
    }

    @Test
    void itEndsWhenTheServerStopsAndLeavesNoFiles() throws Exception {
        Set<Path> before = directories();
        try (BackgroundWarmUp warmUp = new BackgroundWarmUp(true, BrainServer::start, () -> 0)) {
            warmUp.start(() -> status(1, 1));
            while (directoriesSince(before).isEmpty()) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
        }
        while (!directoriesSince(before).isEmpty()) {
            TimeUnit.MILLISECONDS.sleep(1); // closing does not wait long for a slow disk
        }
    }

    @Test
    void itEndsWhenTheServerTakesWrites() throws Exception {
        Set<Path> before = directories();
        AtomicInteger revision = new AtomicInteger(1);
        try (BackgroundWarmUp warmUp = new BackgroundWarmUp(true, BrainServer::start, () -> 0)) {
            warmUp.start(() -> status(1, revision.getAndAdd(1000)));
            while (revision.get() < 2000 || !directoriesSince(before).isEmpty()) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
        }
        assertThat(revision).hasValue(2001);
    }

    @Test
    void itWaitsWhileTheMachineIsBusy() throws Exception {
        Set<Path> before = directories();
        AtomicInteger asked = new AtomicInteger();
        try (BackgroundWarmUp warmUp =
                new BackgroundWarmUp(
                        true,
                        BrainServer::start,
                        () -> {
                            asked.incrementAndGet();
                            return 0.9;
                        })) {
            warmUp.start(() -> status(1, 1));
            while (asked.get() < 5) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
            assertThat(directoriesSince(before)).isEmpty();
        }
    }

    @Test
    void itDoesNotStartUnlessWanted() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        try (BackgroundWarmUp warmUp = new BackgroundWarmUp(false, BrainServer::start, () -> 0)) {
            warmUp.start(() -> status(1, asked.incrementAndGet()));
        }
        assertThat(asked).hasValue(0);
    }

    @Test
    void temporaryServersLogOnlyErrors() throws Exception {
        Logger log = LoggerFactory.getLogger(BackgroundWarmUpTest.class);
        PrintStream errors = System.err;
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        try {
            System.setErr(new PrintStream(lines, true, StandardCharsets.UTF_8));
            Logging.configure(CommandLineReader.read(List.of(), Map.of()).config().log());
            Thread temporary =
                    new Thread(
                            Logging.temporaryServers(),
                            () -> {
                                log.info("a temporary server starts");
                                log.error("a temporary server fails");
                            });
            temporary.start();
            temporary.join();
            log.info("the server starts");
            Logging.stop();
        } finally {
            System.setErr(errors);
            Logging.configure(CommandLineReader.read(List.of(), Map.of()).config().log());
        }
        assertThat(lines.toString(StandardCharsets.UTF_8))
                .contains("a temporary server fails", "the server starts")
                .doesNotContain("a temporary server starts");
    }
}
