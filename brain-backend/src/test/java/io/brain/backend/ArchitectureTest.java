package io.brain.backend;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.brain.backend.runtime.BackendThreads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rules that the module's structure keeps; each says why it is one. */
class ArchitectureTest {
    private static final String ROOT = "io.brain.backend.";
    private static final int FILE_LINES_MAX = 350;

    /** Each package and the ones it may use. The facade above them may use all. */
    private static final Map<String, Set<String>> USES =
            Map.ofEntries(
                    Map.entry("wire", Set.of()),
                    Map.entry("runtime", Set.of()),
                    Map.entry("model", Set.of("wire")),
                    Map.entry("key", Set.of("model", "wire")),
                    Map.entry("revision", Set.of("key", "model", "wire", "runtime")),
                    Map.entry("write", Set.of("revision", "key", "model", "wire", "runtime")),
                    Map.entry("read", Set.of("revision", "key", "model", "wire", "runtime")),
                    Map.entry(
                            "watch", Set.of("read", "revision", "key", "model", "wire", "runtime")),
                    Map.entry(
                            "lease",
                            Set.of("write", "revision", "key", "model", "wire", "runtime")),
                    Map.entry(
                            "compact",
                            Set.of("write", "revision", "key", "model", "wire", "runtime")),
                    Map.entry(
                            "hash",
                            Set.of(
                                    "watch",
                                    "write",
                                    "revision",
                                    "key",
                                    "model",
                                    "wire",
                                    "runtime")),
                    Map.entry(
                            "peer",
                            Set.of("read", "write", "revision", "key", "model", "wire", "runtime")),
                    Map.entry("traffic", Set.of("revision", "key", "model", "wire", "runtime")));

    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("io.brain.backend");

    @Test
    void packagesUseOnlyWhatIsBelowThem() {
        Set<String> all = Stream.concat(USES.keySet().stream(), Stream.of("lead")).collect(set());
        new TreeMap<>(USES)
                .forEach(
                        (name, uses) -> {
                            String[] forbidden =
                                    all.stream()
                                            .filter(other -> !other.equals(name))
                                            .filter(other -> !uses.contains(other))
                                            .map(other -> ROOT + other + "..")
                                            .toArray(String[]::new);
                            noClasses()
                                    .that()
                                    .resideInAPackage(ROOT + name + "..")
                                    .should()
                                    .dependOnClassesThat()
                                    .resideInAnyPackage(forbidden)
                                    .because("what is below must be usable and testable alone")
                                    .check(CLASSES);
                        });
    }

    @Test
    void nothingBelowUsesTheFacade() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.brain.backend")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.brain.backend")
                .because("the facade wires the parts; a part that knows it cannot be used alone")
                .check(CLASSES);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("io.brain.backend.(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void theBackendKnowsNeitherTransportNorEngine() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.grpc..", "io.netty..", "com.google.protobuf..", "org.rocksdb..")
                .because("the server owns the protocol, and an adapter its engine")
                .check(CLASSES);
    }

    @Test
    void timeThreadsAndRandomnessAreHandedIn() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName(BackendThreads.class.getName())
                .should()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(Instant.class, "now")
                .orShould()
                .callMethod(Thread.class, "sleep", long.class)
                .orShould()
                .callMethod(Math.class, "random")
                .orShould()
                .dependOnClassesThat()
                .belongToAnyOf(Thread.class, Random.class, ThreadLocalRandom.class)
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.util.concurrent.Executors")
                .because("a simulation must own them: take a BackendRuntime")
                .check(CLASSES);
    }

    @Test
    void noSourceFileIsTooLongToBeReadAtOnce() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
            List<Path> sources = files.filter(file -> file.toString().endsWith(".java")).toList();
            assertThat(sources).isNotEmpty();
            assertThat(sources)
                    .allSatisfy(
                            source ->
                                    assertThat(Files.readAllLines(source))
                                            .as("lines of %s", source)
                                            .hasSizeLessThanOrEqualTo(FILE_LINES_MAX));
        }
    }

    private static <T> java.util.stream.Collector<T, ?, Set<T>> set() {
        return Collectors.toSet();
    }
}
