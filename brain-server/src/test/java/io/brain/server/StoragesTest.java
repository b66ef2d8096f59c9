package io.brain.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoragesTest {
    @TempDir private Path temp;

    @Test
    void theCapacityIsStoredPlusFreeBytes() {
        assertThat(Storages.capacity(temp, 100)).isGreaterThan(100);
    }

    @Test
    void theCapacityOfAMissingDirectoryIsUnknown() {
        assertThat(Storages.capacity(temp.resolve("none"), 100)).isNegative();
    }
}
