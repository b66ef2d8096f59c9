package io.brain.transfer.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkDirectoryTest {
    @TempDir Path parent;

    @Test
    void isDeletedWhenItIsClosed() throws IOException {
        try (WorkDirectory work = WorkDirectory.open(parent)) {
            Files.writeString(work.path().resolve("file"), "text");
            Files.createDirectories(work.path().resolve("a/b"));
            assertThat(parent).isDirectoryContaining(work.path()::equals);
        }
        assertThat(parent).isEmptyDirectory();
    }

    @Test
    void deletesThoseOfKilledProcessesOnly() throws IOException {
        Path abandoned = abandoned("brain-work-1", "rwx------");
        Path shared = abandoned("brain-work-3", "rwxrwx---");
        Path link = Files.createSymbolicLink(parent.resolve("brain-work-4"), elsewhere());
        Path other = Files.createDirectory(parent.resolve("other"));
        Path withoutLock = Files.createDirectory(parent.resolve("brain-work-2"));
        try (WorkDirectory first = WorkDirectory.open(parent);
                WorkDirectory second = WorkDirectory.open(parent)) {
            assertThat(first.path()).isDirectory();
            assertThat(second.path()).isDirectory();
            assertThat(abandoned).doesNotExist();
        }
        assertThat(other).isDirectory();
        assertThat(withoutLock).isDirectory();
        assertThat(shared.resolve("sub/file")).as("others may write there").exists();
        assertThat(link.resolve("sub/file")).exists();
    }

    private Path abandoned(String name, String permissions) throws IOException {
        Path directory = Files.createDirectories(parent.resolve(name).resolve("sub")).getParent();
        Files.createFile(directory.resolve("LOCK"));
        Files.writeString(directory.resolve("sub/file"), "text");
        return Files.setPosixFilePermissions(
                directory, PosixFilePermissions.fromString(permissions));
    }

    private Path elsewhere() throws IOException {
        return abandoned("elsewhere", "rwx------");
    }
}
