package io.brain.server.config;

import io.brain.server.config.BrainConfig.Upkeep;
import io.brain.server.config.Flag.Effect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** Reads the command line and the environment into a {@link BrainConfig}. */
public final class CommandLineReader {
    private CommandLineReader() {}

    /**
     * The request of a command line.
     *
     * @param config the settings; null if {@code text} is to be printed instead
     * @param text the help, the version or the settings; null if the server is to run
     * @param help true if the text is the help
     * @param notes log lines for the operator
     * @param warnings log lines about settings that leave the server less secure than they seem
     */
    public record Request(
            BrainConfig config,
            String text,
            boolean help,
            List<String> notes,
            List<String> warnings) {}

    /**
     * Reads the command line.
     *
     * @param environment of the process
     * @throws ConfigException if a setting is invalid
     */
    public static Request read(List<String> args, Map<String, String> environment) {
        FlagValues values = new FlagParser().parse(args, environment);
        if (values.help() != null) {
            String text = values.help() ? HelpText.help() : HelpText.version();
            return new Request(null, text, values.help(), List.of(), List.of());
        }
        FlagParser.checkForms(values);
        checkSupported(values);
        BrainConfig config = config(values);
        if (values.get(Flags.CONFIG_PRINT)) {
            return new Request(null, ConfigText.of(values), false, List.of(), List.of());
        }
        return new Request(config, null, false, notes(values), warnings(values, config));
    }

    /**
     * The store that a tool works on.
     *
     * @param keyspace name; empty for none
     * @param log of the tool: warnings and errors, to stderr
     * @param note about the data directory; null if it was given, or the store has none
     */
    public record Tool(
            BrainConfig.Storage storage, String keyspace, BrainConfig.Log log, String note) {}

    /**
     * Reads the command line of a tool, which may have the server's flags too. Those that do not
     * locate the store have no effect.
     *
     * @param own options and parameters of the tool, which have their values afterwards
     * @return null if the help was requested
     * @throws ConfigException if a setting is invalid
     */
    public static Tool readTool(
            CommandSpec own, List<String> args, Map<String, String> environment) {
        FlagValues values = new FlagParser(own).parse(args, environment);
        if (values.help() != null) {
            return null;
        }
        FlagParser.checkForms(values);
        BrainConfig.Log log = LogFlags.read(values);
        return new Tool(
                ClusterFlags.storage(values, MemberFlags.dataDir(values)),
                values.get(ClusterFlags.KEYSPACE),
                new BrainConfig.Log(
                        BrainConfig.Log.Level.WARN,
                        log.format(),
                        BrainConfig.Log.Output.STDERR,
                        log.slowBatch(),
                        log.calls()),
                ClusterFlags.isLocal(values) ? MemberFlags.dataDirNote(values) : null);
    }

    /** The usage, printed to stderr after a usage error. */
    public static String usage() {
        return HelpText.usage();
    }

    private static void checkSupported(FlagValues values) {
        for (Flag flag : Flags.ALL) {
            boolean isDefault = values.text(flag.option()).equals(flag.option().fallback());
            if (flag.effect() == Effect.REFUSED && !isDefault) {
                throw ConfigException.value(
                        flag.option().flag() + " is not supported by this version");
            }
        }
    }

    private static BrainConfig config(FlagValues values) {
        Path dataDir = MemberFlags.dataDir(values);
        return new BrainConfig(
                values.get(MemberFlags.NAME),
                MemberFlags.readUrls(values, dataDir),
                AuthFlags.read(values),
                LimitFlags.read(values),
                new Upkeep(
                        RetentionFlags.read(values),
                        FeatureGates.read(values).isOpen(FeatureGates.LEASE_CHECKPOINT),
                        values.get(RetentionFlags.TTL_RULES),
                        values.get(RetentionFlags.WARM_UP)),
                LogFlags.read(values),
                ClusterFlags.storage(values, dataDir),
                ClusterFlags.cluster(values, dataDir),
                StandbyFlags.read(values));
    }

    private static List<String> notes(FlagValues values) {
        List<String> notes = new ArrayList<>();
        List<String> idle = new ArrayList<>();
        for (Flag flag : Flags.ALL) {
            if (flag.effect() == Effect.NONE && values.isSet(flag.option())) {
                idle.add(flag.option().flag());
            }
        }
        idle.addAll(values.former());
        idle.addAll(ClusterFlags.withoutEffect(values));
        FeatureGates.read(values).withoutEffect().forEach(gate -> idle.add("feature gate " + gate));
        if (!idle.isEmpty()) {
            notes.add("accepted without effect: " + String.join(", ", idle));
        }
        notes.addAll(values.notes());
        notes.addAll(AuthFlags.notes(values));
        Stream.of(MemberFlags.hostNote(values), MemberFlags.dataDirNote(values))
                .filter(Objects::nonNull)
                .forEach(notes::add);
        return notes;
    }

    private static List<String> warnings(FlagValues values, BrainConfig config) {
        List<String> warnings = new ArrayList<>(TlsFlags.CLIENTS.warnings(values));
        warnings.addAll(MemberFlags.warnings(values, config.urls().tls()));
        warnings.addAll(TlsFlags.PEERS.warnings(values));
        warnings.addAll(ClusterFlags.warnings(values, config.cluster().tls()));
        return warnings;
    }
}
