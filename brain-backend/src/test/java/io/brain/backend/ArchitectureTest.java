package io.brain.backend;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.brain.backend.runtime.BackendThreads;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rules that the module's structure keeps; each says why it is one. */
class ArchitectureTest {
    private static final String ROOT = "io.brain.backend";

    /** The packages, floor by floor: one uses only those of lower floors. */
    private static final List<Set<String>> FLOORS =
            List.of(
                    Set.of("wire", "runtime"),
                    Set.of("model", "fair"),
                    Set.of("store"),
                    Set.of("auth"),
                    Set.of("cache", "txn"),
                    Set.of("read", "watch", "write", "lease", "ttl", "compact", "hash", "traffic"),
                    Set.of("cluster.link"),
                    Set.of("cluster.election"),
                    Set.of("cluster"),
                    Set.of(""));

    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("io.brain.backend");

    @Test
    void packagesUseOnlyLowerFloors() {
        for (int floor = 0; floor < FLOORS.size(); floor++) {
            String[] others =
                    FLOORS.subList(floor, FLOORS.size()).stream()
                            .flatMap(Set::stream)
                            .toArray(String[]::new);
            for (String name : FLOORS.get(floor)) {
                noClasses()
                        .that()
                        .resideInAPackage(fullName(name))
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage(
                                Stream.of(others)
                                        .filter(other -> !other.equals(name))
                                        .map(ArchitectureTest::fullName)
                                        .toArray(String[]::new))
                        .because("what is below must be usable and testable alone")
                        .check(CLASSES);
            }
        }
    }

    @Test
    void everyPackageHasAFloor() {
        Set<String> listed =
                FLOORS.stream()
                        .flatMap(Set::stream)
                        .map(ArchitectureTest::fullName)
                        .collect(Collectors.toSet());
        assertThat(CLASSES).allSatisfy(type -> assertThat(listed).contains(type.getPackageName()));
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

    private static String fullName(String name) {
        return name.isEmpty() ? ROOT : ROOT + "." + name;
    }
}
