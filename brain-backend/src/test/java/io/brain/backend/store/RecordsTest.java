package io.brain.backend.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.brain.backend.model.Member;
import io.brain.backend.store.MemberRecord.Instance;
import io.brain.storage.Bytes;
import io.brain.storage.StorageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RecordsTest {
    @Test
    void aFenceIsDecoded() {
        Fence fence = new Fence(3, Long.MAX_VALUE, 17, -1, 5, -7);
        assertThat(Fence.decode(fence.encode())).isEqualTo(fence);
    }

    @Test
    void recordsOfTheLeaderAndOfMembersAreDecoded() {
        List<String> urls = List.of("http://a:1");
        LeaderRecord leader = new LeaderRecord(7, 3, 2, Duration.ofSeconds(3), 5, urls, 99, null);
        assertThat(LeaderRecord.decode(leader.encode())).isEqualTo(leader);
        LeaderRecord given = leader.givenWith(new Fence(4, 5, 6, 7, 8, 9));
        assertThat(LeaderRecord.decode(given.encode())).isEqualTo(given);
        assertThat(given.isUnconfirmed()).isTrue();
        assertThat(given.renewed(6).isUnconfirmed()).isFalse();

        Member member = new Member(8, "m", urls, List.of("http://c:1"));
        Instance instance = new Instance(9, Duration.ofSeconds(3), "process 1");
        MemberRecord named = new MemberRecord(member, 11, instance);
        MemberRecord unnamed = new MemberRecord(member, 11, Instance.NONE);
        assertThat(MemberRecord.decode(8, named.encode())).isEqualTo(named);
        assertThat(MemberRecord.decode(8, unnamed.encode())).isEqualTo(unnamed);
    }

    @Test
    void everyFlippedBitOfAFenceIsDetected() {
        byte[] stored = new Fence(3, 4, 5, 6, 7, 8).encode().array();
        for (int bit = 0; bit < stored.length * 8; bit++) {
            byte[] damaged = stored.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            assertThat(kindOf(Bytes.wrap(damaged)))
                    .isEqualTo(
                            bit < 8
                                    ? StorageException.Kind.REFUSED
                                    : StorageException.Kind.CORRUPT);
        }
        assertThat(kindOf(Bytes.copyOf(stored, 0, stored.length - 1)))
                .isEqualTo(StorageException.Kind.CORRUPT);
    }

    @Test
    void versionsAreDecoded() {
        VersionRecord version = new VersionRecord(1L << 40, 70_000, Bytes.utf8("kv"));
        assertThat(VersionRecord.decode(version.encode())).isEqualTo(version);
        assertThat(version.encode().length()).isEqualTo(version.encodedLength());
        byte[] stored = version.encode().array();
        assertThat(VersionRecord.revision(stored, stored.length)).isEqualTo(1L << 40);
        assertThat(version.isTombstone()).isFalse();
        VersionRecord tombstone = new VersionRecord(7, 0, Bytes.EMPTY);
        assertThat(VersionRecord.decode(tombstone.encode()).isTombstone()).isTrue();
        assertThat(tombstone.encode().length()).isEqualTo(VersionRecord.TRAILER);
    }

    @Test
    void anImportRecordIsDecoded() {
        ImportRecord.Progress progress = new ImportRecord.Progress(9, 1, 8, 2, 3, 77, 5, 66);
        ImportRecord record = new ImportRecord(-7, 4, Bytes.utf8("id"), "/tmp/db", progress, 0);
        assertThat(ImportRecord.decode(record.encode())).isEqualTo(record);
        assertThat(ImportRecord.decode(null)).isNull();
        byte[] other = record.encode().array();
        other[0]++;
        StorageException refused =
                catchThrowableOfType(
                        StorageException.class, () -> ImportRecord.decode(Bytes.wrap(other)));
        assertThat(refused.kind()).isEqualTo(StorageException.Kind.REFUSED);
    }

    @Test
    void gapsOfTheLogAreDecoded() {
        LogEvent change = new LogEvent(Bytes.utf8("k"), 900, 3, true, 7, 20, null);
        LogEntry entry = new LogEntry(7, List.of(LogEvent.gap(5, 0), LogEvent.gap(900, 2), change));
        assertThat(LogEntry.decode(entry.encode())).isEqualTo(entry);
    }

    @Test
    void compactAndLeaseRecordsAreDecoded() {
        assertThat(CompactRecord.decode(null)).isEqualTo(CompactRecord.NONE);
        CompactRecord compact = new CompactRecord(9, 5);
        assertThat(CompactRecord.decode(compact.encode())).isEqualTo(compact);
        LeaseRecord lease = new LeaseRecord(9_000_000_000L, 12);
        assertThat(LeaseRecord.decode(lease.encode())).isEqualTo(lease);
    }

    @Test
    void logEntriesAreDecodedAndWithinTheirLengthLimit() {
        Random random = new Random(2);
        for (int round = 0; round < 500; round++) {
            List<LogEvent> events = new ArrayList<>();
            long bound = 10; // the time
            long revision = 1L + random.nextInt(1000);
            for (int i = random.nextInt(20); i >= 0; i--) {
                revision += random.nextInt(2);
                LogEvent event = event(random, revision);
                bound += LogEntry.encodedLengthMax(event);
                events.add(event);
            }
            LogEntry entry = new LogEntry(random.nextLong(1L << 45), events);
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
                random.nextInt(2_000_000),
                random.nextBoolean() ? Bytes.wrap(new byte[1 + random.nextInt(300)]) : null);
    }

    private static StorageException.Kind kindOf(Bytes fence) {
        return catchThrowableOfType(StorageException.class, () -> Fence.decode(fence)).kind();
    }
}
