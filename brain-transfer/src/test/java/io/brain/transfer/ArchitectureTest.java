package io.brain.transfer;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("io.brain.transfer");

    @Test
    void onlyFilesAndTheStoredFormAreUsed() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "com.github.luben.zstd",
                        "com.google.crypto.tink..",
                        "com.google.common.cache",
                        "com.google.common.hash",
                        "com.google.common.util.concurrent",
                        "com.google.gson",
                        "com.google.protobuf",
                        "io.brain.bbolt",
                        "io.brain.proto..",
                        "io.brain.storage",
                        "io.brain.backend.hash",
                        "io.brain.backend.model",
                        "io.brain.backend.read",
                        "io.brain.backend.store",
                        "io.brain.backend.wire",
                        "io.brain.transfer..",
                        "io.grpc",
                        "io.grpc.stub",
                        "software.amazon.awssdk..")
                .because("data is moved without a server in the same process")
                .check(CLASSES);
    }

    @Test
    void filesDoNotKnowTheImport() {
        noClasses()
                .that()
                .resideInAPackage("io.brain.transfer.etcd")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.brain.transfer.load")
                .check(CLASSES);
    }
}
