package io.brain.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServiceManagerTest {
    @TempDir Path directory;
    private Path told;
    private String program;

    @BeforeEach
    void standIn() throws IOException {
        told = directory.resolve("told");
        Path script = directory.resolve("notify");
        Files.writeString(script, "#!/bin/sh\necho \"$NOTIFY_SOCKET $*\" >>" + told + "\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        program = script.toString();
    }

    @Test
    void systemdIsToldWhereItWaits() throws Exception {
        new ServiceManager(Map.of("NOTIFY_SOCKET", "/run/notify"), program).ready();
        assertThat(told).hasContent("/run/notify --ready\n");
    }

    @Test
    void nobodyIsToldWhereNobodyWaits() throws Exception {
        new ServiceManager(Map.of(), program).ready();
        assertThat(told).doesNotExist();
    }

    @Test
    void aMissingProgramDoesNotKeepAServerFromServing() throws Exception {
        new ServiceManager(Map.of("NOTIFY_SOCKET", "/run/notify"), program + "-missing").ready();
        assertThat(told).doesNotExist();
    }
}
