package io.brain.server.command;

import io.brain.backend.model.KeySpan;
import io.brain.options.Endpoints;
import io.brain.server.Storages;
import io.brain.server.config.BrainConfig;
import io.brain.server.config.CommandLineReader;
import io.brain.server.config.ConfigException;
import io.brain.server.etcd.ClusterClient;
import io.brain.server.process.ServerException;
import io.brain.storage.Bytes;
import io.brain.storage.KvStorage;
import io.brain.transfer.backup.BackupStore;
import io.brain.transfer.backup.RestorePoint;
import io.brain.transfer.backup.RestoredFiles;
import io.brain.transfer.etcd.ChangeSource;
import io.brain.transfer.etcd.EtcdDatabase;
import io.brain.transfer.load.ImportOptions;
import io.brain.transfer.verify.Comparison;
import io.brain.transfer.verify.EndpointSide;
import io.brain.transfer.verify.Side;
import io.brain.transfer.verify.StoreSide;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** {@code brain verify}: compares the data of two clusters, stores, files or backups. */
final class VerifyCommand extends TransferCommand {
    static final String NAME = "verify";

    private static final int EQUAL = 0;
    private static final int DIFFERENT = 1;
    private static final int NOT_COMPARED = 2;

    /** In the data directory of RocksDB. */
    private static final String FORMAT = "FORMAT";

    private static final String HELP =
            """
            Usage: brain verify A B [options]

            Compares the data of A and B at a revision, and names the first keys that differ. Each
            is
              URL         a running server of Brain or etcd, such as http://127.0.0.1:2379
              FILE        a snapshot of etcd 3.4 to 3.7
              DIR         the data directory of a stopped server on RocksDB, or backups
              s3://...    backups

            Equal hashes of both histories (as HashKV of etcd) end the comparison: then all keys at
            all readable revisions are equal. Else, and with --prefix, each key with its value, its
            revisions, its version and its lease is compared. A file and a backup are imported into
            a temporary store first. Changes nothing.

            Options
              --rev REVISION            default: the newest that both have
              --prefix TEXT             only keys with this prefix
              --rate BYTES              most bytes to read from a running server in a second
              --skip-hash-check         accept a file without a valid hash at its end
              --cacert FILE             CA bundle that verifies servers, PEM
              --cert FILE, --key FILE   certificate and private key for servers, PEM
              --user NAME, --password-file FILE
                                        a user with the role root, and a file with the password;
                                        for all servers
            """
                    + BackupOptions.HELP
                    + """

                    Exit codes
                      0   equal
                      1   different
                      2   not compared; a line says why
                    """;

    private final PositionalParamSpec first = Parameters.position(0);
    private final PositionalParamSpec second = Parameters.position(1);
    private final BackupOptions backups = new BackupOptions(spec());
    private final EndpointOptions endpoints = EndpointOptions.withoutServers(spec());
    private final OptionSpec revision = Parameters.revision();
    private final OptionSpec prefix = Parameters.option("--prefix", String.class).build();
    private final OptionSpec rate = Parameters.option("--rate", Long.class).build();
    private final OptionSpec skipHashCheck = Parameters.flag("--skip-hash-check");

    /** Closed after the sides, last first. */
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    /** Of a data directory. */
    private String keyspace;

    private Path work;

    VerifyCommand() {
        super(NAME, HELP);
        spec().addPositional(first).addPositional(second);
        spec().addOption(revision).addOption(prefix).addOption(rate).addOption(skipHashCheck);
    }

    @Override
    int failed() {
        return NOT_COMPARED;
    }

    @Override
    int run(CommandLineReader.Tool flags)
            throws IOException, ServerException, GeneralSecurityException {
        if (first.getValue() == null || second.getValue() == null) {
            throw ConfigException.usage("missing parameter: A or B");
        }
        keyspace = flags.keyspace();
        work = keep(backups.openWorkDirectory()).path();
        try (Side a = side(first.getValue());
                Side b = side(second.getValue())) {
            String start = prefix.getValue() == null ? "" : prefix.getValue();
            KeySpan span = KeySpan.prefix(Bytes.utf8(start));
            return print(Comparison.of(a, b, span, Parameters.number(revision), listener()));
        } finally {
            closeAll();
        }
    }

    private int print(Comparison result) {
        result.differences().forEach(out()::println);
        if (result.more()) {
            out().println("and more");
        }
        String histories =
                switch (result.histories()) {
                    case EQUAL -> "histories equal";
                    case DIFFERENT -> "histories differ";
                    case NOT_COMPARED -> "histories not compared";
                };
        out().printf(
                        "%s at revision %d: %s%n",
                        result.isEqual() ? "equal" : "different", result.revision(), histories);
        return result.isEqual() ? EQUAL : DIFFERENT;
    }

    private Side side(String text) throws IOException, ServerException, GeneralSecurityException {
        if (text.startsWith("s3://")) {
            return backup(text);
        }
        Path path = Path.of(text);
        if (Files.isDirectory(path)) {
            return Files.exists(path.resolve(FORMAT)) ? dataDirectory(path) : backup(text);
        }
        return Files.exists(path) ? file(path) : server(text);
    }

    private Side server(String text) throws IOException, GeneralSecurityException {
        if (!text.matches("(https?://)?[^/]+:[0-9]+(,(https?://)?[^/,]+:[0-9]+)*")) {
            throw new IOException(text + ": no such file or directory, and not a URL with a port");
        }
        ClusterClient client = keep(untilStop(endpoints.open(servers(text))));
        return new EndpointSide(text, client.channel(), Parameters.number(rate));
    }

    private static Endpoints servers(String text) {
        try {
            return Endpoints.parse(text);
        } catch (IllegalArgumentException malformed) {
            throw ConfigException.usage(malformed.getMessage());
        }
    }

    private Side dataDirectory(Path path) throws ServerException, IOException {
        KvStorage storage =
                keep(Storages.openReadOnly(new BrainConfig.Storage("rocksdb", path, Map.of()), ""));
        Path sortFile = Files.createTempFile(work, "brain-sort-", "");
        keep(() -> Files.deleteIfExists(sortFile));
        return new StoreSide(path.toString(), storage, keyspace, sortFile);
    }

    private Side file(Path path) throws IOException, ServerException {
        EtcdDatabase database =
                keep(EtcdDatabase.open(path, skipHashCheck.getValue() != null, listener()));
        return imported(path.toString(), database.requireWhole());
    }

    private Side backup(String text) throws IOException, ServerException {
        BackupStore store = keep(backups.open(text));
        RestorePoint point = new RestorePoint(Parameters.number(revision), null, null);
        RestoredFiles files =
                keep(RestoredFiles.open(store, backups.seal(), point, work, listener()));
        return imported(text, files.exact());
    }

    private Side imported(String name, ChangeSource source) throws IOException, ServerException {
        return keep(TemporaryStore.of(source, name, ImportOptions.ALL, work, listener())).side();
    }

    private <T extends AutoCloseable> T keep(T resource) {
        opened.push(resource);
        return resource;
    }

    private void closeAll() throws IOException {
        try {
            while (!opened.isEmpty()) {
                opened.pop().close();
            }
        } catch (IOException | RuntimeException failure) {
            throw failure;
        } catch (Exception impossible) { // none of them throws another one
            throw new IllegalStateException(impossible);
        }
    }
}
