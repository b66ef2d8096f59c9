package io.brain.backend.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.brain.storage.Bytes;
import io.brain.storage.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RecordsTest {
    @Test
    void aFenceComesBack() {
        Fence fence = new Fence(3, Long.MAX_VALUE, 17, -1, 5);
        assertThat(Fence.decode(fence.encode())).isEqualTo(fence);
    }

    @Test
    void aFenceWithoutANumberOfKeysKeepsItsFormat() {
        Fence old = new Fence(3, 4, 17, 6);
        assertThat(old.encode().at(0)).isEqualTo((byte) 2);
        assertThat(Fence.decode(old.encode())).isEqualTo(old);
        assertThat(old.next(5, 18, 10, 1)).isEqualTo(new Fence(3, 5, 18, 16));
        Fence counted = new Fence(3, 4, 17, 6, 9);
        assertThat(counted.encode().at(0)).isEqualTo((byte) 3);
        assertThat(counted.next(5, 18, 10, 1)).isEqualTo(new Fence(3, 5, 18, 16, 10));
    }

    @Test
    void everyFlippedBitOfAFenceIsNoticed() {
        byte[] stored = new Fence(3, 4, 5, 6, 7).encode().array();
        for (int bit = 0; bit < stored.length * 8; bit++) {
            byte[] damaged = stored.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            assertThat(kindOf(Bytes.wrap(damaged)))
                    .isEqualTo(
                            bit > 0 && bit < 8 // the last bit tells the two formats apart
                                    ? StorageException.Kind.REFUSED
                                    : StorageException.Kind.CORRUPT);
        }
        assertThat(kindOf(Bytes.copyOf(stored, 0, stored.length - 1)))
                .isEqualTo(StorageException.Kind.CORRUPT);
    }

    @Test
    void versionAndRevisionRecordsComeBack() {
        VersionRecord version = new VersionRecord(true, 70_000, Bytes.utf8("kv"));
        assertThat(VersionRecord.decode(version.encode())).isEqualTo(version);
        assertThat(version.encode().length()).isEqualTo(version.encodedLength());
        RevisionRecord revision = new RevisionRecord(1L << 40, true);
        assertThat(RevisionRecord.decode(revision.encode())).isEqualTo(revision);
        assertThat(revision.encode().length()).isEqualTo(RevisionRecord.LENGTH);
    }

    @Test
    void compactAndLeaseRecordsComeBack() {
        assertThat(CompactRecord.decode(null)).isEqualTo(CompactRecord.NONE);
        CompactRecord compact = new CompactRecord(9, 5);
        assertThat(CompactRecord.decode(compact.encode())).isEqualTo(compact);
        LeaseRecord lease = new LeaseRecord(9_000_000_000L, 12);
        assertThat(LeaseRecord.decode(lease.encode())).isEqualTo(lease);
    }

    @Test
    void logEntriesComeBackWithinTheirBound() {
        Random random = new Random(2);
        for (int round = 0; round < 500; round++) {
            List<LogEvent> events = new ArrayList<>();
            long bound = 0;
            long revision = 1L + random.nextInt(1000);
            for (int i = random.nextInt(20); i >= 0; i--) {
                revision += random.nextInt(2);
                LogEvent event = event(random, revision);
                bound += LogEntry.encodedLengthMax(event);
                events.add(event);
            }
            LogEntry entry = new LogEntry(events);
            Bytes stored = entry.encode();
            assertThat(stored.length()).isLessThanOrEqualTo((int) bound);
            assertThat(LogEntry.decode(stored)).isEqualTo(entry);
            assertThat(entry.lastRevision()).isEqualTo(revision);
        }
    }

    private static LogEvent event(Random random, long revision) {
        return new LogEvent(
                Bytes.wrap(new byte[1 + random.nextInt(300)]),
                revision,
                random.nextInt(100_000),
                random.nextBoolean(),
                random.nextLong(1L << 50),
                random.nextBoolean(),
                random.nextInt(2_000_000),
                random.nextBoolean() ? Bytes.wrap(new byte[1 + random.nextInt(300)]) : null);
    }

    private static StorageException.Kind kindOf(Bytes fence) {
        return catchThrowableOfType(StorageException.class, () -> Fence.decode(fence)).kind();
    }
}
