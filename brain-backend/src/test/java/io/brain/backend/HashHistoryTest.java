package io.brain.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.backend.cluster.election.TermContext.TermSettings;
import io.brain.backend.cluster.link.LeaderCommand.Compact;
import io.brain.backend.compact.CompactSettings;
import io.brain.backend.hash.HashSettings;
import io.brain.backend.hash.KvHash;
import io.brain.backend.model.BackendException;
import io.brain.backend.model.ErrorKind;
import io.brain.backend.model.KeySpan;
import io.brain.backend.model.Op;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.storage.Bytes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The hash of a history, against etcd's rules applied naively to a list of all changes. */
class HashHistoryTest {
    private static final int OPERATIONS = 150;
    private static final int KNOWN_EMPTY = (int) 1_084_519_789L;
    private static final int KNOWN_WHOLE = (int) 3_531_246_185L;
    private static final int KNOWN_AT_3 = (int) 3_435_836_863L;
    private static final int KNOWN_COMPACTED = (int) 2_470_623_745L;

    /** Every change there ever was, in order. */
    private final List<Change> changes = new ArrayList<>();

    /** Of each key that exists: create revision and version. */
    private final TreeMap<String, long[]> live = new TreeMap<>();

    @TempDir private Path directory;
    private NodeFixture fixture;
    private Random random;
    private long revision = 1;
    private long floor = -1;

    /** Hashes that were given for a revision before a compaction at it. */
    private final Map<Long, KvHash> given = new HashMap<>();

    /** Revisions in which a key was deleted and put again. */
    private final Set<Long> remade = new HashSet<>();

    private record Change(String key, long revision, int sub, boolean tombstone, Bytes stored) {}

    @Test
    void aKnownHistoryHasTheHashThatEtcdGaveIt() {
        fixture = new NodeFixture(1).open();
        assertThat(hash(0)).isEqualTo(new KvHash(KNOWN_EMPTY, 1, -1, 1));
        fixture.put("a", "1");
        fixture.txn(NodeFixture.putOf("b", "2", 0), NodeFixture.deleteOf("a"));
        fixture.put("a", "3");
        assertThat(hash(0)).isEqualTo(new KvHash(KNOWN_WHOLE, 4, -1, 4));
        assertThat(hash(3)).isEqualTo(new KvHash(KNOWN_AT_3, 3, -1, 4));
        fixture.await(fixture.node.submit(new Compact(3, true)));
        assertThat(hash(0)).isEqualTo(new KvHash(KNOWN_COMPACTED, 4, 3, 4));
    }

    @Test
    void revisionsThatAreNotThereAreRefused() {
        fixture = new NodeFixture(1).open();
        fixture.put("a", "1");
        fixture.put("a", "2");
        fixture.await(fixture.node.submit(new Compact(3, true)));
        assertRefused(2, ErrorKind.COMPACTED);
        assertRefused(4, ErrorKind.FUTURE_REVISION);
        assertThat(hash(-3)).isEqualTo(new KvHash(KNOWN_EMPTY, -3, 3, 3));
    }

    @Test
    void aHashStaysTheAnswerForItsRevisionWhenThatIsCompacted() {
        fixture = new NodeFixture(1).open();
        for (int i = 0; i < 5; i++) {
            fixture.put("a", "" + i);
        }
        fixture.await(fixture.node.submit(new Compact(3, true)));
        KvHash before = hash(5);
        fixture.await(fixture.node.submit(new Compact(5, true)));
        fixture.node.reclaim();
        assertThat(hash(5)).isEqualTo(before);
        assertThat(before.compactRevision()).isEqualTo(3);
        fixture.put("a", "again");
        assertThat(hash(5)).isEqualTo(new KvHash(before.hash(), 5, 3, 7));
        KvHash next = hash(6);
        assertThat(next.compactRevision()).isEqualTo(5);
        fixture.await(fixture.node.submit(new Compact(6, true)));
        assertThat(hash(6)).isEqualTo(next);
        assertRefused(5, ErrorKind.COMPACTED);
    }

    @Test
    void aCompactedRevisionThatWasNotAskedForHasTheHashOfWhatIsLeft() {
        fixture = new NodeFixture(1).open();
        fixture.put("a", "1");
        fixture.put("a", "2");
        fixture.await(fixture.node.submit(new Compact(3, true)));
        KvHash left = hash(3);
        assertThat(left.compactRevision()).isEqualTo(3);
        assertThat(hash(0)).isEqualTo(left);
        assertThat(hash(3)).isEqualTo(left);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void theHashIsEtcdsHoweverFarCompactionHasCome(int seed) {
        random = new Random(seed);
        fixture = new NodeFixture(seed);
        TermSettings term = TermSettings.DEFAULTS;
        fixture.settings =
                fixture.settings
                        .withHash(
                                new HashSettings(
                                        1 + random.nextInt(9000), directory.resolve("spilled")))
                        .withTerm(
                                new TermSettings(
                                        term.write(),
                                        term.lease(),
                                        new CompactSettings(
                                                1 + random.nextInt(10),
                                                1 + random.nextInt(200),
                                                1 + random.nextInt(200),
                                                1 + random.nextInt(4),
                                                Duration.ofMillis(random.nextInt(10)),
                                                Duration.ofMillis(50),
                                                random.nextInt(20),
                                                random.nextLong(50))));
        fixture.open();
        for (int i = 0; i < OPERATIONS; i++) {
            operate();
        }
        fixture.storage.checkNoOpenSnapshots();
    }

    private void operate() {
        int dice = random.nextInt(100);
        if (dice < 40) {
            change(List.of(put(key())));
        } else if (dice < 55) {
            change(List.of(NodeFixture.deleteOf(key())));
        } else if (dice < 60) {
            change(
                    List.of(
                            new Op.Delete(
                                    KeySpan.of(Bytes.utf8(key()), Bytes.wrap(new byte[1])),
                                    false)));
        } else if (dice < 75) {
            String key = key();
            Op delete = new Op.Delete(KeySpan.of(Bytes.utf8(key), Bytes.wrap(new byte[1])), false);
            if (random.nextBoolean()) {
                change(List.of(put(key), delete));
            } else {
                change(List.of(delete, put(key)));
                remade.add(revision);
            }
        } else if (dice < 83) {
            long target = revision - random.nextInt((int) (revision - Math.max(0, floor)) + 1);
            // Compacted at a revision in which a key ended and began again, etcd loses the key.
            if (target > floor && !remade.contains(target)) {
                fixture.await(fixture.node.submit(new Compact(target, random.nextInt(3) == 0)));
                floor = target;
            }
        } else if (dice < 90) {
            fixture.advance(Duration.ofMillis(random.nextInt(30)));
        } else {
            check();
        }
    }

    private void check() {
        for (long at = Math.max(1, floor); at <= revision; at++) {
            KvHash before = at == floor ? given.get(at) : null;
            KvHash expected =
                    before == null
                            ? new KvHash(expected(at), at, floor, revision)
                            : new KvHash(before.hash(), at, before.compactRevision(), revision);
            assertThat(hash(at)).isEqualTo(expected);
            if (at > floor) {
                given.put(at, expected);
            }
        }
    }

    /** Has the node make changes, and lists them. */
    private void change(List<Op> ops) {
        long next = revision + 1;
        int sub = 0;
        for (Op op : ops) {
            if (op instanceof Op.Put put) {
                String key = text(put.key());
                long[] kv = live.computeIfAbsent(key, none -> new long[] {next, 0});
                kv[1]++;
                Bytes stored = KeyValueCodec.encode(put.key(), kv[0], next, kv[1], put.value(), 0);
                changes.add(new Change(key, next, sub++, false, stored));
            } else {
                KeySpan span = ((Op.Delete) op).span();
                String from = text(span.key());
                List<String> ended =
                        span.single()
                                ? live.containsKey(from) ? List.of(from) : List.of()
                                : List.copyOf(live.tailMap(from).keySet());
                for (String key : ended) {
                    live.remove(key);
                    Bytes stored = KeyValueCodec.encodeTombstone(Bytes.utf8(key));
                    changes.add(new Change(key, next, sub++, true, stored));
                }
            }
        }
        revision = sub > 0 ? next : revision;
        assertThat(fixture.txn(ops.toArray(Op[]::new))).isEqualTo(revision);
    }

    private int expected(long at) {
        Map<String, Change> atFloor = newest(floor);
        Map<String, Change> kept = newest(at);
        kept.values().removeIf(Change::tombstone);
        // A key that ended in the hashed revision is not kept, though it began again there.
        changes.stream()
                .filter(change -> change.revision() == at && change.tombstone())
                .forEach(change -> kept.remove(change.key()));
        CRC32C crc = new CRC32C();
        crc.update("key".getBytes(StandardCharsets.US_ASCII));
        for (Change change : changes) {
            if (change.revision() > at) {
                break;
            }
            boolean old = change.revision() <= floor;
            boolean removed =
                    old && (change.tombstone() || !change.equals(atFloor.get(change.key())));
            if (removed || (old && !kept.isEmpty() && !change.equals(kept.get(change.key())))) {
                continue;
            }
            ByteBuffer place = ByteBuffer.allocate(18);
            place.putLong(change.revision()).put((byte) '_').putLong(change.sub());
            if (change.tombstone()) {
                place.put((byte) 't');
            }
            crc.update(place.flip());
            crc.update(change.stored().array());
        }
        return (int) crc.getValue();
    }

    private Map<String, Change> newest(long at) {
        Map<String, Change> newest = new TreeMap<>();
        for (Change change : changes) {
            if (change.revision() <= at) {
                newest.put(change.key(), change);
            }
        }
        return newest;
    }

    private KvHash hash(long at) {
        return fixture.await(fixture.node.hashHistory(at));
    }

    private void assertRefused(long at, ErrorKind kind) {
        assertThatThrownBy(() -> hash(at))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(kind));
    }

    private Op put(String key) {
        return NodeFixture.putOf(key, "v".repeat(random.nextInt(40)) + random.nextInt(1000), 0);
    }

    private String key() {
        return "k" + random.nextInt(6);
    }

    private static String text(Bytes bytes) {
        return new String(bytes.array(), StandardCharsets.UTF_8);
    }
}
