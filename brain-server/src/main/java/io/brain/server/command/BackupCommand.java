package io.brain.server.command;

import io.brain.server.config.CommandLineReader;
import io.brain.server.config.ConfigException;
import io.brain.server.etcd.ClusterClient;
import io.brain.transfer.backup.BackupRecord;
import io.brain.transfer.backup.BackupStore;
import io.brain.transfer.backup.BackupWriter;
import io.brain.transfer.backup.Backups;
import io.brain.transfer.backup.Retention;
import io.brain.transfer.etcd.WorkDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Duration;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.TypeConversionException;

/** {@code brain backup}: backs up a running cluster, or lists its backups. */
final class BackupCommand extends TransferCommand {
    static final String NAME = "backup";

    private static final String HELP =
            """
            Usage: brain backup DIR --endpoints URL [options]
                   brain backup DIR --list

            Adds a backup of a running cluster of Brain to DIR, a directory or s3://bucket/prefix:
            a full one, or an increment, which has the changes since the last backup. A backup is
            compressed, encrypted if there is a key, read back and checked. One backup runs at a
            time. brain restore brings a state back.

            Options
              --list                    list the backups, oldest first
              --full-every TIME         age of a full backup after which the next backup is full,
                                        such as 12h or 7d; 0: always (default: 1d)
              --keep RULES              afterwards, keep only the last backup of each of the last
                                        hours, days, weeks, months or years, and what it needs:
                                        7d,4w is 7 days and 4 weeks; default: keep all
              --metrics-file FILE       write the result for Prometheus's node exporter
            """
                    + EndpointOptions.HELP
                    + BackupOptions.HELP
                    + """

                    Exit codes
                      0   backed up, or listed; a warning says what failed afterwards
                      1   failed; a line says why, and no backup was added
                      2   invalid command line
                    """;

    private static final Duration FULL_EVERY = Duration.ofDays(1);

    private final PositionalParamSpec location = Parameters.position(0);
    private final BackupOptions backups = new BackupOptions(spec());
    private final EndpointOptions endpoints = new EndpointOptions(spec());
    private final OptionSpec list = Parameters.flag("--list");
    private final OptionSpec metricsFile = Parameters.option("--metrics-file", Path.class).build();
    private final OptionSpec fullEvery =
            Parameters.option("--full-every", Duration.class).converters(Parameters::time).build();
    private final OptionSpec keep =
            Parameters.option("--keep", Retention.class)
                    .converters(BackupCommand::retention)
                    .build();

    BackupCommand() {
        super("back up", HELP);
        spec().addPositional(location);
        spec().addOption(list).addOption(metricsFile).addOption(fullEvery).addOption(keep);
    }

    private static Retention retention(String text) {
        try {
            return Retention.parse(text);
        } catch (IllegalArgumentException malformed) {
            throw new TypeConversionException(malformed.getMessage());
        }
    }

    @Override
    int run(CommandLineReader.Tool flags) throws IOException, GeneralSecurityException {
        endpoints.check();
        try (BackupStore store = backups.open(location.getValue())) {
            if (list.getValue() != null) {
                Backups.read(store).all().forEach(backup -> out().println(line(backup)));
                return DONE;
            }
            if (endpoints.servers() == null) {
                throw ConfigException.usage("--endpoints is missing");
            }
            requireMetricsDirectory();
            try (WorkDirectory work = backups.openWorkDirectory();
                    ClusterClient client = untilStop(endpoints.open(endpoints.servers()))) {
                Duration every = fullEvery.getValue();
                BackupWriter.Report report =
                        new BackupWriter(
                                        store,
                                        backups.seal(),
                                        work.path(),
                                        Clock.systemUTC(),
                                        listener())
                                .write(
                                        client.cluster(),
                                        every == null ? FULL_EVERY : every,
                                        keep.getValue());
                out().println("added " + line(report.backup()));
                report.expired().forEach(backup -> out().println("deleted " + line(backup)));
                report.warnings().forEach(this::warn);
                writeMetrics(report.backup());
                return DONE;
            }
        }
    }

    private static String line(BackupRecord backup) {
        return "%s %s revisions=%d..%d bytes=%d storedBytes=%d%s"
                .formatted(
                        backup.name(),
                        backup.isFull() ? "full" : "increment",
                        backup.isFull() ? Math.max(1, backup.compacted()) : backup.after() + 1,
                        backup.revision(),
                        backup.bytes(),
                        backup.storedBytes(),
                        backup.encrypted() ? " encrypted" : "");
    }

    /** Before the backup: afterwards, a failure is only a warning. */
    private void requireMetricsDirectory() throws IOException {
        Path file = metricsFile.getValue();
        if (file != null && !Files.isWritable(file.toAbsolutePath().getParent())) {
            throw new IOException(
                    "--metrics-file: cannot write to the directory of %s".formatted(file));
        }
    }

    /** Replaces the file at once, so that the exporter never reads a half. */
    private void writeMetrics(BackupRecord backup) {
        Path file = metricsFile.getValue();
        if (file == null) {
            return;
        }
        Path part = file.resolveSibling(file.getFileName() + ".part");
        try {
            Files.writeString(part, backup.metrics());
            Files.move(
                    part,
                    file,
                    StandardCopyOption.REPLACE_EXISTING,
                    StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failure) {
            warn("cannot write " + file + ": " + failure.getMessage());
        }
    }
}
