package io.brain.server.config;

import io.brain.server.config.Flag.Effect;
import io.brain.server.config.Flag.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Reads the command line and the environment into one value per flag. A flag on the command line
 * wins over its variable; {@code --flag value}, {@code --flag=value} and Go's {@code -flag} all
 * work; the last of a repeated flag counts.
 */
final class FlagParser {
    private static final String HELP = "help";
    private static final String VERSION = "version";

    private final CommandLine commandLine;

    FlagParser() {
        CommandSpec spec = CommandSpec.create().name("brain");
        for (Flag flag : Flags.ALL) {
            spec.addOption(option(flag));
        }
        spec.addOption(OptionSpec.builder("--" + HELP, "-" + HELP, "-h").usageHelp(true).build());
        spec.addOption(OptionSpec.builder("--" + VERSION, "-" + VERSION).versionHelp(true).build());
        commandLine =
                new CommandLine(spec)
                        .setOverwrittenOptionsAllowed(true)
                        .setPosixClusteredShortOptionsAllowed(false)
                        .setTrimQuotes(false);
    }

    /**
     * The flags that were given.
     *
     * @param environment of the process
     * @throws ConfigException if the command line is wrong
     */
    FlagValues parse(List<String> args, Map<String, String> environment) {
        ParseResult result;
        try {
            result = commandLine.parseArgs(args.toArray(String[]::new));
        } catch (UnmatchedArgumentException unknown) {
            throw unmatched(unknown.getUnmatched().get(0));
        } catch (MissingParameterException missing) {
            throw ConfigException.usage(
                    "flag needs an argument: " + missing.getMissing().get(0).paramLabel());
        } catch (ParameterException malformed) {
            throw ConfigException.usage(malformed.getMessage());
        }
        if (result.isUsageHelpRequested() || result.isVersionHelpRequested()) {
            return FlagValues.asking(result.isUsageHelpRequested());
        }
        Map<String, List<String>> given = new LinkedHashMap<>();
        List<String> shadowed = new ArrayList<>();
        for (Flag flag : Flags.ALL) {
            String variable = environment.getOrDefault(flag.variable(), "");
            if (result.hasMatchedOption(flag.option())) {
                given.put(flag.name(), result.matchedOption(flag.option()).stringValues());
                if (!variable.isEmpty()) {
                    shadowed.add(flag.variable());
                }
            } else if (!variable.isEmpty()) {
                boolean many = flag.kind() == Kind.PAIRS;
                given.put(flag.name(), many ? List.of(variable.split(",")) : List.of(variable));
            }
        }
        return new FlagValues(given, shadowed, unrecognized(environment), null);
    }

    private static List<String> unrecognized(Map<String, String> environment) {
        TreeSet<String> unknown = new TreeSet<>(environment.keySet());
        unknown.removeIf(name -> !name.startsWith("ETCD_") && !name.startsWith("BRAIN_"));
        Flags.ALL.forEach(flag -> unknown.remove(flag.variable()));
        unknown.remove("BRAIN_JAVA_OPTS");
        return List.copyOf(unknown);
    }

    private static ConfigException unmatched(String argument) {
        if (!argument.startsWith("-")) {
            return ConfigException.value('"' + argument + "\" is not a valid flag");
        }
        String name = argument.replaceFirst("^--?", "").replaceFirst("=.*$", "");
        return ConfigException.usage("flag provided but not defined: -" + name);
    }

    private static OptionSpec option(Flag flag) {
        OptionSpec.Builder option =
                OptionSpec.builder(flag.option(), "-" + flag.name())
                        .paramLabel("-" + flag.name())
                        .type(flag.kind() == Kind.PAIRS ? List.class : String.class)
                        .auxiliaryTypes(String.class);
        if (flag.kind() == Kind.BOOLEAN) {
            option.arity("0..1").fallbackValue("true");
        } else {
            option.arity("1");
        }
        return option.hidden(flag.effect() != Effect.ETCD && flag.effect() != Effect.BRAIN).build();
    }
}
