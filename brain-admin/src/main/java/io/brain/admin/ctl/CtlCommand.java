package io.brain.admin.ctl;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import io.brain.admin.ctl.AdminClient.QueryException;
import io.brain.options.HostPort;
import io.brain.options.SpellingHint;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.Callable;
import javax.net.ssl.SSLContext;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** {@code brain ctl}: queries a running server, or checks the store of a stopped one. */
public final class CtlCommand {
    /** The first word of the command line. */
    public static final String NAME = "ctl";

    private static final String CHECK = "check";
    private static final String EXIT_CODES = "%nExit codes%n";
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** Checks a store; implemented by the server. */
    @FunctionalInterface
    public interface Check {
        /**
         * Checks the store that a server's flags select.
         *
         * @return 0: no damage, 1: damaged or not checked, 2: invalid flags
         */
        int run(List<String> flags);
    }

    /** Loads TLS identity and trust from PEM files; implemented by the server. */
    @FunctionalInterface
    public interface Certificates {
        /**
         * Creates a context.
         *
         * @param trusted CA bundle that verifies the server; null: Java's default
         * @param certificate client certificate; null for none
         * @param key its private key; null for none
         */
        SSLContext load(Path trusted, Path certificate, Path key)
                throws GeneralSecurityException, IOException;
    }

    private final PrintStream out;
    private final Check check;
    private final Certificates certificates;
    private final CommandLine brain;

    /**
     * Creates the command.
     *
     * @param out for results
     * @param err for errors and usage
     */
    public CtlCommand(PrintStream out, PrintStream err, Check check, Certificates certificates) {
        this.out = out;
        this.check = check;
        this.certificates = certificates;
        this.brain =
                new CommandLine(CommandSpec.create().name("brain").addSubcommand(NAME, ctl()))
                        .setOut(new PrintWriter(out, true, StandardCharsets.UTF_8))
                        .setErr(new PrintWriter(err, true, StandardCharsets.UTF_8))
                        .setParameterExceptionHandler((invalid, args) -> refuse(invalid));
    }

    /** Runs the subcommand given by the arguments after {@code ctl}; returns the exit code. */
    public int run(List<String> args) {
        boolean help = args.contains("--help") || args.contains("-h");
        if (!args.isEmpty() && args.get(0).equals(CHECK) && !help) {
            return check.run(args.subList(1, args.size())); // the server's flags
        }
        List<String> all = new ArrayList<>(args);
        all.add(0, NAME);
        return brain.execute(all.toArray(String[]::new));
    }

    private CommandSpec ctl() {
        CommandSpec ctl = CommandSpec.create();
        ctl.addOption(
                OptionSpec.builder("-h", "--help")
                        .usageHelp(true)
                        .scopeType(ScopeType.INHERIT)
                        .description("Show this text.")
                        .build());
        ctl.usageMessage()
                .customSynopsis("brain ctl COMMAND [options]")
                .description("Queries a running server for details that etcdctl does not show.")
                .exitCodeListHeading(EXIT_CODES)
                .exitCodeList(
                        UsageMessageSpec.keyValuesMap(
                                "0:success, no damage",
                                "1:failure, or damage found",
                                "2:invalid command line",
                                "3:server unreachable"));
        Tables.QUERIES.forEach((name, query) -> ctl.addSubcommand(name, query(name, query)));
        return ctl.addSubcommand(CHECK, check()).addSubcommand("completion", completion());
    }

    private CommandSpec query(String name, Tables.Query query) {
        OptionSpec endpoint =
                option(
                                URI.class,
                                "URL",
                                "A URL of the server's --listen-metrics-urls",
                                "--endpoint")
                        .converters(CtlCommand::endpoint)
                        .defaultValue("http://127.0.0.1:2381")
                        .build();
        OptionSpec output =
                option(Format.class, "FORMAT", "${COMPLETION-CANDIDATES}", "-o", "--output")
                        .defaultValue(Format.table.name())
                        .build();
        OptionSpec trusted = file("CA bundle that verifies the server", "--cacert").build();
        OptionSpec certificate = file("Client certificate", "--cert").required(true).build();
        OptionSpec key = file("Private key of the certificate", "--key").required(true).build();
        PositionalParamSpec asked =
                PositionalParamSpec.builder()
                        .paramLabel("KEY")
                        .type(String.class)
                        .arity("0..1")
                        .description("A key.")
                        .build();
        Callable<Integer> action =
                () -> {
                    try {
                        SSLContext tls =
                                tls(trusted.getValue(), certificate.getValue(), key.getValue());
                        JsonObject answer =
                                new AdminClient(endpoint.getValue(), TIMEOUT, tls)
                                        .get(name + parameters(asked.getValue()));
                        out.print(
                                output.getValue() == Format.json
                                        ? json(answer)
                                        : table(query, answer));
                        return CommandLine.ExitCode.OK;
                    } catch (QueryException failure) {
                        brain.getErr().println(failure.getMessage());
                        return failure.exitCode();
                    }
                };
        CommandSpec spec =
                CommandSpec.wrapWithoutInspection(action)
                        .addOption(endpoint)
                        .addOption(output)
                        .addOption(trusted)
                        .addArgGroup(
                                ArgGroupSpec.builder()
                                        .exclusive(false)
                                        .multiplicity("0..1") // both or none
                                        .addArg(certificate)
                                        .addArg(key)
                                        .build());
        if (query.takesKey()) {
            spec.addPositional(asked);
        }
        spec.usageMessage().description(query.description()).showDefaultValues(true);
        return spec;
    }

    private static String parameters(String key) {
        byte[] bytes = key == null ? new byte[0] : key.getBytes(StandardCharsets.UTF_8);
        return bytes.length == 0
                ? ""
                : "?key64=" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** For help and completion; {@link #run} passes the flags on. */
    private static CommandSpec check() {
        CommandSpec check = CommandSpec.create();
        check.usageMessage()
                .description(
                        "Reads the whole store of a stopped server and prints each damaged record,"
                                + " like brain check, with a progress bar on a terminal. Takes the"
                                + " server's flags (brain --help).")
                .exitCodeListHeading(EXIT_CODES)
                .exitCodeList(
                        UsageMessageSpec.keyValuesMap(
                                "0:no damage",
                                "1:damage found, or not checked",
                                "2:invalid command line"));
        return check.addOption(
                option(Path.class, "DIR", "Data directory of the server", "--data-dir").build());
    }

    private CommandSpec completion() {
        Callable<Integer> action =
                () -> {
                    out.print(AutoComplete.bash("brain", brain));
                    return CommandLine.ExitCode.OK;
                };
        CommandSpec completion =
                CommandSpec.wrapWithoutInspection(action)
                        .addPositional(
                                PositionalParamSpec.builder()
                                        .paramLabel("SHELL")
                                        .type(Shell.class)
                                        .arity("1")
                                        .description("bash or zsh; both get the same script.")
                                        .build());
        completion
                .usageMessage()
                .description("Prints a shell completion script: . <(brain ctl completion bash)");
        return completion;
    }

    private enum Shell {
        bash,
        zsh
    }

    private enum Format {
        table,
        json
    }

    private static OptionSpec.Builder option(
            Class<?> type, String label, String description, String... names) {
        return OptionSpec.builder(names).type(type).paramLabel(label).description(description);
    }

    private static OptionSpec.Builder file(String description, String name) {
        return option(Path.class, "FILE", description + ", PEM", name);
    }

    private static int refuse(ParameterException invalid) {
        CommandLine command = invalid.getCommandLine();
        command.getErr().println(invalid.getMessage() + hint(invalid));
        command.usage(command.getErr());
        return CommandLine.ExitCode.USAGE;
    }

    private static String hint(ParameterException invalid) {
        if (!(invalid instanceof UnmatchedArgumentException unknown)) {
            return "";
        }
        CommandLine command = invalid.getCommandLine();
        List<String> known = new ArrayList<>(command.getSubcommands().keySet());
        known.addAll(command.getCommandSpec().optionsMap().keySet());
        String name = unknown.getUnmatched().get(0).replaceFirst("=.*$", "");
        return SpellingHint.hint(name, known, "");
    }

    private static URI endpoint(String text) {
        try {
            URI url = URI.create(text.contains("://") ? text : "http://" + text);
            boolean file = UnixSocket.SCHEME.equals(url.getScheme());
            boolean http = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
            if (file ? !UnixSocket.file(url).isEmpty() : http && HostPort.of(url) != null) {
                return url;
            }
        } catch (IllegalArgumentException malformed) {
            // handled below
        }
        throw new TypeConversionException("not an http, https or unix URL: " + text);
    }

    private SSLContext tls(Path trusted, Path certificate, Path key) throws QueryException {
        if (trusted == null && certificate == null) {
            return null;
        }
        try {
            return certificates.load(trusted, certificate, key);
        } catch (GeneralSecurityException | IOException unusable) {
            throw new QueryException("cannot load certificates: " + unusable.getMessage());
        }
    }

    private static String json(JsonObject answer) {
        return new GsonBuilder().setPrettyPrinting().serializeNulls().create().toJson(answer)
                + System.lineSeparator();
    }

    private static String table(Tables.Query query, JsonObject answer) throws QueryException {
        try {
            return query.table().apply(answer);
        } catch (RuntimeException unknown) {
            throw new QueryException(
                    "unexpected response, possibly of another version: use -o json");
        }
    }
}
