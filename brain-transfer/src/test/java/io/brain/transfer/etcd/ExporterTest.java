package io.brain.transfer.etcd;

import static io.brain.transfer.etcd.ExportedFile.hex;
import static io.brain.transfer.etcd.ExportedFile.records;
import static io.brain.transfer.etcd.RecordedStore.delete;
import static io.brain.transfer.etcd.RecordedStore.deleteFrom;
import static io.brain.transfer.etcd.RecordedStore.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.cluster.link.LeaderCommand.GrantLease;
import io.brain.backend.cluster.link.LeaderCommand.RaiseAlarm;
import io.brain.backend.model.Alarm;
import io.brain.backend.store.AuthRecord;
import io.brain.backend.store.KeyCoder;
import io.brain.proto.etcd.AlarmMember;
import io.brain.proto.etcd.AlarmType;
import io.brain.storage.Bytes;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class ExporterTest {
    private static final int OPERATIONS = 200;
    private static final long LEASE = 7;

    @TempDir private Path directory;
    private RecordedStore store;

    @BeforeEach
    void open() throws Exception {
        store = new RecordedStore();
    }

    @AfterEach
    void close() {
        store.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void exportHasTheChangesThatAnEtcdHas(int seed) throws Exception {
        Random random = new Random(seed);
        store.submit(new GrantLease(LEASE, 600));
        for (int i = 0; i < OPERATIONS; i++) {
            operate(random);
            if (random.nextInt(20) == 0) {
                long oldest = Math.max(1, store.floor());
                long range = store.revision() - oldest + 1;
                long revision = oldest + random.nextInt((int) range);
                compare(random.nextInt(3000), revision);
            }
        }
        compare(1, store.revision());
    }

    private void compare(long sortBytesMax, long revision) throws IOException {
        ExportScope scope = new ExportScope(KeyFilter.ALL, revision);
        ExportedFile file = ExportedFile.of(store.exporter(sortBytesMax), directory, scope);
        assertThat(file.exported().revision()).isEqualTo(revision);
        assertThat(hex(file.bucket(EtcdSchema.KEY)))
                .containsExactlyEntriesOf(hex(records(store.inDatabase(revision))));
        assertThat(file.text(EtcdSchema.META, EtcdSchema.FINISHED_COMPACTION))
                .isEqualTo(file.text(EtcdSchema.META, EtcdSchema.SCHEDULED_COMPACTION));
    }

    private void operate(Random random) throws Exception {
        int dice = random.nextInt(100);
        String key = key(random);
        if (dice < 45) {
            store.change(put(key, value(random), random.nextInt(4) == 0 ? LEASE : 0));
        } else if (dice < 60) {
            store.change(delete(key));
        } else if (dice < 65) {
            store.change(deleteFrom(key));
        } else if (dice < 72) {
            store.change(put(key, value(random), 0), deleteFrom(key));
        } else if (dice < 79) {
            store.change(deleteFrom(key), put(key, value(random), 0));
        } else if (dice < 86) {
            store.change(put("x", "1", 0), put("y", "2", LEASE), delete(key));
        } else if (dice < 90) {
            store.revoke(LEASE);
            store.submit(new GrantLease(LEASE, 600));
        } else {
            long range = store.revision() - Math.max(0, store.floor());
            long target = store.revision() - random.nextInt((int) range + 1);
            if (target > store.floor()) {
                store.compact(target, random.nextBoolean());
            }
        }
    }

    @Test
    void emptyStoreHasTheBucketsOfANewEtcd() throws IOException {
        ExportedFile file = ExportedFile.of(store.exporter(1), directory, ExportScope.ALL);
        assertThat(file.buckets().keySet())
                .containsExactly(
                        "alarm",
                        "auth",
                        "authRoles",
                        "authUsers",
                        "cluster",
                        "key",
                        "lease",
                        "members",
                        "members_removed",
                        "meta");
        assertThat(file.exported().revision()).isEqualTo(1);
        assertThat(file.bucket(EtcdSchema.KEY)).isEmpty();
        assertThat(file.text(EtcdSchema.CLUSTER, EtcdSchema.CLUSTER_VERSION)).isEqualTo("3.7.0");
        assertThat(file.text(EtcdSchema.META, EtcdSchema.STORAGE_VERSION)).isEqualTo("3.7.0");
        assertThat(file.text(EtcdSchema.META, EtcdSchema.FINISHED_COMPACTION)).isNull();
        assertThat(file.bucket(EtcdSchema.AUTH))
                .containsOnlyKeys(Bytes.wrap(EtcdSchema.AUTH_REVISION));
    }

    @Test
    void leasesAlarmsMembersAndProgressAreExported() throws Exception {
        store.submit(new GrantLease(-2, 50));
        store.submit(new GrantLease(LEASE, 600));
        store.submit(new RaiseAlarm(new Alarm(3, Alarm.CORRUPT)));
        ExportedFile file = ExportedFile.of(store.exporter(1), directory, ExportScope.ALL);
        assertThat(hex(file.bucket(EtcdSchema.LEASE)))
                .containsExactly(
                        Map.entry("0000000000000007", "080710d804"),
                        Map.entry("fffffffffffffffe", "08feffffffffffffffff011032"));
        AlarmMember alarm =
                AlarmMember.newBuilder().setMemberID(3).setAlarm(AlarmType.CORRUPT).build();
        assertThat(file.bucket(EtcdSchema.ALARM))
                .containsExactly(Map.entry(Bytes.wrap(alarm.toByteArray()), Bytes.EMPTY));

        long member = store.node().status().memberId();
        String id = Long.toUnsignedString(member);
        assertThat(file.text(EtcdSchema.MEMBERS, ascii(Long.toHexString(member))))
                .isEqualTo(
                        "{\"id\":%s,\"peerURLs\":[\"http://127.0.0.1:2380\"],\"name\":\"s<1>\",\"clientURLs\":[\"http://127.0.0.1:2379\"]}"
                                .formatted(id));
        assertThat(file.text(EtcdSchema.META, EtcdSchema.CONF_STATE))
                .isEqualTo("{\"voters\":[%s],\"auto_leave\":false}".formatted(id));
        Map<Bytes, Bytes> meta = file.bucket(EtcdSchema.META);
        assertThat(hex(meta.get(Bytes.wrap(EtcdSchema.TERM)))).isEqualTo("0000000000000001");
        assertThat(hex(meta.get(Bytes.wrap(EtcdSchema.CONSISTENT_INDEX))))
                .isEqualTo("%016x".formatted(store.node().status().batch() + 1));
    }

    @Test
    void usersAndRolesAreExported() throws Exception {
        KeyCoder coder = KeyCoder.of(RecordedStore.KEYSPACE);
        Bytes user = Bytes.utf8("a user");
        Bytes role = Bytes.utf8("a role");
        var unused =
                store.storage()
                        .commit(
                                WriteBatch.builder()
                                        .put(coder.authKey(), new AuthRecord(true, 9).encode())
                                        .put(coder.userKey(Bytes.utf8("root")), user)
                                        .put(coder.roleKey(Bytes.utf8("reader")), role)
                                        .build())
                        .toCompletableFuture()
                        .get();
        ExportedFile file = ExportedFile.of(store.exporter(1), directory, ExportScope.ALL);
        assertThat(hex(file.bucket(EtcdSchema.AUTH)))
                .isEqualTo(
                        hex(
                                Map.of(
                                        Bytes.wrap(EtcdSchema.AUTH_ENABLED),
                                        Bytes.wrap(new byte[] {1}),
                                        Bytes.wrap(EtcdSchema.AUTH_REVISION),
                                        Bytes.wrap(new byte[] {0, 0, 0, 0, 0, 0, 0, 9}))));
        assertThat(file.bucket(EtcdSchema.AUTH_USERS))
                .containsExactly(Map.entry(Bytes.utf8("root"), user));
        assertThat(file.bucket(EtcdSchema.AUTH_ROLES))
                .containsExactly(Map.entry(Bytes.utf8("reader"), role));
    }

    @Test
    void writesAndCompactionsDuringAnExportDoNotChangeIt() throws Exception {
        for (int i = 0; i < 20; i++) {
            store.change(put("k" + i % 3, "v" + i, 0), put("other" + i, "", 0));
        }
        store.compact(5, true);
        Map<String, String> expected = hex(records(store.inDatabase(store.revision())));
        List<String> disturbances = new ArrayList<>();
        ExportedFile file =
                ExportedFile.of(
                        store.exporter(100),
                        directory,
                        ExportScope.ALL,
                        (step, done, total) -> {
                            if (!disturbances.contains(step)) {
                                disturbances.add(step);
                                disturb();
                            }
                        });
        assertThat(disturbances).containsExactly("read", "write");
        assertThat(hex(file.bucket(EtcdSchema.KEY))).containsExactlyEntriesOf(expected);
    }

    private void disturb() {
        try {
            store.change(put("k", "again", 0), deleteFrom("k"));
            store.compact(store.revision(), true);
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }

    @Test
    void cancelledExportLeavesNothing() throws Exception {
        for (int i = 0; i < 50; i++) {
            store.change(put("key" + i % 7, "value" + i, 0));
        }
        for (String step : List.of("read", "write")) {
            Path path = directory.resolve("cancelled-" + step);
            try (FileChannel file =
                    FileChannel.open(
                            path,
                            StandardOpenOption.CREATE_NEW,
                            StandardOpenOption.WRITE,
                            StandardOpenOption.DELETE_ON_CLOSE)) {
                assertThatThrownBy(
                                () ->
                                        store.exporter(1)
                                                .export(
                                                        file,
                                                        directory.resolve("sort"),
                                                        ExportScope.ALL,
                                                        (at, done, total) ->
                                                                cancel(step, at, done)))
                        .isInstanceOf(CancellationException.class);
            }
        }
        assertThat(directory).isEmptyDirectory();
        store.storage().checkNoOpenSnapshots();
    }

    @Test
    void theListenerIsAskedAtEachEventOfTheLog() throws Exception {
        for (int i = 0; i < 50; i++) {
            store.change(put("key", "value" + i, 0));
        }
        int[] askedBeforeChanges = new int[1];
        ExportedFile.of(
                store.exporter(1 << 20),
                directory,
                ExportScope.ALL,
                (step, done, total) ->
                        askedBeforeChanges[0] += step.equals("read") && done == 0 ? 1 : 0);
        assertThat(askedBeforeChanges[0]).isGreaterThanOrEqualTo(50);
    }

    private static void cancel(String step, String at, long done) {
        if (step.equals(at) && done > 100) {
            throw new CancellationException();
        }
    }

    @Test
    void fullDiskFailsTheExport() throws Exception {
        // More than the buffer of the writer.
        for (int i = 0; i < 8; i++) {
            store.change(put("key" + i, "v".repeat(100_000), 0));
        }
        try (FileChannel full = FileChannel.open(Path.of("/dev/full"), StandardOpenOption.WRITE)) {
            assertThatThrownBy(
                            () ->
                                    store.exporter(1)
                                            .export(
                                                    full,
                                                    directory.resolve("sort"),
                                                    ExportScope.ALL,
                                                    (step, done, total) -> {}))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("No space left on device");
        }
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void exportThatDoesNotFitIsRefused() throws IOException {
        DiskSpace space = new DiskSpace(directory);
        space.require(1);
        long all = Files.getFileStore(directory).getTotalSpace();
        assertThatThrownBy(() -> space.require(all))
                .isInstanceOfSatisfying(
                        StorageException.class,
                        full -> assertThat(full.kind()).isEqualTo(StorageException.Kind.NO_SPACE))
                .hasMessageContaining("MiB of free space");
    }

    private static byte[] ascii(String text) {
        return Bytes.utf8(text).array();
    }

    private static String key(Random random) {
        return "k" + random.nextInt(6);
    }

    private static String value(Random random) {
        return "v".repeat(random.nextInt(40)) + random.nextInt(1000);
    }
}
