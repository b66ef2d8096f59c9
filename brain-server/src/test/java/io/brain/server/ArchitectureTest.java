package io.brain.server;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.brain.backend.store.Fence;
import io.brain.backend.store.ReadPoint;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Structure of the module. */
@AnalyzeClasses(packages = "io.brain.server", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String ROOT = "io.brain.server";

    /** Classes that use each other in a circle can only be understood together. */
    private static final int CIRCLE_MAX = 3;

    private static final Class<?>[] SENT_TO_PEERS = {Fence.class, ReadPoint.class};

    /** All packages, floor by floor: a package uses only those of lower floors. */
    private static final List<Set<String>> FLOORS =
            List.of(
                    Set.of("config"),
                    Set.of("logging", "process"),
                    Set.of("metrics"),
                    Set.of("tls", "grpc"),
                    Set.of("auth"),
                    Set.of("lock", "placement", "standby", "trial", "warmup"),
                    Set.of("etcd", "http"),
                    Set.of("gateway"),
                    Set.of("front"),
                    Set.of("peer"),
                    Set.of(""),
                    Set.of("command"));

    @ArchTest
    static void packagesUseOnlyLowerFloors(JavaClasses classes) {
        for (int floor = 0; floor < FLOORS.size(); floor++) {
            for (String name : FLOORS.get(floor)) {
                String[] others =
                        FLOORS.subList(floor, FLOORS.size()).stream()
                                .flatMap(Set::stream)
                                .filter(other -> !other.equals(name))
                                .map(ArchitectureTest::fullName)
                                .toArray(String[]::new);
                if (others.length > 0) {
                    noClasses()
                            .that()
                            .resideInAPackage(fullName(name))
                            .should()
                            .dependOnClassesThat()
                            .resideInAnyPackage(others)
                            .check(classes);
                }
            }
        }
    }

    @ArchTest
    static void everyPackageHasAFloor(JavaClasses classes) {
        Set<String> listed =
                FLOORS.stream()
                        .flatMap(Set::stream)
                        .map(ArchitectureTest::fullName)
                        .collect(Collectors.toSet());
        assertThat(classes).extracting(JavaClass::getPackageName).hasSameElementsAs(listed);
    }

    private static String fullName(String name) {
        return name.isEmpty() ? ROOT : ROOT + "." + name;
    }

    @ArchTest
    static final ArchRule grpcStaysAtTheEdge =
            noClasses()
                    .that()
                    .resideOutsideOfPackages(
                            "io.brain.server.auth",
                            "io.brain.server.etcd",
                            "io.brain.server.front",
                            "io.brain.server.gateway",
                            "io.brain.server.grpc",
                            "io.brain.server.lock",
                            "io.brain.server.peer",
                            "io.brain.server.placement",
                            "io.brain.server.standby",
                            "io.brain.server.tls",
                            "io.brain.server.trial",
                            "io.brain.server.warmup")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("io.grpc..", "io.brain.proto..");

    @ArchTest
    static final ArchRule callMachineryKnowsNoMessages =
            noClasses()
                    .that()
                    .resideInAPackage("io.brain.server.grpc")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("io.brain.proto..");

    @ArchTest
    static final ArchRule nettyStaysAtTheEdge =
            noClasses()
                    .that()
                    .resideOutsideOfPackages(
                            "io.brain.server.http",
                            "io.brain.server.front",
                            "io.brain.server.peer",
                            "io.brain.server.tls")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("io.netty..");

    /** Nodes send each other read points and the fence. */
    @ArchTest
    static final ArchRule theServerDoesNotKnowTheStorageFormat =
            noClasses()
                    .that()
                    .resideOutsideOfPackage("io.brain.server.peer")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("io.brain.backend.store..");

    @ArchTest
    static final ArchRule peersKnowOnlyWhatTheySendEachOther =
            noClasses()
                    .that()
                    .resideInAPackage("io.brain.server.peer")
                    .should()
                    .dependOnClassesThat(
                            resideInAnyPackage("io.brain.backend.store..")
                                    .and(not(belongToAnyOf(SENT_TO_PEERS))));

    @ArchTest
    static final ArchRule theServerUsesTheBackendByItsInterface =
            noClasses()
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "io.brain.backend.txn..",
                            "io.brain.backend.write..",
                            "io.brain.backend.lease..",
                            "io.brain.backend.ttl..",
                            "io.brain.backend.compact..");

    @ArchTest
    static final ArchRule theServerNamesNoEngine =
            noClasses()
                    .should()
                    .dependOnClassesThat(
                            resideInAnyPackage("io.brain.storage.*..", "org.rocksdb..")
                                    .and(not(resideInAnyPackage("io.brain.storage.placed"))));

    @ArchTest
    static final ArchRule onlyTheWiringOpensANode =
            noClasses()
                    .that()
                    .resideOutsideOfPackages("io.brain.server", "io.brain.server.metrics")
                    .should()
                    .dependOnClassesThat()
                    .haveFullyQualifiedName("io.brain.backend.Node");

    @Test
    void circlesOfClassesAreSmall() {
        JavaClasses classes =
                new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackages(
                                ROOT,
                                "io.brain.admin",
                                "io.brain.backend",
                                "io.brain.bbolt",
                                "io.brain.transfer");
        Map<String, Set<String>> uses = new TreeMap<>();
        for (JavaClass type : classes) {
            uses.computeIfAbsent(outermost(type), name -> new TreeSet<>())
                    .addAll(
                            type.getDirectDependenciesFromSelf().stream()
                                    .map(one -> one.getTargetClass().getBaseComponentType())
                                    .filter(used -> used.getPackage().equals(type.getPackage()))
                                    .map(ArchitectureTest::outermost)
                                    .toList());
        }
        assertThat(uses).isNotEmpty();
        Map<String, Set<String>> reached = new TreeMap<>();
        uses.keySet().forEach(name -> reached.put(name, reach(name, uses, new TreeSet<>())));
        Set<Set<String>> circles = new HashSet<>();
        reached.forEach(
                (name, others) -> {
                    Set<String> circle = new TreeSet<>(others);
                    circle.removeIf(other -> !reached.get(other).contains(name));
                    circles.add(circle);
                });
        circles.removeIf(circle -> circle.size() <= CIRCLE_MAX);
        assertThat(circles).as("large circles of classes in a package").isEmpty();
    }

    private static Set<String> reach(
            String from, Map<String, Set<String>> uses, Set<String> reached) {
        for (String used : uses.get(from)) {
            if (reached.add(used)) {
                reach(used, uses, reached);
            }
        }
        return reached;
    }

    private static String outermost(JavaClass type) {
        return type.getName().replaceAll("\\$.*", "");
    }
}
