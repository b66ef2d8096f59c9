package io.brain.server.ctl;

import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The commands and their options. */
final class CtlSpec {
    static final String CHECK = "check";
    static final String COMPLETION = "completion";
    static final String ENDPOINT = "--endpoint";
    static final String ENDPOINT_DEFAULT = "http://127.0.0.1:2381";
    static final String OUTPUT = "--output";
    static final String CACERT = "--cacert";
    static final String CERT = "--cert";
    static final String KEY = "--key";

    private static final String CODES = "%nExit codes%n";

    private static final Map<String, String> FACTS =
            new TreeMap<>(
                    Map.of(
                            "status", "Who the server is, who leads, members, revision, alarms.",
                            "stages", "How long the stages of a write, and reads, take.",
                            "prefixes", "Prefixes with most keys, bytes, changes and watchers.",
                            "watchers", "Who watches what, and who is slow.",
                            "leases", "How many there are, and which end next.",
                            "compaction", "How far history is gone, and the last compactions."));

    private CtlSpec() {}

    /** {@code brain} with {@code ctl} and all that belongs to it. */
    static CommandLine commandLine() {
        CommandSpec ctl = CommandSpec.create().name(CtlCommand.NAME);
        ctl.usageMessage()
                .customSynopsis("brain ctl COMMAND [options]")
                .description("Asks a server that runs what etcdctl cannot.")
                .exitCodeListHeading(CODES)
                .exitCodeList(
                        new TreeMap<>(
                                Map.of(
                                        "0", "done, and nothing is damaged",
                                        "1", "it failed, or something is damaged",
                                        "2", "the command line makes no sense",
                                        "3", "no server is there")));
        ctl.addOption(help());
        FACTS.forEach((name, about) -> ctl.addSubcommand(name, fact(name, about)));
        ctl.addSubcommand(CHECK, check());
        ctl.addSubcommand(COMPLETION, completion());
        CommandSpec brain = CommandSpec.create().name("brain");
        brain.addSubcommand(CtlCommand.NAME, ctl);
        return new CommandLine(brain);
    }

    private static CommandSpec fact(String name, String about) {
        CommandSpec fact = CommandSpec.create().name(name);
        fact.usageMessage().description(about);
        fact.addOption(
                text(
                        "URL",
                        "A URL of the server's --listen-metrics-urls (default "
                                + ENDPOINT_DEFAULT
                                + ").",
                        ENDPOINT));
        fact.addOption(
                OptionSpec.builder("-o", OUTPUT)
                        .paramLabel("FORM")
                        .type(Form.class)
                        .description("table or json (default table).")
                        .build());
        fact.addOption(text("FILE", "Authorities that vouch for the server, PEM.", CACERT));
        fact.addOption(text("FILE", "Certificate to show to the server, PEM.", CERT));
        fact.addOption(text("FILE", "Its private key.", KEY));
        return fact.addOption(help());
    }

    private static CommandSpec check() {
        CommandSpec check = CommandSpec.create().name(CHECK);
        check.usageMessage()
                .description(
                        "Reads everything in the store of a stopped server and names what is"
                                + " damaged: brain check, with how far it is on a terminal. Takes"
                                + " the server's flags (brain --help).")
                .exitCodeListHeading(CODES)
                .exitCodeList(
                        new TreeMap<>(
                                Map.of(
                                        "0", "nothing is damaged",
                                        "1", "something is damaged, or it could not be checked",
                                        "2", "the command line makes no sense")));
        check.addOption(text("DIR", "Where the server's data is.", "--data-dir"));
        return check.addOption(help());
    }

    private static CommandSpec completion() {
        CommandSpec completion = CommandSpec.create().name(COMPLETION);
        completion
                .usageMessage()
                .description(
                        "Prints a script that completes words: . <(brain ctl completion bash)");
        completion.addPositional(
                PositionalParamSpec.builder()
                        .paramLabel("SHELL")
                        .type(Shell.class)
                        .arity("1")
                        .description("bash, which zsh understands, too.")
                        .build());
        return completion.addOption(help());
    }

    /** Shells that a script is there for. */
    enum Shell {
        bash,
        zsh
    }

    /** Of what is printed. */
    enum Form {
        table,
        json
    }

    private static OptionSpec help() {
        return OptionSpec.builder("-h", "--help")
                .usageHelp(true)
                .description("Show this text.")
                .build();
    }

    private static OptionSpec text(String label, String about, String name) {
        return OptionSpec.builder(name)
                .paramLabel(label)
                .type(String.class)
                .description(about)
                .build();
    }
}
