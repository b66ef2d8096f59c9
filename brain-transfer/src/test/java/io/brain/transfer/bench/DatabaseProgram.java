package io.brain.transfer.bench;

import io.brain.backend.wire.KeyValue;
import io.brain.backend.wire.KeyValueCodec;
import io.brain.bbolt.BboltWriter;
import io.brain.storage.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;

/**
 * Writes a large database of etcd: {@code FILE MIB VALUE-BYTES SEED}. Of its changes half create
 * keys, most others replace the value of a key out of the last 10 000, a few delete one. Values are
 * hexadecimal digits, which compress to half.
 */
final class DatabaseProgram {
    private static final int HOT_KEYS = 10_000;
    private static final int CHANGE_KEY_BYTES = 17;
    private static final int PAYLOAD_BYTES = 1 << 16;

    private final Random random;
    private final int valueBytes;
    private final byte[] payload = new byte[PAYLOAD_BYTES];

    /** State of the last keys, by their number modulo the size. */
    private final long[] created = new long[HOT_KEYS];

    private final long[] versions = new long[HOT_KEYS];
    private long keys;

    private DatabaseProgram(long seed, int valueBytes) {
        this.random = new Random(seed);
        this.valueBytes = valueBytes;
        for (int i = 0; i < payload.length; i++) {
            payload[i] = (byte) Character.forDigit(random.nextInt(16), 16);
        }
    }

    public static void main(String[] args) throws IOException {
        long bytes = Long.parseLong(args[1]) << 20;
        new DatabaseProgram(Long.parseLong(args[3]), Integer.parseInt(args[2]))
                .write(Path.of(args[0]), bytes);
    }

    private void write(Path file, long bytes) throws IOException {
        long written = 0;
        long revision = 1;
        try (BboltWriter out = BboltWriter.create(file)) {
            out.bucket(ascii("key"));
            while (written < bytes) {
                Bytes kv = next(++revision);
                boolean delete = KeyValue.decode(kv).modRevision() == 0;
                out.put(changeKey(revision, delete), kv.array());
                written += CHANGE_KEY_BYTES + kv.length();
            }
            out.bucket(ascii("meta"));
            out.finish();
        }
        System.out.printf(
                "database: changes %d, keys %d, MiB %d%n", revision - 1, keys, bytes >> 20);
    }

    /** The next change: an encoded KeyValue, with the key only if it is a delete. */
    private Bytes next(long revision) {
        if (keys < HOT_KEYS || random.nextBoolean()) {
            int slot = (int) (keys % HOT_KEYS);
            created[slot] = revision;
            versions[slot] = 1;
            return put(keys++, slot, revision);
        }
        long key = keys - 1 - random.nextInt(HOT_KEYS);
        int slot = (int) (key % HOT_KEYS);
        if (versions[slot] > 0 && random.nextInt(20) == 0) {
            versions[slot] = 0;
            return KeyValueCodec.encodeTombstone(name(key));
        }
        if (versions[slot] == 0) {
            created[slot] = revision;
        }
        versions[slot]++;
        return put(key, slot, revision);
    }

    private Bytes put(long key, int slot, long revision) {
        int at = random.nextInt(payload.length - valueBytes);
        Bytes value = Bytes.wrap(Arrays.copyOfRange(payload, at, at + valueBytes));
        return KeyValueCodec.encode(name(key), created[slot], revision, versions[slot], value, 0);
    }

    private static Bytes name(long key) {
        return Bytes.wrap(
                ascii("/registry/pods/namespace-%03d/name-%09d".formatted(key * 7919 % 500, key)));
    }

    private static byte[] changeKey(long revision, boolean delete) {
        ByteBuffer key = ByteBuffer.allocate(CHANGE_KEY_BYTES + (delete ? 1 : 0));
        key.putLong(revision).put((byte) '_').putLong(0);
        return (delete ? key.put((byte) 't') : key).array();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
