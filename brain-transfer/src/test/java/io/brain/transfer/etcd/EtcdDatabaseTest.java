package io.brain.transfer.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.Bytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that are not what they should be end with one line. */
class EtcdDatabaseTest {
    @TempDir private Path directory;

    @Test
    void aSnapshotHasItsHashAndAMembersFileHasNone() throws Exception {
        Path snapshot = database().snapshot(directory.resolve("snapshot"));
        Path member = database().write(directory.resolve("member"));
        assertThat(changesOf(snapshot, false)).isEqualTo(3);
        assertThat(changesOf(snapshot, true)).isEqualTo(3);
        assertThat(changesOf(member, true)).isEqualTo(3);
        assertFails(() -> changesOf(member, false), "--skip-hash-check");
    }

    @Test
    void everyFlippedByteOfASnapshotIsNoticed() throws Exception {
        Path file = database().snapshot(directory.resolve("db"));
        byte[] content = Files.readAllBytes(file);
        for (int at = 0; at < content.length; at += 97) {
            byte[] damaged = content.clone();
            damaged[at] ^= 0x10;
            Files.write(file, damaged);
            assertFails(() -> changesOf(file, false), "damaged");
        }
    }

    @Test
    void withoutTheHashCheckAFlippedByteIsNoticedOrHarmless() throws Exception {
        Path file = database().write(directory.resolve("db"));
        byte[] content = Files.readAllBytes(file);
        int noticed = 0;
        for (int at = 0; at < content.length; at += 5) {
            byte[] damaged = content.clone();
            damaged[at] ^= (byte) (1 << at % 8);
            Files.write(file, damaged);
            try {
                changesOf(file, true);
            } catch (IOException refused) {
                assertThat(refused.getMessage()).doesNotContain("\n").isNotBlank();
                noticed++;
            }
        }
        assertThat(noticed).isPositive();
    }

    @Test
    void aTruncatedFileIsNoticed() throws Exception {
        Path file = database().snapshot(directory.resolve("db"));
        byte[] content = Files.readAllBytes(file);
        int database = content.length - 32;
        for (int length = 0; length < database; length += 512) {
            Files.write(file, Arrays.copyOf(content, length));
            assertFails(() -> changesOf(file, false), "truncated");
            assertFails(() -> changesOf(file, true), "");
        }
    }

    @Test
    void otherFilesAndVersionsAreRefused() throws Exception {
        Path file = directory.resolve("db");
        Files.write(file, new byte[4096]);
        assertFails(() -> changesOf(file, true), "");
        database().without("key").write(file);
        assertFails(() -> changesOf(file, true), "no bucket named key");
        database().storageVersion("3.8.0").write(file);
        assertFails(() -> changesOf(file, true), "storage version 3.8.0");
        database().storageVersion("3.6.0").write(file);
        assertThat(changesOf(file, true)).isEqualTo(3);
    }

    @Test
    void changesThatDoNotFitTheirPlaceAreRefused() throws Exception {
        Path file = directory.resolve("db");
        byte[] kv = {0x0a, 1, 'a', 0x10, 2, 0x18, 2, 0x20, 1};
        new EtcdFixture().change(2, 0, false, kv).write(file);
        assertThat(changesOf(file, true)).isEqualTo(1);
        new EtcdFixture().change(3, 0, false, kv).write(file);
        assertFails(() -> changesOf(file, true), "revision 3, change 0");
        new EtcdFixture().change(2, 0, true, kv).write(file);
        assertFails(() -> changesOf(file, true), "does not fit its place");
        new EtcdFixture().change(2, 0, false, new byte[] {0x0a, 5, 'a'}).write(file);
        assertFails(() -> changesOf(file, true), "not a KeyValue");
        new EtcdFixture().change(2, 0, false, new byte[0]).write(file);
        assertFails(() -> changesOf(file, true), "empty");
        new EtcdFixture().change(-5, 0, false, kv).write(file);
        assertFails(() -> changesOf(file, true), "not valid");
        new EtcdFixture().lease(7, 0, 0).write(file);
        assertFails(() -> changesOf(file, true), "lease 7");
    }

    private static EtcdFixture database() {
        return new EtcdFixture()
                .put("a")
                .next()
                .put(Bytes.utf8("b"), Bytes.utf8("w".repeat(3000)), 0)
                .delete(Bytes.utf8("a"));
    }

    private static int changesOf(Path file, boolean skipHashCheck) throws IOException {
        try (EtcdDatabase database =
                EtcdDatabase.open(file, skipHashCheck, (step, done, total) -> {})) {
            database.leases(lease -> {});
            EtcdChanges changes = database.changes(0, 0);
            int count = 0;
            while (changes.next() != null) {
                count++;
            }
            return count;
        }
    }

    private static void assertFails(ThrowingCallable call, String message) {
        assertThatThrownBy(call)
                .isInstanceOf(IOException.class)
                .hasMessageContaining(message)
                .message()
                .doesNotContain("\n");
    }
}
