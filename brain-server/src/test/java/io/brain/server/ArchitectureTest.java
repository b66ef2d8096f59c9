package io.brain.server;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.brain.backend.store.Fence;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

@AnalyzeClasses(packages = "io.brain.server", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final int LINES_MAX = 350;
    private static final Class<?>[] TOLD = {Fence.class};

    @ArchTest
    static final ArchRule grpcStaysAtTheEdge =
            noClasses()
                    .that()
                    .resideOutsideOfPackages(
                            "io.brain.server.etcd",
                            "io.brain.server.front",
                            "io.brain.server.peer",
                            "io.brain.server.tls")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("io.grpc..", "io.brain.proto..");

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

    @ArchTest
    static final ArchRule theServerKnowsNothingOfWhatIsStored =
            noClasses()
                    .that()
                    .resideOutsideOfPackage("io.brain.server.peer") // see the next rule
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "io.brain.backend.key..",
                            "io.brain.backend.write..",
                            "io.brain.backend.lead..",
                            "io.brain.backend.lease..",
                            "io.brain.backend.compact..");

    /** Nodes tell each other the fence as the backend words it. */
    @ArchTest
    static final ArchRule peersKnowOnlyWhatTheyTellEachOther =
            noClasses()
                    .that()
                    .resideInAPackage("io.brain.server.peer")
                    .should()
                    .dependOnClassesThat(
                            resideInAnyPackage(
                                            "io.brain.backend.key..",
                                            "io.brain.backend.write..",
                                            "io.brain.backend.lead..",
                                            "io.brain.backend.lease..",
                                            "io.brain.backend.compact..")
                                    .and(not(belongToAnyOf(TOLD))));

    @ArchTest
    static final ArchRule theServerNamesNoEngine =
            noClasses()
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("io.brain.storage.*..", "org.rocksdb..");

    @ArchTest
    static final ArchRule onlyTheWiringOpensThings =
            noClasses()
                    .that()
                    .resideOutsideOfPackages("io.brain.server", "io.brain.server.metrics")
                    .should()
                    .dependOnClassesThat()
                    .haveFullyQualifiedName("io.brain.backend.Node");

    @ArchTest
    static final ArchRule packagesHaveAnOrder =
            slices().matching("io.brain.server.(*)..").should().beFreeOfCycles();

    @Test
    void noFileIsTooLong() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src/main"))) {
            List<Path> sources = files.filter(f -> f.toString().endsWith(".java")).toList();
            Assertions.assertThat(sources).hasSizeGreaterThan(40);
            for (Path source : sources) {
                Assertions.assertThat(Files.readAllLines(source))
                        .as(source.toString())
                        .hasSizeLessThanOrEqualTo(LINES_MAX);
            }
        }
    }
}
