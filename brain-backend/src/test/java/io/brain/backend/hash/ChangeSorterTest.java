package io.brain.backend.hash;

import static org.assertj.core.api.Assertions.assertThat;

import io.brain.backend.hash.ChangeSorter.Change;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChangeSorterTest {
    @TempDir private Path directory;

    @ParameterizedTest
    @CsvSource({"0, 4", "4, 4", "5, 4", "40, 7", "30000, 10000", "20000, 300"})
    void changesAreSortedWithAnyMemoryLimit(int count, int held) throws IOException {
        Path file = directory.resolve("spilled");
        Files.writeString(file, "left by a crash");
        List<Change> expected = new ArrayList<>();
        Random random = new Random(count);
        for (int i = 0; i < count; i++) {
            expected.add(
                    new Change(
                            (long) i << 40,
                            random.nextInt(1 << 30),
                            random.nextBoolean(),
                            random.nextInt(),
                            random.nextInt()));
        }
        List<Change> shuffled = new ArrayList<>(expected);
        Collections.shuffle(shuffled, random);
        List<Change> sorted = new ArrayList<>();
        try (ChangeSorter sorter = new ChangeSorter(new HashSettings(held, file))) {
            for (Change change : shuffled) {
                sorter.add(change);
            }
            sorter.drain(sorted::add);
        }
        assertThat(sorted).isEqualTo(expected);
        assertThat(Files.exists(file)).as("file exists").isEqualTo(count <= held);
    }

    @Test
    void directoryIsCreated() throws IOException {
        Path file = directory.resolve("of/an/engine/without/files").resolve("spilled");
        List<Long> sorted = new ArrayList<>();
        try (ChangeSorter sorter = new ChangeSorter(new HashSettings(1, file))) {
            for (long key : new long[] {3, 1, 2}) {
                sorter.add(new Change(key, 0, false, 0, 0));
            }
            sorter.drain(change -> sorted.add(change.revision()));
        }
        assertThat(sorted).containsExactly(1L, 2L, 3L);
    }
}
