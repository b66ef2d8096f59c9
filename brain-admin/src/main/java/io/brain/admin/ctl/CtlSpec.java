package io.brain.admin.ctl;

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

    private static final Map<String, String> QUERIES =
            new TreeMap<>(
                    Map.of(
                            "status", "Identity of the server, leader, members, revision, alarms.",
                            "stages", "Latency of reads and of the stages of a write.",
                            "prefixes", "Prefixes with the most keys, bytes, changes and watchers.",
                            "watchers", "Most watched keys, and slow watchers.",
                            "leases", "Number of leases, and the next to expire.",
                            "compaction", "Compact revision, progress, and recent compactions."));

    private CtlSpec() {}

    /** {@code brain} with {@code ctl} and its subcommands. */
    static CommandLine commandLine() {
        CommandSpec ctl = CommandSpec.create().name(CtlCommand.NAME);
        ctl.usageMessage()
                .customSynopsis("brain ctl COMMAND [options]")
                .description("Queries a running server for details that etcdctl does not show.")
                .exitCodeListHeading(CODES)
                .exitCodeList(
                        new TreeMap<>(
                                Map.of(
                                        "0",
                                        "success; nothing is damaged",
                                        "1",
                                        "failure, or something is damaged",
                                        "2",
                                        "invalid command line",
                                        "3",
                                        "server unreachable")));
        ctl.addOption(help());
        QUERIES.forEach((name, description) -> ctl.addSubcommand(name, query(name, description)));
        ctl.addSubcommand(CHECK, check());
        ctl.addSubcommand(COMPLETION, completion());
        CommandSpec brain = CommandSpec.create().name("brain");
        brain.addSubcommand(CtlCommand.NAME, ctl);
        return new CommandLine(brain);
    }

    private static CommandSpec query(String name, String description) {
        CommandSpec query = CommandSpec.create().name(name);
        query.usageMessage().description(description);
        query.addOption(
                text(
                        "URL",
                        "A URL of the server's --listen-metrics-urls (default "
                                + ENDPOINT_DEFAULT
                                + ").",
                        ENDPOINT));
        query.addOption(
                OptionSpec.builder("-o", OUTPUT)
                        .paramLabel("FORMAT")
                        .type(Format.class)
                        .description("table or json (default table).")
                        .build());
        query.addOption(
                text("FILE", "CA bundle that verifies the server certificate, PEM.", CACERT));
        query.addOption(text("FILE", "Client certificate, PEM.", CERT));
        query.addOption(text("FILE", "Private key of the client certificate, PEM.", KEY));
        return query.addOption(help());
    }

    private static CommandSpec check() {
        CommandSpec check = CommandSpec.create().name(CHECK);
        check.usageMessage()
                .description(
                        "Reads the whole store of a stopped server and prints each damaged record,"
                                + " like brain check, with a progress bar on a terminal. Takes the"
                                + " server's flags (brain --help).")
                .exitCodeListHeading(CODES)
                .exitCodeList(
                        new TreeMap<>(
                                Map.of(
                                        "0",
                                        "nothing is damaged",
                                        "1",
                                        "something is damaged, or the check failed",
                                        "2",
                                        "invalid command line")));
        check.addOption(text("DIR", "Data directory of the server.", "--data-dir"));
        return check.addOption(help());
    }

    private static CommandSpec completion() {
        CommandSpec completion = CommandSpec.create().name(COMPLETION);
        completion
                .usageMessage()
                .description("Prints a shell completion script: . <(brain ctl completion bash)");
        completion.addPositional(
                PositionalParamSpec.builder()
                        .paramLabel("SHELL")
                        .type(Shell.class)
                        .arity("1")
                        .description("bash or zsh; both get the same script.")
                        .build());
        return completion.addOption(help());
    }

    /** Supported shells. */
    enum Shell {
        bash,
        zsh
    }

    /** Output formats. */
    enum Format {
        table,
        json
    }

    private static OptionSpec help() {
        return OptionSpec.builder("-h", "--help")
                .usageHelp(true)
                .description("Show this text.")
                .build();
    }

    private static OptionSpec text(String label, String description, String name) {
        return OptionSpec.builder(name)
                .paramLabel(label)
                .type(String.class)
                .description(description)
                .build();
    }
}
