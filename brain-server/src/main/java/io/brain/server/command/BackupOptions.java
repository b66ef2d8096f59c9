package io.brain.server.command;

import io.brain.server.config.ConfigException;
import io.brain.transfer.backup.BackupStore;
import io.brain.transfer.backup.Seal;
import io.brain.transfer.etcd.WorkDirectory;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Options that locate backups and their key, and the directory for temporary files. */
final class BackupOptions {
    static final String HELP =
            """
              --encryption-key FILE     key that encrypts the backups: 32 bytes in Base64, as
                                        openssl rand -base64 32 writes them
              --work-dir DIR            for temporary files, which need the size of the database;
                                        default: Java's
              --s3-endpoint URL         object store that is compatible with S3; default: AWS
              --s3-region REGION        its region; default: as the AWS tools find it, which also
                                        find the credentials
            """;

    private final OptionSpec keyFile = Parameters.option("--encryption-key", Path.class).build();
    private final OptionSpec workDirectory = Parameters.option("--work-dir", Path.class).build();
    private final OptionSpec endpoint = Parameters.option("--s3-endpoint", URI.class).build();
    private final OptionSpec region = Parameters.option("--s3-region", String.class).build();

    /** Adds all to a command. */
    BackupOptions(CommandSpec spec) {
        spec.addOption(keyFile).addOption(workDirectory).addOption(endpoint).addOption(region);
    }

    /**
     * Opens backups.
     *
     * @param location null: not given
     * @throws ConfigException if they are not named
     */
    BackupStore open(String location) throws IOException {
        if (location == null) {
            throw ConfigException.usage("missing parameter: DIR");
        }
        try {
            return BackupStore.open(location, endpoint.getValue(), region.getValue());
        } catch (IllegalArgumentException malformed) {
            throw ConfigException.usage(malformed.getMessage());
        }
    }

    Seal seal() throws IOException {
        Path file = keyFile.getValue();
        return file == null ? Seal.withoutKey() : Seal.withKey(file);
    }

    WorkDirectory openWorkDirectory() throws IOException {
        return WorkDirectory.open(Parameters.directory(workDirectory));
    }
}
