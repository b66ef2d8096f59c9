package io.brain.transfer.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
        Path abandoned = Files.createDirectories(parent.resolve("brain-work-1/sub")).getParent();
        Files.createFile(abandoned.resolve("LOCK"));
        Files.writeString(abandoned.resolve("sub/file"), "text");
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
    }
}
