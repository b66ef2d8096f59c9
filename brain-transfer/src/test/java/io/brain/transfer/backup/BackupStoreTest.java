package io.brain.transfer.backup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Directories and buckets keep objects alike. */
class BackupStoreTest {
    @TempDir Path directory;

    abstract static class Contract {
        BackupStore store;

        abstract BackupStore open() throws IOException;

        @BeforeEach
        void openStore() throws IOException {
            store = open();
        }

        @AfterEach
        void closeStore() throws IOException {
            store.close();
        }

        @Test
        void anObjectIsReadAsItWasWritten() throws IOException {
            try (BackupStore.Lock lock = store.lock()) {
                byte[] large = new byte[(32 << 20) + 17];
                new Random(1).nextBytes(large);
                store.put("b-large.db", out -> out.write(large));
                store.put("a.json", out -> out.write("{}".getBytes(UTF_8)));
                store.put("c-empty", out -> {});

                assertThat(store.names()).containsExactly("a.json", "b-large.db", "c-empty");
                try (InputStream in = store.open("b-large.db")) {
                    assertThat(in.readAllBytes()).isEqualTo(large);
                }
                try (InputStream in = store.open("c-empty")) {
                    assertThat(in.readAllBytes()).isEmpty();
                }
                lock.renew();
            }
        }

        @Test
        void aReplacedObjectIsTheNewOneAndADeletedOneIsGone() throws IOException {
            store.put("a", out -> out.write(1));
            store.put("a", out -> out.write(2));
            try (InputStream in = store.open("a")) {
                assertThat(in.readAllBytes()).containsExactly(2);
            }
            store.delete("a");
            store.delete("a");
            assertThat(store.names()).isEmpty();
            assertThatThrownBy(() -> store.open("a").close()).isInstanceOf(IOException.class);
        }

        @Test
        void anObjectWhoseContentFailsDoesNotAppear() throws IOException {
            assertThatThrownBy(
                            () ->
                                    store.put(
                                            "a",
                                            out -> {
                                                out.write(new byte[20 << 20]);
                                                throw new IOException("no more");
                                            }))
                    .isInstanceOf(IOException.class)
                    .hasMessage("no more");
            assertThat(store.names()).isEmpty();
        }

        @Test
        void onlyOneHoldsTheLock() throws IOException {
            try (BackupStore other = open()) {
                try (BackupStore.Lock lock = store.lock()) {
                    assertThatThrownBy(other::lock)
                            .isInstanceOf(IOException.class)
                            .hasMessageContaining("another backup to ");
                    lock.renew();
                }
                other.lock().close();
            }
        }

        @Test
        void aStoreWithoutObjectsHasNone() throws IOException {
            assertThat(store.names()).isEmpty();
        }
    }

    @Nested
    class InADirectory extends Contract {
        @Override
        BackupStore open() {
            return new DirectoryStore(directory.resolve("backups"));
        }

        @Test
        void onlyTheirOwnerMayReadThem() throws IOException {
            store.lock().close();
            store.put("a", out -> out.write(1));
            Path backups = directory.resolve("backups");
            assertThat(permissions(backups)).isEqualTo("rwx------");
            assertThat(permissions(backups.resolve("a"))).isEqualTo("rw-------");
            assertThat(permissions(backups.resolve("LOCK"))).isEqualTo("rw-------");
        }

        private static String permissions(Path file) throws IOException {
            return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
        }

        @Test
        void whatAnInterruptedBackupLeftIsRemoved() throws IOException {
            Path part = Files.createDirectories(directory.resolve("backups")).resolve("a.part");
            Files.writeString(part, "x");
            assertThat(store.names()).isEmpty();
            store.lock().close();
            assertThat(part).doesNotExist();
        }
    }

    @Nested
    @Tag("peer")
    class InABucket extends Contract {
        private S3Gateway gateway;

        @BeforeEach
        @Override
        void openStore() throws IOException {
            gateway = new S3Gateway(directory, "backups");
            super.openStore();
        }

        @AfterEach
        @Override
        void closeStore() throws IOException {
            super.closeStore();
            gateway.close();
        }

        @Override
        BackupStore open() throws IOException {
            return gateway.open("a/cluster");
        }

        @Test
        void otherPrefixesAreOtherStores() throws IOException {
            try (BackupStore other = gateway.open("");
                    BackupStore.Lock lock = store.lock();
                    BackupStore.Lock otherLock = other.lock()) {
                lock.renew();
                otherLock.renew();
                store.put("a", out -> out.write(1));
                other.put("b", out -> out.write(2));
                assertThat(store.names()).containsExactly("a");
                assertThat(other.names()).containsExactly("b");
            }
        }

        @Test
        void anExpiredLockIsTakenAndALostOneStays() throws IOException {
            store.put("LOCK", out -> out.write("x 2026-01-01T00:00:00Z".getBytes(UTF_8)));
            try (BackupStore other = open()) {
                BackupStore.Lock lost = store.lock();
                assertThatThrownBy(other::lock).hasMessageContaining("another backup to ");
                store.put("LOCK", out -> out.write("y 2026-01-01T00:00:00Z".getBytes(UTF_8)));
                BackupStore.Lock taken = other.lock();
                lost.close();
                assertThatThrownBy(store::lock).hasMessageContaining("another backup to ");
                taken.close();
                store.lock().close();
            }
        }

        @Test
        void aMalformedLockIsTaken() throws IOException {
            for (String lock : List.of("", "x", "x yesterday")) {
                store.put("LOCK", out -> out.write(lock.getBytes(UTF_8)));
                store.lock().close();
            }
        }

        @Test
        void aMissingBucketIsNamed() {
            assertThatThrownBy(
                            () -> {
                                try (BackupStore absent =
                                        new S3Store(
                                                URI.create("s3://absent"),
                                                gateway.url(),
                                                null,
                                                S3Store.CALL_MAX)) {
                                    absent.names();
                                }
                            })
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("s3://absent: ");
        }
    }
}
