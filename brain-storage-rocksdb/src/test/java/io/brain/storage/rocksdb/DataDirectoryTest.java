package io.brain.storage.rocksdb;

import static io.brain.storage.rocksdb.Stores.count;
import static io.brain.storage.rocksdb.Stores.get;
import static io.brain.storage.rocksdb.Stores.open;
import static io.brain.storage.rocksdb.Stores.put;
import static io.brain.storage.rocksdb.Stores.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.brain.storage.KvStorage;
import io.brain.storage.StorageException.Kind;
import io.brain.storage.rocksdb.recovery.DataDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Which directories are opened, and what is said about the others. */
final class DataDirectoryTest {
    @TempDir Path temp;

    private Path created() {
        Path directory = temp.resolve("store");
        try (KvStorage store = open(directory)) {
            put(store, "k", "v");
        }
        return directory;
    }

    @Test
    void aMissingDirectoryIsCreatedWithItsParents() {
        Path directory = temp.resolve("a/b/c");
        try (KvStorage store = open(directory)) {
            assertThat(count(store)).isZero();
        }
        assertThat(directory.resolve("FORMAT")).hasContent("brain-rocksdb 1");
        assertThat(directory.resolve("CREATING")).doesNotExist();
    }

    @Test
    void onlyTheOwnerMayReadACreatedDirectory() throws IOException {
        open(temp.resolve("a/b")).close();

        for (String created : List.of("a", "a/b")) {
            assertThat(Files.getPosixFilePermissions(temp.resolve(created)))
                    .isEqualTo(PosixFilePermissions.fromString("rwx------"));
        }
    }

    @Test
    void aDirectoryThatOthersMayReadIsOpenedWithAWarning() throws IOException {
        Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("rwxr-xr-x"));
        Logger log = (Logger) LoggerFactory.getLogger(DataDirectory.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        log.addAppender(lines);
        log.setLevel(Level.WARN);
        try {
            open(temp).close();
            Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("rwx------"));
            open(temp).close();
        } finally {
            log.setLevel(null);
            log.detachAppender(lines);
        }
        assertThat(lines.list)
                .singleElement()
                .asString()
                .contains("accessible to other users")
                .contains("permissions=rwxr-xr-x");
    }

    @Test
    void aLinkToADirectoryIsOpened() throws IOException {
        Path directory = created();
        Path link = Files.createSymbolicLink(temp.resolve("link"), directory);

        try (KvStorage store = open(link)) {
            assertThat(get(store, "k")).isEqualTo("v");
        }
    }

    @Test
    void aVolumesOwnFilesDoNotMatter() throws IOException {
        Files.createDirectory(temp.resolve("lost+found"));
        Files.writeString(temp.resolve("notes.txt"), "mine");

        open(temp).close();

        assertThat(temp.resolve("notes.txt")).hasContent("mine");
    }

    @Test
    void aStoreInUseIsRefused() {
        try (KvStorage store = open(temp)) {
            put(store, "k", "v");
            assertThat(refusal(Kind.REFUSED, temp))
                    .contains("in use by process " + ProcessHandle.current().pid());
            put(store, "k", "still works");
        }
        open(temp).close();
    }

    @Test
    void aStoreInUseByAnotherProcessIsRefused() throws Exception {
        Process other = ChildProcess.start(ChildProcess.class, temp.toString(), "256KiB");
        try (var lines = other.inputReader()) {
            assertThat(lines.readLine()).isEqualTo("acknowledged 1");
            assertThat(refusal(Kind.REFUSED, temp)).contains("in use by process " + other.pid());
        } finally {
            other.destroyForcibly().waitFor();
        }
        try (KvStorage store = open(temp)) {
            assertThat(get(store, "at1")).isEqualTo("fence 1");
        }
    }

    @Test
    void anotherVersionOfTheFormatIsRefused() throws IOException {
        Path directory = created();
        Files.writeString(directory.resolve("FORMAT"), "brain-rocksdb 2\n");

        assertThat(refusal(Kind.REFUSED, directory))
                .contains("\"brain-rocksdb 2\"")
                .contains("\"brain-rocksdb 1\"");
    }

    @Test
    void aForeignFormatIsRefused() throws IOException {
        Path directory = created();
        Files.write(directory.resolve("FORMAT"), new byte[5000]);

        assertThat(refusal(Kind.REFUSED, directory)).contains("unknown");
    }

    @Test
    void aRocksDbWithoutFormatIsRefusedAndLeftAlone() throws IOException {
        Path directory = created();
        Files.delete(directory.resolve("FORMAT"));

        assertThat(refusal(Kind.REFUSED, directory)).contains("no file FORMAT");

        Files.writeString(directory.resolve("FORMAT"), "brain-rocksdb 1\n");
        try (KvStorage store = open(directory)) {
            assertThat(get(store, "k")).isEqualTo("v");
        }
    }

    @Test
    void aCreationThatWasCutShortStartsAgain() throws IOException {
        Path directory = created();
        Files.move(directory.resolve("FORMAT"), directory.resolve("CREATING"));
        Files.delete(Stores.file(directory, "CURRENT"));

        try (KvStorage store = open(directory)) {
            assertThat(count(store)).isZero();
        }
    }

    @Test
    void aDataDirectoryOfEtcdIsRefusedAndLeftAlone() throws IOException {
        Files.createDirectories(temp.resolve("member/wal"));

        assertThat(refusal(Kind.REFUSED, temp)).contains("etcd");
        assertThat(temp.toFile().list()).containsExactly("member");
    }

    @Test
    void aPathThatCannotBeADirectoryIsRefused() throws IOException {
        Path file = Files.writeString(temp.resolve("file"), "x");

        assertThat(refusal(Kind.REFUSED, file)).contains(file + " is not a directory");
        assertThat(refusal(Kind.REFUSED, file.resolve("below"))).contains("cannot write");
    }

    @Test
    void aPlaceWhereNothingCanBeWrittenIsRefused() {
        Path nowhere = Path.of("/proc/brain-data");

        assertThat(refusal(Kind.REFUSED, nowhere)).contains("cannot write in /proc/brain-data");
    }
}
