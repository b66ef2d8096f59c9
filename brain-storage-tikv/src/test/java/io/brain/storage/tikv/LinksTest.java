package io.brain.storage.tikv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.Bytes;
import io.brain.storage.CommitResult;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageException;
import io.brain.storage.WriteBatch;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One process is cut off from PD or from the store; another is not. */
@Tag("peer")
@Timeout(120)
final class LinksTest {
    private static final Bytes KEY = Bytes.utf8("links");

    private static TestBed bed;

    private Links links;
    private KvStorage behind;
    private KvStorage beside;

    @BeforeAll
    static void startTestBed(@TempDir Path directory) {
        bed = TestBed.start(directory);
    }

    @AfterAll
    static void stopTestBed() {
        if (bed != null) {
            bed.close();
        }
    }

    @BeforeEach
    void openBoth() throws Exception {
        links = new Links(bed);
        behind = bed.open(links.options());
        beside = bed.open();
    }

    @AfterEach
    void closeBoth() throws Exception {
        beside.close();
        behind.close();
        links.close();
    }

    private static CommitResult put(KvStorage storage, String value) throws Exception {
        WriteBatch batch = WriteBatch.builder().put(KEY, Bytes.utf8(value)).build();
        return storage.commit(batch).toCompletableFuture().get(1, TimeUnit.MINUTES);
    }

    private static Bytes get(KvStorage storage) {
        try (Snapshot snapshot = storage.snapshot()) {
            return snapshot.get(KEY);
        }
    }

    private void continuesWith(String value) throws Exception {
        CommitResult end = put(behind, value);
        for (int i = 0; i < 20 && !(end instanceof CommitResult.Committed); i++) {
            end = put(behind, value);
        }
        assertThat(end).isInstanceOf(CommitResult.Committed.class);
        assertThat(get(behind)).isEqualTo(Bytes.utf8(value));
    }

    @Test
    void cutOffFromTheStoreNothingIsReadOrCommittedUntilTheLinkIsBack() throws Exception {
        continuesWith("1");
        links.cutStores();

        assertThatThrownBy(() -> get(behind)).isInstanceOf(StorageException.class);
        assertThat(put(behind, "2")).isInstanceOf(CommitResult.Unavailable.class);
        assertThat(put(beside, "3")).isInstanceOf(CommitResult.Committed.class);
        assertThat(get(beside)).isEqualTo(Bytes.utf8("3"));

        links.healStores();
        continuesWith("4");
    }

    @Test
    void cutOffFromPdNothingIsCommittedUntilTheLinkIsBack() throws Exception {
        continuesWith("1");
        links.toPd().cut();

        assertThatThrownBy(behind::timestamp).isInstanceOf(StorageException.class);
        assertThat(put(behind, "2")).isInstanceOf(CommitResult.Unavailable.class);
        assertThat(put(beside, "3")).isInstanceOf(CommitResult.Committed.class);

        links.toPd().heal();
        continuesWith("4");
    }
}
