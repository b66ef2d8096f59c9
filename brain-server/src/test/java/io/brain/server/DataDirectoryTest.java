package io.brain.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataDirectoryTest {
    @TempDir private Path temp;

    @Test
    void theCapacityIsStoredPlusFreeBytes() throws ServerException {
        assertThat(new DataDirectory(temp).capacity(100)).isGreaterThan(100);
    }

    @Test
    void theCapacityOfAMissingDirectoryIsUnknown() throws ServerException {
        assertThat(new DataDirectory(temp.resolve("none")).capacity(100)).isNegative();
    }
}
