package io.brain.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ConfigurationPageTest {
    /** Surefire runs in the module's directory. */
    private static final Path PAGE = Path.of("../docs/configuration.md");

    @Test
    void thePageIsUpToDate() throws IOException {
        if (Boolean.getBoolean("docs.write")) {
            Files.writeString(PAGE, ConfigurationPage.text());
        }
        assertThat(PAGE)
                .as("its first lines say how to make it")
                .hasContent(ConfigurationPage.text());
    }
}
