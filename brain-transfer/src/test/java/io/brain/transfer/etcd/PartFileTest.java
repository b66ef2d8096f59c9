package io.brain.transfer.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PartFileTest {
    private static final int BYTES = (2 << 20) + 512;

    @TempDir private Path directory;

    @Test
    void aFileAppearsCompleteWithItsHash() throws IOException {
        Path target = directory.resolve("db");
        byte[] content = new byte[BYTES];
        content[BYTES - 1] = 1;
        List<Long> hashed = new ArrayList<>();
        try (PartFile file = PartFile.create(target)) {
            write(file, content);
            assertThat(target).doesNotExist();
            file.complete((step, done, total) -> hashed.add(done));
        }
        assertThat(hashed).containsExactly(1L << 20, 2L << 20, (long) BYTES);
        byte[] written = Files.readAllBytes(target);
        assertThat(Arrays.copyOf(written, BYTES)).isEqualTo(content);
        assertThat(Arrays.copyOfRange(written, BYTES, written.length))
                .isEqualTo(PartFile.sha256().digest(content));
        assertThat(directory.toFile().list()).hasSize(1);
    }

    @Test
    void onlyItsOwnerMayReadIt() throws IOException {
        Path target = directory.resolve("db");
        try (PartFile file = PartFile.create(target)) {
            file.complete((step, done, total) -> {});
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(target)))
                .isEqualTo("rw-------");
    }

    @Test
    void anAbandonedFileIsDeleted() throws IOException {
        try (PartFile file = PartFile.create(directory.resolve("db"))) {
            write(file, new byte[10]);
        }
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void whatAKilledProcessLeftIsOverwritten() throws IOException {
        Files.write(directory.resolve("db.part"), new byte[1000]);
        try (PartFile file = PartFile.create(directory.resolve("db"))) {
            write(file, new byte[512]);
            file.complete((step, done, total) -> {});
        }
        assertThat(directory.resolve("db")).hasSize(512 + 32);
    }

    @Test
    void anExistingFileIsRefused() throws IOException {
        Path target = Files.writeString(directory.resolve("db"), "mine");
        assertThatThrownBy(() -> PartFile.create(target))
                .isInstanceOf(FileAlreadyExistsException.class)
                .hasMessage(target + ": the file exists");
        assertThat(target).hasContent("mine");
        assertThat(directory.toFile().list()).hasSize(1);
    }

    @Test
    void aFileThatAppearsMeanwhileIsKept() throws IOException {
        Path target = directory.resolve("db");
        try (PartFile file = PartFile.create(target)) {
            Files.writeString(target, "mine");
            assertThatThrownBy(() -> file.complete((step, done, total) -> {}))
                    .isInstanceOf(FileAlreadyExistsException.class);
        }
        assertThat(target).hasContent("mine");
        assertThat(directory.toFile().list()).hasSize(1);
    }

    @Test
    void twoExportsToOneFileAreRefused() throws IOException {
        Path target = directory.resolve("db");
        try (PartFile file = PartFile.create(target)) {
            write(file, new byte[512]);
            assertThatThrownBy(() -> PartFile.create(target))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("another export writes " + target + ".part");
            file.complete((step, done, total) -> {});
        }
        assertThat(target).hasSize(512 + 32);
    }

    @Test
    void aFileThatAnotherExportFinishedMeanwhileIsKept() throws IOException {
        Path target = directory.resolve("db");
        Path part = directory.resolve("db.part");
        PartFile finished = PartFile.create(target);
        Object file = PartFile.key(part);
        try (FileChannel opened = FileChannel.open(part, StandardOpenOption.WRITE)) {
            write(finished, new byte[512]);
            finished.complete((step, done, total) -> {});
            finished.close();
            assertThatThrownBy(() -> PartFile.lock(target, part, opened, file))
                    .isInstanceOf(FileAlreadyExistsException.class);
        }
        assertThat(target).hasSize(512 + 32);
    }

    @Test
    void aFileThatAnotherExportBeganMeanwhileIsKept() throws IOException {
        Path target = directory.resolve("db");
        Path part = directory.resolve("db.part");
        PartFile failed = PartFile.create(target);
        Object file = PartFile.key(part);
        try (FileChannel opened = FileChannel.open(part, StandardOpenOption.WRITE)) {
            failed.close();
            try (PartFile other = PartFile.create(target)) {
                write(other, new byte[512]);
                assertThatThrownBy(() -> PartFile.lock(target, part, opened, file))
                        .isInstanceOf(IOException.class)
                        .hasMessage("another export has written " + part);
                other.complete((step, done, total) -> {});
            }
        }
        assertThat(target).hasSize(512 + 32);
    }

    private static void write(PartFile file, byte[] content) throws IOException {
        file.channel().write(ByteBuffer.wrap(content));
    }
}
