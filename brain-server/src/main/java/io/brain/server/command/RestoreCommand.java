package io.brain.server.command;

import io.brain.backend.model.KeySpan;
import io.brain.server.config.CommandLineReader;
import io.brain.server.config.ConfigException;
import io.brain.server.etcd.ClusterClient;
import io.brain.server.process.ServerException;
import io.brain.storage.Bytes;
import io.brain.storage.KvStorage;
import io.brain.transfer.backup.BackupStore;
import io.brain.transfer.backup.PrefixRestore;
import io.brain.transfer.backup.RestorePoint;
import io.brain.transfer.backup.RestoredFiles;
import io.brain.transfer.etcd.ChangeSource;
import io.brain.transfer.etcd.KeyFilter;
import io.brain.transfer.etcd.WorkDirectory;
import io.brain.transfer.load.ImportOptions;
import io.brain.transfer.load.Importer;
import io.brain.transfer.verify.EndpointSide;
import io.brain.transfer.verify.StoreSide;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.TypeConversionException;

/**
 * {@code brain restore}: fills a new store from backups, or brings a prefix of a running cluster
 * back.
 */
final class RestoreCommand extends TransferCommand {
    static final String NAME = "restore";

    private static final long BUMP = 1_000_000_000;

    private static final String HELP =
            """
            Usage: brain restore DIR --data-dir DIR [options] [flags]
                   brain restore DIR --storage tikv --pd-endpoints LIST --keyspace NAME ...
                   brain restore DIR --endpoints URL --prefix TEXT [--dry-run] [options]

            Restores from the backups in DIR, a directory or s3://bucket/prefix.

            Into a new store: everything, as the cluster of a new name. The revision is raised by
            --bump-revision and everything before it is compacted, so that watchers of the former
            cluster list anew instead of missing changes. After an interruption the same command
            continues; until it ends, no server starts on the store.

            Into a running cluster (--endpoints): the keys with a prefix become what they were,
            with an ordinary transaction for each, which watchers see. Keys that are equal are not
            touched. Restored keys have no lease.

            Options
              --rev REVISION            the state at this revision
              --time TIME               the state at the end of this second, such as
                                        2026-01-31T12:00:00Z; default: the newest state
              --backup NAME             as if this backup were the newest; continues a restore that
                                        was interrupted, and names it, after another backup
              --bump-revision N         default: 1000000000, as etcd advises
              --exact-revisions         keep revisions and history: only for a cluster without
                                        former watchers, which would miss changes
              --prefix TEXT             the keys to restore into a running cluster
              --dry-run                 only count what would change there
            """
                    + EndpointOptions.HELP
                    + BackupOptions.HELP
                    + """

                    Exit codes
                      0   restored, or counted
                      1   failed; a line says why
                      2   invalid command line
                    """;

    private final PositionalParamSpec location = Parameters.position(0);
    private final BackupOptions backups = new BackupOptions(spec());
    private final EndpointOptions endpoints = new EndpointOptions(spec());
    private final OptionSpec revision = Parameters.revision();
    private final OptionSpec backup = Parameters.option("--backup", String.class).build();
    private final OptionSpec bump = Parameters.option("--bump-revision", Long.class).build();
    private final OptionSpec prefix = Parameters.option("--prefix", String.class).build();
    private final OptionSpec exact = Parameters.flag("--exact-revisions");
    private final OptionSpec dryRun = Parameters.flag("--dry-run");
    private final OptionSpec time =
            Parameters.option("--time", Instant.class).converters(RestoreCommand::time).build();

    RestoreCommand() {
        super(NAME, HELP);
        spec().addPositional(location);
        spec().addOption(revision).addOption(bump).addOption(prefix).addOption(exact);
        spec().addOption(dryRun).addOption(time).addOption(backup);
    }

    private static Instant time(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException malformed) {
            throw new TypeConversionException("not a time such as 2026-01-31T12:00:00Z: " + text);
        }
    }

    @Override
    int run(CommandLineReader.Tool flags)
            throws IOException, ServerException, GeneralSecurityException {
        checkOptions();
        try (BackupStore store = backups.open(location.getValue());
                WorkDirectory work = backups.openWorkDirectory();
                RestoredFiles files =
                        RestoredFiles.open(
                                store, backups.seal(), point(), work.path(), listener())) {
            if (endpoints.servers() == null) {
                restoreStore(files, flags);
            } else {
                restorePrefix(files, work);
            }
            return DONE;
        }
    }

    private void checkOptions() {
        endpoints.check();
        boolean running = endpoints.servers() != null;
        if (running != (prefix.getValue() != null)) {
            throw ConfigException.usage("--endpoints needs --prefix, and --prefix --endpoints");
        }
        if (running && (exact.getValue() != null || bump.getValue() != null)) {
            throw ConfigException.usage(
                    "--exact-revisions and --bump-revision are not for --endpoints");
        }
        if (exact.getValue() != null && bump.getValue() != null) {
            throw ConfigException.usage("--exact-revisions excludes --bump-revision");
        }
        if (bump() < 0) {
            throw ConfigException.usage("--bump-revision must not be negative");
        }
        if (!running && dryRun.getValue() != null) {
            throw ConfigException.usage("--dry-run needs --endpoints");
        }
    }

    private long bump() {
        Long raise = bump.getValue();
        return raise == null ? BUMP : raise;
    }

    private RestorePoint point() {
        try {
            return new RestorePoint(
                    Parameters.number(revision), time.getValue(), backup.getValue());
        } catch (IllegalArgumentException both) {
            throw ConfigException.usage("--rev excludes --time");
        }
    }

    private void restoreStore(RestoredFiles files, CommandLineReader.Tool flags)
            throws IOException, ServerException {
        ChangeSource source = exact.getValue() != null ? files.exact() : files.bumped(bump());
        Importer importer =
                new Importer(
                        source,
                        location.getValue() + " --backup " + files.newestBackup(),
                        flags.keyspace(),
                        ImportOptions.ALL,
                        new SecureRandom(),
                        listener());
        importer.check();
        try (KvStorage storage = openNew(flags)) {
            Object report = importer.run(storage);
            out().println("restored revision " + files.revision() + "; " + report);
        }
    }

    private void restorePrefix(RestoredFiles files, WorkDirectory work)
            throws IOException, ServerException, GeneralSecurityException {
        Bytes start = Bytes.utf8(prefix.getValue());
        ImportOptions options = new ImportOptions(new KeyFilter(List.of(start), List.of()), 0, 0);
        try (TemporaryStore temporary =
                        TemporaryStore.of(
                                files.bumped(0), "the backup", options, work.path(), listener());
                StoreSide restored = temporary.side();
                ClusterClient client = untilStop(endpoints.open(endpoints.servers()));
                EndpointSide cluster =
                        new EndpointSide(endpoints.servers().toString(), client.channel(), 0)) {
            PrefixRestore.Report report =
                    new PrefixRestore(
                                    restored,
                                    files.revision(),
                                    cluster,
                                    client.channel(),
                                    KeySpan.prefix(start),
                                    dryRun.getValue() != null,
                                    listener())
                            .run();
            out().printf(
                            "%s %d puts and %d deletes%n",
                            dryRun.getValue() != null ? "would do" : "did",
                            report.puts(),
                            report.deletes());
        }
    }
}
