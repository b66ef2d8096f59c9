package io.brain.bbolt;

import static io.brain.bbolt.Databases.bucket;
import static io.brain.bbolt.Databases.sorted;
import static io.brain.bbolt.Databases.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.SortedMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** bbolt itself accepts what we write; we read what it writes. */
@Tag("peer")
class BboltPeerTest {
    @TempDir Path directory;

    @ParameterizedTest
    @ValueSource(ints = {1024, 4096, 8192, 16384, 65536})
    void pageSizes(int pageSize) throws IOException {
        SortedMap<byte[], SortedMap<byte[], byte[]>> database = sorted();
        Random random = new Random(pageSize);
        for (int i = 0; i < 30_000; i++) {
            byte[] key = utf8("key" + random.nextInt(1_000_000));
            database.computeIfAbsent(utf8("bucket" + i % 3), name -> sorted())
                    .put(key, new byte[random.nextInt(200)]);
        }
        bucket(database, "empty");
        bucket(database, "small").put(utf8("key"), utf8("value"));
        verify(pageSize, 90, database);
    }

    @Test
    void largeValues() throws IOException {
        SortedMap<byte[], SortedMap<byte[], byte[]>> database = sorted();
        SortedMap<byte[], byte[]> bucket = bucket(database, "key");
        Random random = new Random(1);
        for (int size : new int[] {0, 4000, 1 << 20, 5_000_000, 1, 100_000}) {
            byte[] value = new byte[size];
            random.nextBytes(value);
            bucket.put(utf8("key" + size), value);
        }
        verify(4096, 90, database);
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 50, 100})
    void longKeys(int fillPercent) throws IOException {
        SortedMap<byte[], SortedMap<byte[], byte[]>> database = sorted();
        SortedMap<byte[], byte[]> bucket = bucket(database, "key");
        Random random = new Random(1);
        for (int i = 0; i < 500; i++) {
            byte[] key = new byte[1 + random.nextInt(i % 3 == 0 ? 32768 : 900)];
            random.nextBytes(key);
            bucket.put(key, new byte[random.nextInt(2000)]);
        }
        verify(4096, fillPercent, database);
    }

    @Test
    void noBuckets() throws IOException {
        verify(4096, 90, sorted());
    }

    private void verify(
            int pageSize, int fillPercent, SortedMap<byte[], SortedMap<byte[], byte[]>> database)
            throws IOException {
        Path ours = directory.resolve("ours");
        Databases.write(ours, pageSize, fillPercent, database);
        assertThat(Peer.run("bbolt", "check", ours.toString())).isEqualTo("OK\n");
        // bbolt reads it all and writes it anew: small buckets inline, with a freelist.
        Path theirs = directory.resolve("theirs");
        Peer.run("bbolt", "compact", "-o", theirs.toString(), ours.toString());
        Databases.verifyContent(theirs, database);
        try (BboltReader reader = BboltReader.open(theirs)) {
            reader.check();
        }
    }
}
