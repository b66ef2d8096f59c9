package io.brain.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.cluster.election.TermContext.TermSettings;
import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.compact.CompactSettings;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.model.OpResult;
import io.brain.backend.model.RangeQuery;
import io.brain.backend.store.KeyCoder;
import io.brain.backend.store.LogEntry;
import io.brain.backend.store.VersionRecord;
import io.brain.backend.wire.KeyValue;
import io.brain.backend.write.WriteSettings;
import io.brain.storage.Bytes;
import io.brain.storage.Cursor;
import io.brain.storage.Snapshot;
import io.brain.storage.StorageTrait;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random histories, compacted now and then, sometimes killed in the middle of it, against a naive
 * model: what can be read, and exactly which records are left.
 */
class CompactionModelTest {
    private static final int OPERATIONS = 120;
    private static final KeySpan ALL = KeySpan.of(Bytes.wrap(new byte[1]), Bytes.wrap(new byte[1]));

    private final HistoryModel model = new HistoryModel();
    private Random random;
    private NodeFixture fixture;
    private long floor = -1;
    private long logRevisionsKept;

    static IntStream seeds() {
        Integer only = Integer.getInteger("seed");
        return only == null
                ? IntStream.range(0, Integer.getInteger("seeds", 40))
                : IntStream.of(only);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void whatIsLeftIsWhatTheModelSays(int seed) {
        random = new Random(seed);
        logRevisionsKept = random.nextLong(50);
        fixture =
                new NodeFixture(
                        seed,
                        random.nextBoolean()
                                ? Set.of(StorageTrait.EXCLUSIVE_OPEN)
                                : Set.of(
                                        StorageTrait.EXCLUSIVE_OPEN,
                                        StorageTrait.SNAPSHOT_AT_TIMESTAMP));
        fixture.settings =
                fixture.settings.withTerm(
                        new TermSettings(
                                new WriteSettings(
                                        1000,
                                        1 << 20,
                                        random.nextBoolean() ? 1 << 20 : 1000,
                                        1000,
                                        1 << 16,
                                        150,
                                        1 << 10,
                                        64 << 20),
                                TermSettings.DEFAULTS.lease(),
                                new CompactSettings(
                                        1 + random.nextInt(10),
                                        1 + random.nextInt(200),
                                        1 + random.nextInt(200),
                                        1 + random.nextInt(4),
                                        Duration.ofMillis(random.nextInt(10)),
                                        Duration.ofMillis(50),
                                        random.nextInt(20),
                                        logRevisionsKept)));
        fixture.open();
        for (int i = 0; i < OPERATIONS; i++) {
            operate();
        }
        settle();
        check();
        fixture.storage.checkNoOpenSnapshots();
    }

    private void operate() {
        int dice = random.nextInt(100);
        if (dice < 45) {
            String key = key();
            String value = value();
            model.begin();
            model.put(key, value);
            assertThat(fixture.put(key, value)).isEqualTo(model.revision());
        } else if (dice < 65) {
            deleteOne(key());
        } else if (dice < 75) {
            deleteFrom(key(), random.nextBoolean() ? key() : null);
        } else if (dice < 85) {
            compact();
        } else if (dice < 90) {
            fixture.advance(Duration.ofMillis(random.nextInt(30)));
        } else if (dice < 94) {
            for (int steps = random.nextInt(40); steps > 0 && fixture.simulation.step(); steps--) {
                // Somewhere in the middle of what is going on.
            }
            fixture.crash();
            assertThat(fixture.node.status().revision()).isEqualTo(model.revision());
        } else if (dice < 97) {
            settle();
            check();
        } else {
            checkReads();
        }
    }

    private void deleteOne(String key) {
        boolean exists = model.newest().containsKey(key);
        if (exists) {
            model.begin();
            model.delete(key);
        }
        assertThat(fixture.delete(key)).isEqualTo(model.revision());
    }

    /** Deletes every key from one on, and perhaps puts one of them again, in one revision. */
    private void deleteFrom(String from, String putAfter) {
        List<Op> ops = new ArrayList<>();
        KeySpan span = KeySpan.of(Bytes.utf8(from), Bytes.wrap(new byte[1]));
        ops.add(new Op.Delete(span, false));
        List<String> deleted = List.copyOf(model.newest().tailMap(from, true).keySet());
        if (!deleted.isEmpty() || putAfter != null) {
            model.begin();
        }
        deleted.forEach(model::delete);
        if (putAfter != null) {
            String value = value();
            ops.add(NodeFixture.putOf(putAfter, value, 0));
            model.put(putAfter, value);
        }
        assertThat(fixture.txn(ops.toArray(Op[]::new))).isEqualTo(model.revision());
    }

    private void compact() {
        long target = Math.max(0, model.revision() - random.nextInt(12));
        if (target <= floor) {
            assertCompacted(() -> fixture.await(fixture.node.submit(new Compact(target, false))));
        } else {
            assertThat(
                            fixture.await(
                                    fixture.node.submit(
                                            new Compact(target, random.nextInt(3) == 0))))
                    .isEqualTo(model.revision());
            floor = target;
        }
    }

    private void settle() {
        fixture.advance(Duration.ofSeconds(30));
    }

    private void check() {
        checkReads();
        List<String> versions = new ArrayList<>();
        List<String> known = new ArrayList<>();
        long bytes = 0;
        long live = 0;
        TreeMap<Long, Long> log = new TreeMap<>();
        try (Snapshot snapshot = fixture.storage.snapshot();
                Cursor data = snapshot.cursor(fixture.coder.dataRange(), Cursor.Direction.FORWARD);
                Cursor entries = snapshot.cursor(fixture.coder.log(), Cursor.Direction.FORWARD)) {
            while (data.next()) {
                bytes += data.key().length() + data.value().length();
                VersionRecord version = VersionRecord.decode(data.value());
                String key;
                if (fixture.coder.heads().contains(data.key())) {
                    key = text(fixture.coder.keyOfHead(data.key()));
                    known.add(key);
                    live += version.isTombstone() ? 0 : 1;
                } else {
                    key = text(fixture.coder.keyOfHistory(data.key()));
                    assertThat(KeyCoder.revisionOf(data.key())).isEqualTo(version.revision());
                }
                versions.add(key + "@" + version.revision());
            }
            while (entries.next()) {
                LogEntry entry = LogEntry.decode(entries.value());
                log.merge(
                        fixture.coder.logRevision(entries.key()), entry.lastRevision(), Math::max);
            }
        }
        versions.removeAll(model.perhaps(floor));
        assertThat(versions).containsExactlyInAnyOrderElementsOf(model.versions(floor));
        assertThat(known).isEqualTo(model.knownKeys(floor));
        assertThat(fixture.node.status().storedBytes()).isEqualTo(bytes);
        assertThat(fixture.node.status().keys()).isEqualTo(live);
        checkLog(log);
    }

    /** Every revision from the first one kept on is in the log, and no entry is all below it. */
    private void checkLog(NavigableMap<Long, Long> log) {
        long next = log.isEmpty() ? model.revision() + 1 : log.firstKey();
        long firstKept = floor - logRevisionsKept;
        assertThat(next).isLessThanOrEqualTo(Math.max(2, firstKept));
        for (var entry : log.entrySet()) {
            assertThat(entry.getKey()).isEqualTo(next);
            assertThat(entry.getValue()).isGreaterThanOrEqualTo(firstKept);
            next = entry.getValue() + 1;
        }
        assertThat(next).isEqualTo(model.revision() + 1);
    }

    private void checkReads() {
        assertThat(fixture.node.status().compactRevision()).isEqualTo(floor);
        assertThat(fixture.node.status().revision()).isEqualTo(model.revision());
        for (long revision = 1; revision <= model.revision(); revision++) {
            RangeQuery query = RangeQuery.at(ALL, revision, 0);
            if (revision < floor) {
                assertCompacted(() -> fixture.range(query));
            } else {
                OpResult.Range range = fixture.range(query);
                TreeMap<String, String> read = new TreeMap<>();
                for (Bytes kv : range.kvs()) {
                    read.put(text(KeyValue.decode(kv).key()), NodeFixture.valueOf(kv));
                }
                assertThat(read).isEqualTo(model.at(revision));
            }
        }
    }

    private static void assertCompacted(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(ErrorKind.COMPACTED));
    }

    private String key() {
        return "k" + random.nextInt(12);
    }

    private String value() {
        return "v".repeat(random.nextInt(40)) + random.nextInt(1000);
    }

    private static String text(Bytes bytes) {
        return new String(bytes.array(), StandardCharsets.UTF_8);
    }
}
