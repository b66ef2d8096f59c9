package io.brain.server.command;

import io.brain.options.DatabaseUrl;
import io.brain.server.Storages;
import io.brain.server.config.BrainConfig;
import io.brain.server.config.CommandLineReader;
import io.brain.server.config.ConfigException;
import io.brain.server.process.ServerException;
import io.brain.storage.KvStorage;
import io.brain.storage.Snapshot;
import io.brain.transfer.etcd.ChangeCollector;
import io.brain.transfer.etcd.ChangeSource;
import io.brain.transfer.etcd.EtcdDatabase;
import io.brain.transfer.etcd.WorkDirectory;
import io.brain.transfer.kine.KineDatabase;
import io.brain.transfer.kine.KineReader;
import io.brain.transfer.kine.KineSource;
import io.brain.transfer.kubebrain.KubeBrainReader;
import io.brain.transfer.kubebrain.Pairs;
import io.brain.transfer.load.ImportOptions;
import io.brain.transfer.load.ImportReport;
import io.brain.transfer.load.Importer;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.Map;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.TypeConversionException;

/** {@code brain import}: fills a new store from a database of etcd. */
final class ImportCommand extends TransferCommand {
    static final String NAME = "import";

    private static final String HELP =
            """
            Usage: brain import FILE --data-dir DIR [options] [flags]
                   brain import tikv://PD:2379,PD:2379 --data-dir DIR [options] [flags]
                   brain import jdbc:mariadb://HOST/DATABASE --data-dir DIR [options] [flags]
                   brain import jdbc:postgresql://HOST/DATABASE --data-dir DIR ...
                   brain import FILE --storage tikv --pd-endpoints LIST --keyspace NAME ...

            Fills a new store from FILE: a snapshot of etcd 3.4 to 3.7 (etcdctl snapshot save), or
            the database file of a member that does not run (member/snap/db). Keeps revisions,
            history from the compacted revision on, leases, alarms, users and roles. After an
            interruption the same command continues; until it ends, no server starts on the store.
            Accepts the server's flags, variables and file (brain --help); only those that locate
            the store have an effect.

            tikv://... reads what KubeBrain stored in a TiKV whose PD has these addresses, and
            --kubebrain a dump of it: a line for each pair, in order, with key and value in
            hexadecimal. Revisions stay. KubeBrain stores no create revisions and versions: they
            are counted from the oldest change that its compaction has kept.

            jdbc:... reads the table of a kine that is stopped, also jdbc:mysql:. Revisions stay,
            those without a change as well. Keys with the same TTL share a lease. The environment
            variable BRAIN_KINE_PASSWORD has the password, or a file.

            Options
              --kubebrain               FILE is a dump of KubeBrain's pairs
              --kine-user NAME, --kine-password-file FILE
                                        user of kine's database
              --work-dir DIR            for a temporary copy of the data of KubeBrain or kine;
                                        default: Java's
              --skip-hash-check         accept a file without a valid hash at its end, such as the
                                        database file of a member
              --prefix TEXT             import only keys with this prefix; repeatable
              --exclude-prefix TEXT     do not import keys with this prefix; repeatable
              --cluster-id ID           cluster ID that clients see: decimal, as etcdctl -w json
                                        prints it, or hexadecimal after 0x; default: random

            Exit codes
              0   imported
              1   failed; a line says why
              2   invalid command line
            """;

    private static final String TIKV = "tikv://";
    private static final String KINE_PASSWORD = "BRAIN_KINE_PASSWORD";

    private static final String AUTH_WARNING =
            "the source has authentication enabled: Brain checks users and permissions as well";

    private final PositionalParamSpec file = Parameters.position(0);
    private final OptionSpec kubeBrain = Parameters.flag("--kubebrain");
    private final OptionSpec workDirectory = Parameters.option("--work-dir", Path.class).build();
    private final OptionSpec kineUser = Parameters.option("--kine-user", String.class).build();
    private final OptionSpec kinePasswordFile =
            Parameters.option("--kine-password-file", Path.class).build();
    private final OptionSpec skipHashCheck = Parameters.flag("--skip-hash-check");
    private final KeyOptions keys = new KeyOptions(spec());
    private final OptionSpec clusterId =
            Parameters.option("--cluster-id", Long.class).converters(ImportCommand::id).build();

    ImportCommand() {
        super(NAME, HELP);
        spec().addPositional(file).addOption(skipHashCheck).addOption(clusterId);
        spec().addOption(kubeBrain).addOption(workDirectory);
        spec().addOption(kineUser).addOption(kinePasswordFile);
    }

    private static long id(String text) {
        try {
            long id =
                    text.startsWith("0x")
                            ? Long.parseUnsignedLong(text.substring(2), 16)
                            : Long.parseUnsignedLong(text);
            if (id != 0) {
                return id;
            }
        } catch (NumberFormatException malformed) {
            // The same message.
        }
        throw new TypeConversionException("not an ID: " + text);
    }

    @Override
    int run(CommandLineReader.Tool flags) throws IOException, ServerException {
        if (file.getValue() == null) {
            throw ConfigException.usage("missing parameter: FILE");
        }
        String name = file.getValue();
        if (KineDatabase.isUrl(name)) {
            importKine(name, flags);
        } else if (name.startsWith(TIKV) || kubeBrain.getValue() != null) {
            importKubeBrain(name, flags);
        } else {
            Path path = Path.of(name);
            boolean skip = skipHashCheck.getValue() != null;
            importFile(path, skip, path.toAbsolutePath().toString(), flags);
        }
        return DONE;
    }

    private void importFile(Path path, boolean skipHash, String name, CommandLineReader.Tool flags)
            throws IOException, ServerException {
        try (EtcdDatabase source = EtcdDatabase.open(path, skipHash, listener())) {
            importSource(source.requireWhole(), name, flags);
        }
    }

    private void importSource(ChangeSource source, String name, CommandLineReader.Tool flags)
            throws IOException, ServerException {
        Importer importer =
                new Importer(
                        source,
                        name,
                        flags.keyspace(),
                        new ImportOptions(keys.filter(), Parameters.number(clusterId), 0),
                        new SecureRandom(),
                        listener());
        importer.check();
        try (KvStorage storage = openNew(flags)) {
            ImportReport report = importer.run(storage);
            out().println(report);
            if (report.authEnabled()) {
                warn(AUTH_WARNING);
            }
        }
    }

    /** Makes a database of etcd from kine's rows, and imports it. */
    private void importKine(String url, CommandLineReader.Tool flags)
            throws IOException, ServerException {
        if (DatabaseUrl.hasPassword(url)) {
            throw ConfigException.usage(
                    "the URL of a database must not have a password: use --kine-password-file or "
                            + KINE_PASSWORD);
        }
        try (WorkDirectory work = WorkDirectory.open(Parameters.directory(workDirectory))) {
            Path copy = Files.createFile(work.path().resolve("kine.db"));
            KineReader.Report read;
            try (ChangeCollector changes = new ChangeCollector(sortFile(copy));
                    FileChannel out = openCopy(copy);
                    KineDatabase kine = KineDatabase.open(url, kineUser(), kinePassword())) {
                read = new KineReader(changes, listener()).read(kine);
                changes.write(out, read.compacted());
            }
            try (EtcdDatabase changes = EtcdDatabase.open(copy, true, listener())) {
                importSource(new KineSource(changes, read), url, flags);
            }
            out().printf(
                            "read %d keys, %d changes, %d revisions without a change of kine up to"
                                    + " revision %d%n",
                            read.keys(), read.changes(), read.gaps(), read.revision());
        }
    }

    private String kineUser() {
        String user = kineUser.getValue();
        return user == null ? "" : user;
    }

    private String kinePassword() throws IOException {
        Path passwordFile = kinePasswordFile.getValue();
        return passwordFile == null
                ? System.getenv().getOrDefault(KINE_PASSWORD, "")
                : Files.readString(passwordFile).stripTrailing();
    }

    private static Path sortFile(Path copy) {
        return copy.resolveSibling(copy.getFileName() + ".sort");
    }

    private static FileChannel openCopy(Path copy) throws IOException {
        return FileChannel.open(copy, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    /** Makes a database of etcd from KubeBrain's pairs, and imports it. */
    private void importKubeBrain(String name, CommandLineReader.Tool flags)
            throws IOException, ServerException {
        try (WorkDirectory work = WorkDirectory.open(Parameters.directory(workDirectory))) {
            Path copy = Files.createFile(work.path().resolve("kubebrain.db"));
            KubeBrainReader.Report read = copy(name, copy);
            importFile(copy, true, name, flags);
            out().printf(
                            "read %d keys, %d changes of KubeBrain up to revision %d; create"
                                    + " revisions and versions are counted from the oldest kept"
                                    + " changes%n",
                            read.keys(), read.changes(), read.revision());
        }
    }

    private KubeBrainReader.Report copy(String name, Path copy)
            throws IOException, ServerException {
        try (ChangeCollector changes = new ChangeCollector(sortFile(copy));
                FileChannel out = openCopy(copy)) {
            KubeBrainReader reader = new KubeBrainReader(changes, listener());
            KubeBrainReader.Report read =
                    name.startsWith(TIKV)
                            ? readTikv(name.substring(TIKV.length()), reader)
                            : readDump(Path.of(name), reader);
            changes.write(out, read.compacted());
            return read;
        }
    }

    private static KubeBrainReader.Report readDump(Path dump, KubeBrainReader reader)
            throws IOException {
        try (Pairs pairs = Pairs.ofDump(dump)) {
            return reader.read(pairs);
        }
    }

    private static KubeBrainReader.Report readTikv(String endpoints, KubeBrainReader reader)
            throws IOException, ServerException {
        Map<String, String> options = Map.of("pd-endpoints", endpoints);
        BrainConfig.Storage tikv = new BrainConfig.Storage("tikv", Path.of(""), options);
        try (KvStorage storage = Storages.openReadOnly(tikv, "");
                Snapshot snapshot = storage.snapshot();
                Pairs pairs = Pairs.of(snapshot)) {
            return reader.read(pairs);
        }
    }
}
