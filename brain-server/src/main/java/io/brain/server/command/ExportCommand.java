package io.brain.server.command;

import io.brain.server.Storages;
import io.brain.server.config.CommandLineReader;
import io.brain.server.config.ConfigException;
import io.brain.server.config.Versions;
import io.brain.server.etcd.ClusterClient;
import io.brain.server.process.ServerException;
import io.brain.storage.KvStorage;
import io.brain.transfer.etcd.DatabaseFilter;
import io.brain.transfer.etcd.ExportScope;
import io.brain.transfer.etcd.Exporter;
import io.brain.transfer.etcd.PartFile;
import io.brain.transfer.etcd.PrivateFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.TypeConversionException;

/**
 * {@code brain export}: writes the store of a stopped server, a store on TiKV, or the database of a
 * running server into a snapshot file of etcd.
 */
final class ExportCommand extends TransferCommand {
    static final String NAME = "export";

    private static final String HELP =
            """
            Usage: brain export FILE --data-dir DIR [options] [flags]
                   brain export FILE --storage tikv --pd-endpoints HOST:PORT,... [--keyspace NAME]
                       [options] [flags]
                   brain export FILE --endpoints URL [options]

            Writes all keys with their history and leases into a file that etcdutl snapshot restore
            of etcd accepts: of the stopped server of a data directory, of a store on TiKV,
            which servers may use meanwhile, or of a running server of Brain or etcd. Changes
            nothing. Accepts the server's flags, variables and file (brain --help); only those that
            locate the store have an effect.

            The file is written as FILE.part and renamed at the end. In its directory up to twice
            the size of the store is needed.

            Options
              --prefix TEXT           only keys that begin with this text; can be repeated
              --exclude-prefix TEXT   no keys that begin with this text; can be repeated
              --rev REVISION          the state at this revision, with its history; without it the
                                      newest
              --etcd-version VERSION  3.7 (default), or 3.6 for a file that an etcd 3.6 accepts, too
              --endpoints URL         client URL of one running server
              --cacert FILE           CA bundle that verifies that server, PEM
              --cert FILE, --key FILE certificate and private key for that server, PEM
              --user NAME, --password-file FILE
                                      a user with the role root, and a file with the password

            Exit codes
              0   exported
              1   not exported: no FILE exists, unless it existed before
              2   invalid command line
            """;

    private final PositionalParamSpec file = Parameters.position(0);
    private final KeyOptions keys = new KeyOptions(spec());
    private final OptionSpec revision = Parameters.revision();
    private final OptionSpec etcdVersion =
            Parameters.option("--etcd-version", String.class)
                    .converters(ExportCommand::storageVersion)
                    .build();
    private final EndpointOptions endpoints = new EndpointOptions(spec());

    ExportCommand() {
        super(NAME, HELP);
        spec().addPositional(file).addOption(revision).addOption(etcdVersion);
    }

    @Override
    int run(CommandLineReader.Tool flags)
            throws IOException, ServerException, GeneralSecurityException {
        String target = file.getValue();
        if (target == null || target.isEmpty()) {
            throw ConfigException.usage("missing parameter: FILE");
        }
        endpoints.check();
        ExportScope scope = new ExportScope(keys.filter(), Parameters.number(revision));
        try (PartFile part = PartFile.create(Path.of(target))) {
            Exporter.Exported exported =
                    endpoints.servers() == null
                            ? exportStore(flags, scope, part)
                            : exportServer(scope, part);
            part.complete(listener());
            out().printf(
                            "exported %s: revision %d, %d bytes%n",
                            target, exported.revision(), exported.bytes());
        }
        return DONE;
    }

    private static String storageVersion(String text) {
        if (text.matches("3\\.[67]")) {
            return text + ".0";
        }
        throw new TypeConversionException("not 3.6 or 3.7: " + text);
    }

    private Exporter.Exported exportStore(
            CommandLineReader.Tool flags, ExportScope scope, PartFile part)
            throws ServerException, IOException {
        try (KvStorage storage = Storages.openReadOnly(flags.storage(), flags.keyspace())) {
            String version = etcdVersion.getValue();
            return new Exporter(
                            storage, flags.keyspace(), version == null ? Versions.CLUSTER : version)
                    .export(part.channel(), part.beside(".sort"), scope, listener());
        }
    }

    private Exporter.Exported exportServer(ExportScope scope, PartFile part)
            throws IOException, GeneralSecurityException {
        // The copy has no free pages, and it is checked while it is made.
        Path whole = part.beside(".whole");
        try (ClusterClient client = untilStop(endpoints.open(endpoints.servers()));
                FileChannel received =
                        PrivateFiles.open(
                                whole,
                                StandardOpenOption.CREATE,
                                StandardOpenOption.TRUNCATE_EXISTING,
                                StandardOpenOption.WRITE)) {
            client.cluster().receive(0, received, listener());
            return DatabaseFilter.copy(
                    whole, part.channel(), scope, etcdVersion.getValue(), listener());
        } finally {
            Files.deleteIfExists(whole);
        }
    }
}
