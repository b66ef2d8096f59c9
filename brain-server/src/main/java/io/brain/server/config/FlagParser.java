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
 * Reads the command line, the environment and the file that they name into one value per flag. A
 * flag on the command line wins over its variable; as in etcd, a file is all there is if there is
 * one, but Brain's own flags and variables win over it, since a file of etcd's cannot have them.
 * {@code --flag value}, {@code --flag=value} and Go's {@code -flag} all work; the last of a
 * repeated flag counts.
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
        Map<String, Given> typed = new LinkedHashMap<>();
        Map<String, Given> exported = new LinkedHashMap<>();
        for (Flag flag : Flags.ALL) {
            if (result.hasMatchedOption(flag.option())) {
                List<String> texts = result.matchedOption(flag.option()).stringValues();
                typed.put(flag.name(), Given.flag(flag, texts));
            }
            String text = environment.getOrDefault(flag.variable(), "");
            if (!text.isEmpty()) {
                boolean many = flag.kind() == Kind.PAIRS;
                List<String> texts = many ? List.of(text.split(",")) : List.of(text);
                exported.put(flag.name(), Given.variable(flag, texts));
            }
        }
        List<String> notes = unrecognized(environment);
        Map<String, Given> both = new LinkedHashMap<>(exported);
        both.putAll(typed);
        Given file = both.get(Flags.CONFIG_FILE);
        if (file == null || file.last().isEmpty()) {
            typed.keySet().retainAll(exported.keySet());
            typed.keySet().forEach(name -> notes.add(0, shadowed(name)));
            return new FlagValues(both, null, List.of(), notes, null);
        }
        new FlagValues(typed, null, List.of(), notes, null).checkForms();
        return withFile(file.last(), both, notes);
    }

    private static FlagValues withFile(String path, Map<String, Given> both, List<String> notes) {
        ConfigFile file = ConfigFile.read(path);
        Map<String, Given> given = new LinkedHashMap<>(file.given());
        List<String> ignored = new ArrayList<>();
        both.forEach(
                (name, value) -> {
                    if (Flags.find(name).effect() == Effect.BRAIN) {
                        given.put(name, value);
                    } else if (!name.equals(Flags.CONFIG_FILE)) {
                        ignored.add(value.where());
                    }
                });
        if (!ignored.isEmpty()) {
            notes.add(0, "settings come from " + path + "; ignored: " + String.join(", ", ignored));
        }
        return new FlagValues(given, path, file.former(), notes, null);
    }

    private static String shadowed(String name) {
        String variable = Flags.find(name).variable();
        return "environment variable " + variable + " is overruled by its flag";
    }

    private static List<String> unrecognized(Map<String, String> environment) {
        TreeSet<String> unknown = new TreeSet<>(environment.keySet());
        unknown.removeIf(name -> !name.startsWith("ETCD_") && !name.startsWith("BRAIN_"));
        Flags.ALL.forEach(flag -> unknown.remove(flag.variable()));
        unknown.remove("BRAIN_JAVA_OPTS");
        List<String> known = Flags.ALL.stream().map(Flag::variable).toList();
        List<String> notes = new ArrayList<>();
        for (String name : unknown) {
            notes.add("unrecognized environment variable " + name + Nearest.hint(name, known, ""));
        }
        return notes;
    }

    private static ConfigException unmatched(String argument) {
        if (!argument.startsWith("-")) {
            return ConfigException.value('"' + argument + "\" is not a valid flag");
        }
        String name = argument.replaceFirst("^--?", "").replaceFirst("=.*$", "");
        List<String> known = Flags.ALL.stream().map(Flag::name).toList();
        return ConfigException.usage(
                "flag provided but not defined: -" + name + Nearest.hint(name, known, "--"));
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
