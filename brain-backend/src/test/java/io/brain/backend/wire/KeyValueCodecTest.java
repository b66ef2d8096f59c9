package io.brain.backend.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.brain.storage.Bytes;
import io.brain.storage.StorageException;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

class KeyValueCodecTest {
    @Test
    void bytesAreEqualToEtcds() {
        Bytes kv = KeyValueCodec.encode(Bytes.utf8("key"), 2, 300, 1, Bytes.utf8("v"), -1);
        assertThat(hex(kv)).isEqualTo("0a036b6579100218ac0220012a017630ffffffffffffffffff01");
        assertThat(hex(KeyValueCodec.encodeTombstone(Bytes.utf8("key")))).isEqualTo("0a036b6579");
        assertThat(hex(KeyValueCodec.encodeDeleted(Bytes.utf8("key"), 300)))
                .isEqualTo("0a036b657918ac02");
    }

    @Test
    void eventsContainKeyValuesUnchanged() {
        Bytes kv = KeyValueCodec.encodeTombstone(Bytes.utf8("a"));
        assertThat(hex(KeyValueCodec.encodeEvent(false, kv, null))).isEqualTo("12030a0161");
        assertThat(hex(KeyValueCodec.encodeEvent(true, kv, kv)))
                .isEqualTo("080112030a01611a030a0161");
    }

    @Test
    void everyFieldIsDecoded() {
        Random random = new Random(4);
        for (int i = 0; i < 1000; i++) {
            Bytes key = Bytes.wrap(new byte[random.nextInt(200)]);
            Bytes value = Bytes.wrap(new byte[random.nextInt(20_000)]);
            long create = number(random);
            long mod = number(random);
            long version = number(random);
            long lease = number(random);
            KeyValue kv =
                    KeyValue.decode(KeyValueCodec.encode(key, create, mod, version, value, lease));
            assertThat(kv.key()).isEqualTo(key);
            assertThat(kv.value()).isEqualTo(value);
            assertThat(kv.createRevision()).isEqualTo(create);
            assertThat(kv.modRevision()).isEqualTo(mod);
            assertThat(kv.version()).isEqualTo(version);
            assertThat(kv.lease()).isEqualTo(lease);
            KeyValue bare = KeyValue.decode(KeyValueCodec.withoutValue(kv, false));
            assertThat(bare.encoded())
                    .isEqualTo(KeyValueCodec.encode(key, create, mod, version, Bytes.EMPTY, 0));
            assertThat(KeyValue.decode(KeyValueCodec.withoutValue(kv, true)).lease())
                    .isEqualTo(lease);
        }
    }

    @Test
    void modRevisionOfATruncatedKeyValueIsRightOrUnknown() {
        long mod = 1L << 40;
        for (int length : new int[] {1, 127, 128, 300, 16_384}) {
            Bytes key = Bytes.wrap(new byte[length]);
            byte[] kv = KeyValueCodec.encode(key, 2, mod, 3, Bytes.utf8("value"), 7).array();
            long last = -1;
            for (int to = 0; to <= kv.length; to++) {
                long found = KeyValueCodec.modRevision(kv, 0, to);
                assertThat(found).isIn(last, mod);
                last = found;
            }
            assertThat(last).isEqualTo(length < 16_384 ? mod : -1);
        }
    }

    @Test
    void corruptKeyValuesAreRefused() {
        Bytes kv = KeyValueCodec.encode(Bytes.utf8("key"), 2, 3, 1, Bytes.utf8("value"), 7);
        assertThatThrownBy(() -> KeyValue.decode(Bytes.copyOf(kv.array(), 0, kv.length() - 1)))
                .isInstanceOf(StorageException.class);
        assertThatThrownBy(() -> KeyValue.decode(Bytes.utf8("\177")))
                .isInstanceOf(StorageException.class);
    }

    @Test
    void varintLengthIsTheEncodedLength() {
        Random random = new Random(9);
        for (int i = 0; i < 10_000; i++) {
            long value = number(random);
            Bytes written = new ByteWriter(1).putVarint(value).finish();
            assertThat(ByteWriter.varintLength(value)).isEqualTo(written.length());
            ByteReader in = new ByteReader(written, 0);
            assertThat(in.getVarint()).isEqualTo(value);
            assertThat(in.hasMore()).isFalse();
        }
    }

    /** Of every magnitude, zero and negative ones included. */
    private static long number(Random random) {
        return random.nextLong() >> random.nextInt(64);
    }

    private static String hex(Bytes bytes) {
        return HexFormat.of().formatHex(bytes.array());
    }
}
