package io.brain.backend.compact;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.store.KeyCoder;
import io.brain.storage.Bytes;
import io.brain.storage.Snapshot;
import io.brain.storage.WriteBatch;
import io.brain.storage.testkit.MemoryStorage;
import org.junit.jupiter.api.Test;

class LogTrimTest {
    private final KeyCoder coder = new KeyCoder(Bytes.EMPTY);
    private final MemoryStorage storage = new MemoryStorage();

    @Test
    void whatWasDeletedIsNotDeletedAgainThoughAnOlderSnapshotStillHasIt() {
        for (long revision = 2; revision < 6; revision++) {
            Bytes entry = Bytes.utf8("entry");
            storage.commit(WriteBatch.builder().put(coder.logKey(revision, 0), entry).build());
        }
        LogTrim trim = new LogTrim(coder);
        try (Snapshot before = storage.snapshotAt(storage.timestamp())) {
            WriteBatch deletes = trim.next(5, before, 1 << 20);
            assertThat(deletes.mutations()).hasSize(3);
            storage.commit(deletes);
            assertThat(trim.next(5, before, 1 << 20)).isNull();
            trim.startOver();
            assertThat(trim.next(5, before, 1 << 20)).isNotNull();
        }
        try (Snapshot now = storage.snapshot()) {
            trim.startOver();
            assertThat(trim.next(5, now, 1 << 20)).isNull();
        }
    }
}
