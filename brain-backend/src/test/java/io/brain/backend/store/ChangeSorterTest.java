package io.brain.backend.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChangeSorterTest {
    @TempDir private Path directory;

    @Test
    void onlyItsOwnerMayReadTheFile() throws IOException {
        Path file = directory.resolve("spilled");
        try (ChangeSorter sorter = new ChangeSorter(0, file)) {
            sorter.add(2, 0, new byte[10]);
            sorter.add(3, 0, new byte[10]);
            Path opened = descriptorOf(file);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(opened)))
                    .isEqualTo("rw-------");
        }
    }

    /** An open file that has no name any more. */
    private static Path descriptorOf(Path file) throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.filter(one -> isOf(file, one)).findFirst().orElseThrow();
        }
    }

    private static boolean isOf(Path file, Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith(file.toString());
        } catch (IOException closedMeanwhile) {
            return false;
        }
    }

    private record Change(long revision, int sub, String record) {}

    @ParameterizedTest
    @CsvSource({
        "0, 1, 10",
        "4, 1000, 10",
        "5, 1, 0",
        "40, 500, 10",
        "3000, 1, 30",
        "30000, 1000000, 9",
        "20000, 20000, 9",
        "200, 100000, 200000"
    })
    void changesAreSortedWithAnyMemoryLimit(int count, long bytesMax, int recordBytes)
            throws IOException {
        Path file = directory.resolve("spilled");
        Files.writeString(file, "left by a crash");
        List<Change> expected = new ArrayList<>();
        Random random = new Random(count);
        long bytes = 0;
        for (int i = 0; i < count; i++) {
            byte[] record = new byte[random.nextInt(recordBytes + 1)];
            random.nextBytes(record);
            expected.add(new Change((long) (i / 3) << 40, i % 3, Arrays.toString(record)));
            bytes += 64 + record.length;
        }
        List<Change> shuffled = new ArrayList<>(expected);
        Collections.shuffle(shuffled, random);
        List<Change> sorted = new ArrayList<>();
        try (ChangeSorter sorter = new ChangeSorter(bytesMax, file)) {
            for (Change change : shuffled) {
                sorter.add(change.revision(), change.sub(), parse(change.record()));
            }
            boolean oneRun = bytes <= bytesMax || count < 2;
            assertThat(Files.exists(file)).as("old file is left").isEqualTo(oneRun);
            sorter.drain(
                    (revision, sub, record) ->
                            sorted.add(new Change(revision, sub, Arrays.toString(record))));
        }
        assertThat(sorted).isEqualTo(expected);
    }

    @Test
    void directoryIsCreated() throws IOException {
        Path file = directory.resolve("of/an/engine/without/files").resolve("spilled");
        List<Long> sorted = new ArrayList<>();
        try (ChangeSorter sorter = new ChangeSorter(1, file)) {
            for (long key : new long[] {3, 1, 2}) {
                sorter.add(key, 0, new byte[1]);
            }
            sorter.drain((revision, sub, record) -> sorted.add(revision));
        }
        assertThat(sorted).containsExactly(1L, 2L, 3L);
    }

    private static byte[] parse(String text) {
        if (text.length() == 2) {
            return new byte[0];
        }
        String[] numbers = text.substring(1, text.length() - 1).split(", ", -1);
        byte[] bytes = new byte[numbers.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = Byte.parseByte(numbers[i]);
        }
        return bytes;
    }
}
