package io.brain.server.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code brain import} of KubeBrain's pairs. */
class KubeBrainImportTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

    /** Pairs in order of keys in hexadecimal, which is that of bytes. */
    private final TreeMap<String, String> pairs = new TreeMap<>();

    @TempDir private Path directory;

    @Test
    void revisionsStayAndVersionsAreCounted() throws Exception {
        put("/a", 5, "one");
        put("/a", 9, "two");
        newest("/a", 9, false);
        put("/a/b", 6, "x");
        put("/a/b", 7, "tombstone");
        put("/a/b", 12, "again");
        newest("/a/b", 12, false);
        put("/gone", 8, "x");
        put("/gone", 10, "tombstone");
        newest("/gone", 10, true);
        put("/word", 11, "tombstone");
        newest("/word", 11, false);
        pair("/election".getBytes(UTF_8), "other".getBytes(UTF_8));

        assertThat(importDump("--data-dir=" + directory.resolve("store"))).isZero();
        assertThat(text(out)).contains("read 4 keys, 8 changes of KubeBrain up to revision 12;");
        assertThat(at(12))
                .containsExactly("/a=two 5 9 2", "/a/b=again 12 12 1", "/word=tombstone 11 11 1");
        assertThat(at(9)).containsExactly("/a=two 5 9 2", "/gone=x 8 8 1");
        assertThat(at(6)).containsExactly("/a=one 5 5 1", "/a/b=x 6 6 1");
    }

    @Test
    void theCompactedRevisionIsKept() throws Exception {
        put("/a", 5, "one");
        put("/a", 9, "two");
        put("/a", 20, "three");
        newest("/a", 20, false);
        pair("//compact_key".getBytes(UTF_8), number(10));
        assertThat(importDump("--data-dir=" + directory.resolve("store"))).isZero();
        assertThat(text(out)).contains("compacted at 10");
        assertThat(at(10)).containsExactly("/a=two 5 9 2");
        assertThat(at(20)).containsExactly("/a=three 5 20 3");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "zz 00", "57fb808b", "57fb808b 00", "00 00\n00 00", "01 00\n00 00"})
    void aMalformedDumpIsOneLineAndNoStore(String dump) throws IOException {
        Path file = Files.writeString(directory.resolve("dump"), dump);
        Path store = directory.resolve("store");
        assertThat(run(file.toString(), "--kubebrain", "--data-dir=" + store)).isEqualTo(1);
        assertThat(text(errors)).startsWith("cannot import: ").hasLineCount(1);
        assertThat(store).doesNotExist();
    }

    @Test
    void twoChangesOfOneRevisionAreOneLineAndNoStore() throws IOException {
        put("/a", 5, "one");
        put("/b", 5, "two");
        Path store = directory.resolve("store");
        assertThat(importDump("--data-dir=" + store)).isEqualTo(1);
        assertThat(text(errors)).isEqualTo("cannot import: revision 5 has two changes\n");
        assertThat(store).doesNotExist();
    }

    private void put(String key, long revision, String value) {
        pair(stored(key, revision), value.getBytes(UTF_8));
    }

    private void newest(String key, long revision, boolean deleted) {
        ByteBuffer value = ByteBuffer.allocate(deleted ? 9 : 8).putLong(revision);
        pair(stored(key, 0), value.array());
    }

    private static byte[] stored(String key, long revision) {
        byte[] name = key.getBytes(UTF_8);
        return ByteBuffer.allocate(4 + name.length + 9)
                .putInt(0x57fb808b)
                .put(name)
                .put((byte) '$')
                .putLong(revision)
                .array();
    }

    private static byte[] number(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    private void pair(byte[] key, byte[] value) {
        pairs.put(HexFormat.of().formatHex(key), HexFormat.of().formatHex(value));
    }

    private int importDump(String flag) throws IOException {
        List<String> lines = new ArrayList<>();
        pairs.forEach((key, value) -> lines.add(key + " " + value));
        Path dump = Files.write(directory.resolve("dump"), lines);
        return run(dump.toString(), "--kubebrain", flag);
    }

    private int run(String... args) {
        out.reset();
        errors.reset();
        List<String> all = new ArrayList<>(List.of(args));
        all.add("--work-dir=" + directory);
        return new ImportCommand()
                .run(
                        all,
                        Map.of(),
                        new PrintStream(out, true, UTF_8),
                        new PrintStream(errors, true, UTF_8),
                        new CompletableFuture<>());
    }

    private static String text(ByteArrayOutputStream bytes) {
        return bytes.toString(UTF_8);
    }

    private List<String> at(long revision) throws Exception {
        return StoredKeys.at(directory.resolve("store"), directory.resolve("sort"), revision);
    }
}
