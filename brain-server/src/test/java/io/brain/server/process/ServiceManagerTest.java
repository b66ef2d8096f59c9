package io.brain.server.process;

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
    private Path notifications;
    private String program;

    @BeforeEach
    void standIn() throws IOException {
        notifications = directory.resolve("notifications");
        Path script = directory.resolve("notify");
        Files.writeString(
                script, "#!/bin/sh\necho \"$NOTIFY_SOCKET $*\" >>" + notifications + "\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        program = script.toString();
    }

    @Test
    void systemdIsNotifiedIfItListens() throws Exception {
        new ServiceManager(Map.of("NOTIFY_SOCKET", "/run/notify"), program).ready();
        assertThat(notifications).hasContent("/run/notify --ready\n");
    }

    @Test
    void withoutASocketNothingIsSent() throws Exception {
        new ServiceManager(Map.of(), program).ready();
        assertThat(notifications).doesNotExist();
    }

    @Test
    void aMissingProgramDoesNotFailTheStart() throws Exception {
        new ServiceManager(Map.of("NOTIFY_SOCKET", "/run/notify"), program + "-missing").ready();
        assertThat(notifications).doesNotExist();
    }
}
