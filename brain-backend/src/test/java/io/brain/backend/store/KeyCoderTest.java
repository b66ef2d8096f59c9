package io.brain.backend.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.model.KeySpan;
import io.brain.storage.Bytes;
import io.brain.storage.KeyRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KeyCoderTest {
    private static final long SEED = 11;
    private static final long REVISION_MAX = Long.MAX_VALUE;

    static Stream<KeyCoder> coders() {
        return Stream.of(Bytes.EMPTY, Bytes.utf8("cluster-1/"), Bytes.wrap(new byte[] {-1, 0}))
                .map(KeyCoder::new);
    }

    @Test
    void keysHaveTheDocumentedFormat() {
        KeyCoder coder = new KeyCoder(Bytes.EMPTY);
        Bytes key = Bytes.utf8("/registry/a");
        assertThat(coder.headKey(key)).isEqualTo(magic(0x8b).concat(key));
        Bytes history = magic(0x8c).concat(Bytes.utf8("/registry/a$"));
        assertThat(coder.historyKey(key, 258))
                .isEqualTo(history.concat(Bytes.wrap(new byte[] {-1, -1, -1, -1, -1, -1, -2, -3})));
    }

    @ParameterizedTest
    @MethodSource("coders")
    void everyKeyIsDecoded(KeyCoder coder) {
        for (Bytes key : keys()) {
            Bytes head = coder.headKey(key);
            assertThat(coder.keyOfHead(head)).isEqualTo(key);
            assertThat(coder.headKeyLength(key)).isEqualTo(head.length());
            assertThat(coder.heads().contains(head)).isTrue();
            assertThat(coder.history().contains(head)).isFalse();
            assertThat(coder.dataRange().contains(head)).isTrue();
            for (long revision : new long[] {0, 1, 0x2424242424L, REVISION_MAX}) {
                Bytes stored = coder.historyKey(key, revision);
                assertThat(coder.keyOfHistory(stored)).isEqualTo(key);
                assertThat(KeyCoder.revisionOf(stored)).isEqualTo(revision);
                assertThat(coder.isHistoryKey(stored)).isTrue();
                assertThat(coder.historyKeyLength(key)).isEqualTo(stored.length());
                assertThat(coder.history().contains(stored)).isTrue();
                assertThat(coder.heads().contains(stored)).isFalse();
                assertThat(coder.dataRange().contains(stored)).isTrue();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("coders")
    void versionsAreOrderedByKeyAndNewestFirst(KeyCoder coder) {
        List<Bytes> keys = keys();
        Random random = new Random(SEED);
        for (int i = 0; i < 20_000; i++) {
            Bytes a = keys.get(random.nextInt(keys.size()));
            Bytes b = keys.get(random.nextInt(keys.size()));
            long ra = random.nextInt(3);
            long rb = random.nextInt(3);
            int expected = a.equals(b) ? Long.compare(rb, ra) : a.compareTo(b);
            Bytes sa = coder.historyKey(a, ra);
            Bytes sb = coder.historyKey(b, rb);
            assertThat(Integer.signum(sa.compareTo(sb)))
                    .as("%s@%d and %s@%d", a, ra, b, rb)
                    .isEqualTo(Integer.signum(expected));
            assertThat(KeyCoder.sameUserKey(sa, sb)).isEqualTo(a.equals(b));
            assertThat(Integer.signum(coder.headKey(a).compareTo(coder.headKey(b))))
                    .isEqualTo(Integer.signum(a.compareTo(b)));
        }
    }

    @ParameterizedTest
    @MethodSource("coders")
    void aRangeHasOnlyTheRecordsOfItsKeys(KeyCoder coder) {
        List<Bytes> keys = keys();
        Random random = new Random(SEED);
        for (int i = 0; i < 3000; i++) {
            Bytes start = keys.get(random.nextInt(keys.size()));
            Bytes end = keys.get(random.nextInt(keys.size()));
            KeySpan span =
                    switch (random.nextInt(3)) {
                        case 0 -> KeySpan.of(start);
                        case 1 -> new KeySpan(start, null, false);
                        default -> new KeySpan(start, end, false);
                    };
            KeyRange range = coder.history(span);
            KeyRange records = coder.heads(span);
            for (int j = 0; j < 20; j++) {
                Bytes key = keys.get(random.nextInt(keys.size()));
                boolean inside = span.contains(key) && !span.isEmpty();
                assertThat(records.contains(coder.headKey(key))).isEqualTo(inside);
                assertThat(range.contains(coder.historyKey(key, 0))).isEqualTo(inside);
                assertThat(range.contains(coder.historyKey(key, REVISION_MAX))).isEqualTo(inside);
            }
            assertThat(range.contains(coder.fenceKey())).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("coders")
    void otherRecordsAreOutsideTheData(KeyCoder coder) {
        List<Bytes> small =
                List.of(
                        coder.fenceKey(),
                        coder.compactKey(),
                        coder.alarmKey(),
                        coder.leaderKey(),
                        coder.identityKey(),
                        coder.leaseKey(-5),
                        coder.attachments().key(7, Bytes.utf8("k")),
                        coder.logKey(9, 0));
        assertThat(small).doesNotHaveDuplicates();
        assertThat(small).noneMatch(coder.dataRange()::contains);
    }

    @ParameterizedTest
    @MethodSource("coders")
    void leasesAttachmentsAndLogKeysAreDecoded(KeyCoder coder) {
        for (long id : new long[] {1, -1, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertThat(coder.leases().contains(coder.leaseKey(id))).isTrue();
            assertThat(coder.leaseId(coder.leaseKey(id))).isEqualTo(id);
            Bytes attachment = coder.attachments().key(id, Bytes.utf8("key"));
            assertThat(coder.attachments().of(id).contains(attachment)).isTrue();
            assertThat(coder.attachments().of(id ^ 1).contains(attachment)).isFalse();
            assertThat(coder.attachments().userKey(attachment)).isEqualTo(Bytes.utf8("key"));
        }
        Bytes log = coder.logKey(123_456_789_012L, 3);
        assertThat(coder.log().contains(log)).isTrue();
        assertThat(coder.logRevision(log)).isEqualTo(123_456_789_012L);
        assertThat(coder.logPart(log)).isEqualTo(3);
        assertThat(coder.logKey(5, 9)).isLessThan(coder.logKey(6, 0));
    }

    private static Bytes magic(int last) {
        return Bytes.wrap(new byte[] {0x57, (byte) 0xfb, (byte) 0x80, (byte) last});
    }

    /** Keys that touch each other, with every byte that the coder treats specially. */
    private static List<Bytes> keys() {
        byte[] bytes = {0, 1, 0x23, 0x24, 0x25, 0x26, 'a', (byte) 0xff};
        List<Bytes> keys = new ArrayList<>();
        keys.add(Bytes.EMPTY);
        Random random = new Random(SEED);
        for (int i = 0; i < 300; i++) {
            byte[] key = new byte[1 + random.nextInt(4)];
            for (int j = 0; j < key.length; j++) {
                key[j] = bytes[random.nextInt(bytes.length)];
            }
            keys.add(Bytes.wrap(key));
        }
        return keys;
    }
}
