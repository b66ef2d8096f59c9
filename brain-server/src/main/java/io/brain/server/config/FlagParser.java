package io.brain.server.config;

import io.brain.options.Option.Kind;
import io.brain.options.SpellingHint;
import io.brain.server.config.Flag.Effect;
import io.brain.server.config.Flag.Source;
import java.util.ArrayList;
import java.util.Iterator;
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
 * Reads the command line, the environment and the configuration file into one value per flag. A
 * flag overrides its variable. As in etcd, a file replaces all flags and variables, except that
 * Brain's own override the file. {@code --flag value}, {@code --flag=value} and Go's {@code -flag}
 * are equivalent, but a boolean needs the "="; the last of a repeated flag counts.
 */
final class FlagParser {
    private static final String HELP = "help";
    private static final String VERSION = "version";
    private static final List<String> COMMANDS =
            List.of(
                    "check", "export", "import", "backup", "restore", "verify", "try", "migrate",
                    "place", "ctl");

    private final CommandLine commandLine;

    /** Parses the flags of the server. */
    FlagParser() {
        this(CommandSpec.create().name("brain"));
    }

    /** Parses a tool's own options and parameters, and the flags of the server. */
    FlagParser(CommandSpec spec) {
        for (Flag flag : Flags.ALL) {
            spec.addOption(option(flag));
        }
        spec.addOption(OptionSpec.builder("--" + HELP, "-" + HELP, "-h").usageHelp(true).build());
        spec.addOption(OptionSpec.builder("--" + VERSION, "-" + VERSION).versionHelp(true).build());
        commandLine =
                new CommandLine(spec)
                        .setOverwrittenOptionsAllowed(true)
                        .setAllowOptionsAsOptionParameters(true)
                        .setPosixClusteredShortOptionsAllowed(false)
                        .setTrimQuotes(false);
    }

    /**
     * Parses the command line.
     *
     * @param environment of the process
     * @throws ConfigException if the command line is invalid
     */
    FlagValues parse(List<String> args, Map<String, String> environment) {
        ParseResult result;
        try {
            result = commandLine.parseArgs(joined(args));
        } catch (UnmatchedArgumentException unknown) {
            throw unmatched(unknown.getUnmatched().get(0), commandLine.getCommandSpec());
        } catch (MissingParameterException missing) {
            throw ConfigException.usage(
                    "flag needs an argument: " + missing.getMissing().get(0).paramLabel());
        } catch (ParameterException malformed) {
            throw ConfigException.usage(malformed.getMessage());
        }
        if (isSet(result, HELP) || isSet(result, VERSION)) {
            return FlagValues.asking(isSet(result, HELP));
        }
        Map<String, Source> typed = new LinkedHashMap<>();
        Map<String, Source> exported = new LinkedHashMap<>();
        for (Flag flag : Flags.ALL) {
            if (result.hasMatchedOption(flag.option().flag())) {
                List<String> texts = result.matchedOption(flag.option().flag()).stringValues();
                typed.put(flag.name(), Source.flag(flag, texts));
            }
            String text = environment.getOrDefault(flag.variable(), "");
            if (!text.isEmpty()) {
                boolean many = flag.option().kind() == Kind.PAIRS;
                List<String> texts = many ? List.of(text.split(",")) : List.of(text);
                exported.put(flag.name(), Source.variable(flag, texts));
            }
        }
        List<String> notes = unrecognized(environment);
        Map<String, Source> both = new LinkedHashMap<>(exported);
        both.putAll(typed);
        Source file = both.get(Flags.CONFIG_FILE.name());
        if (file == null || file.last().isEmpty()) {
            typed.keySet().retainAll(exported.keySet());
            typed.keySet().forEach(name -> notes.add(0, shadowed(name)));
            return new FlagValues(both, null, List.of(), notes, null);
        }
        checkForms(new FlagValues(typed, null, List.of(), notes, null));
        return withFile(file.last(), both, notes);
    }

    private static boolean isSet(ParseResult result, String name) {
        return result.matchedOptionValue("--" + name, false);
    }

    /**
     * Joins each flag of the server and its value by "=". As in Go, the value of a flag may look
     * like a flag, and a boolean flag takes no separate value.
     */
    private static String[] joined(List<String> args) {
        List<String> joined = new ArrayList<>();
        Iterator<String> rest = args.iterator();
        while (rest.hasNext()) {
            String arg = rest.next();
            Flag flag = flag(arg);
            if (flag != null && flag.option().kind() == Kind.BOOLEAN) {
                joined.add(arg + "=true");
            } else if (flag != null && rest.hasNext()) {
                joined.add(arg + "=" + rest.next());
            } else {
                joined.add(arg);
            }
        }
        return joined.toArray(String[]::new);
    }

    /** The flag that an argument without "=" names; null if none. */
    private static Flag flag(String arg) {
        return Flags.ALL.stream()
                .filter(flag -> arg.equals("--" + flag.name()) || arg.equals("-" + flag.name()))
                .findFirst()
                .orElse(null);
    }

    /** Checks the form of every set value, used or not, as etcd does. */
    static void checkForms(FlagValues values) {
        Flags.ALL.stream().map(Flag::option).filter(values::isSet).forEach(values::checkForm);
    }

    private static FlagValues withFile(String path, Map<String, Source> both, List<String> notes) {
        ConfigFile file = ConfigFile.read(path);
        Map<String, Source> given = new LinkedHashMap<>(file.given());
        List<String> ignored = new ArrayList<>();
        both.forEach(
                (name, value) -> {
                    if (Flags.find(name).effect() == Effect.BRAIN) {
                        given.put(name, value);
                    } else if (!name.equals(Flags.CONFIG_FILE.name())) {
                        ignored.add(value.where());
                    }
                });
        if (!ignored.isEmpty()) {
            notes.add(
                    0,
                    "settings are read from " + path + "; ignored: " + String.join(", ", ignored));
        }
        return new FlagValues(given, path, file.former(), notes, null);
    }

    private static String shadowed(String name) {
        String variable = Flags.find(name).variable();
        return "environment variable " + variable + " is overridden by its flag";
    }

    private static List<String> unrecognized(Map<String, String> environment) {
        TreeSet<String> unknown = new TreeSet<>(environment.keySet());
        unknown.removeIf(name -> !name.startsWith("ETCD_") && !name.startsWith("BRAIN_"));
        Flags.ALL.forEach(flag -> unknown.remove(flag.variable()));
        unknown.remove("BRAIN_JAVA_OPTS");
        unknown.remove("BRAIN_DATABASE_PASSWORD");
        unknown.remove("BRAIN_KINE_PASSWORD");
        List<String> known = Flags.ALL.stream().map(Flag::variable).toList();
        List<String> notes = new ArrayList<>();
        for (String name : unknown) {
            notes.add(
                    "unrecognized environment variable "
                            + name
                            + SpellingHint.hint(name, known, ""));
        }
        return notes;
    }

    private static ConfigException unmatched(String argument, CommandSpec spec) {
        if (!argument.startsWith("-")) {
            return ConfigException.value(
                    '"' + argument + "\" is not a valid flag" + commandHint(argument));
        }
        String name = argument.replaceFirst("^--?", "").replaceFirst("=.*$", "");
        List<String> known =
                spec.options().stream()
                        .map(option -> option.longestName().replaceFirst("^--?", ""))
                        .toList();
        return ConfigException.usage(
                "flag provided but not defined: -" + name + SpellingHint.hint(name, known, "--"));
    }

    private static String commandHint(String argument) {
        if (COMMANDS.contains(argument)) {
            return "; a command comes first: brain " + argument;
        }
        String meant = SpellingHint.hint(argument, COMMANDS, "brain ");
        return meant.isEmpty() ? "; see brain --help" : meant;
    }

    private static OptionSpec option(Flag flag) {
        Kind kind = flag.option().kind();
        OptionSpec.Builder option =
                OptionSpec.builder(flag.option().flag(), "-" + flag.name())
                        .paramLabel("-" + flag.name())
                        .type(kind == Kind.PAIRS ? List.class : String.class)
                        .auxiliaryTypes(String.class);
        return option.arity("1").hidden(!flag.hasEffect()).build();
    }
}
