package io.brain.admin;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final String ROOT = "io.brain.admin.";

    /** Each package, and what it may use besides Java. */
    private static final Map<String, String[]> USES =
            Map.of(
                    "check",
                    new String[] {
                        "io.brain.backend.store", "io.brain.backend.model", "io.brain.backend.wire"
                    },
                    "console",
                    new String[] {
                        "com.google.gson",
                        "io.brain.backend",
                        "io.brain.backend.cluster",
                        "io.brain.backend.model",
                        "io.brain.backend.read",
                        "io.brain.backend.runtime",
                        "io.brain.backend.traffic",
                        "io.brain.backend.ttl",
                        "io.brain.backend.watch",
                        "io.brain.backend.wire"
                    },
                    "ctl",
                    new String[] {"com.google.gson", "io.brain.options", "picocli.."});

    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("io.brain");

    @Test
    void everyPackageUsesOnlyWhatIsListed() {
        USES.forEach(
                (name, uses) ->
                        classes()
                                .that()
                                .resideInAPackage(ROOT + name)
                                .should()
                                .onlyDependOnClassesThat()
                                .resideInAnyPackage(
                                        Stream.concat(
                                                        Stream.of(uses),
                                                        Stream.of(
                                                                ROOT + name,
                                                                "io.brain.storage",
                                                                "java..",
                                                                "javax.."))
                                                .toArray(String[]::new))
                                .check(CLASSES));
    }

    @Test
    void everyPackageIsListed() {
        String[] listed = USES.keySet().stream().map(ROOT::concat).toArray(String[]::new);
        classes()
                .that()
                .resideInAPackage(ROOT + ".")
                .should()
                .resideInAnyPackage(listed)
                .because("a package without an entry would use what it likes")
                .check(CLASSES);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching(ROOT + "(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void backendAndStorageDoNotUseTheOperatorTools() {
        noClasses()
                .that()
                .resideInAnyPackage("io.brain.backend..", "io.brain.storage..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(ROOT + ".")
                .because("nothing of them may run on the path of a commit")
                .check(CLASSES);
    }
}
