package io.brain.admin.ctl;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** {@code brain ctl}: queries a running server, or checks the store of a stopped one. */
public final class CtlCommand {
    /** The first word of the command line. */
    public static final String NAME = "ctl";

    /** The command failed, or the store is damaged. */
    static final int FAILED = 1;

    /** The command line is invalid. */
    static final int USAGE = 2;

    /** The server is unreachable. */
    static final int UNREACHABLE = 3;

    private static final int OK = 0;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** Checks a store; implemented outside this package. */
    @FunctionalInterface
    public interface Check {
        /**
         * Checks the store that a server's flags select.
         *
         * @return 0: intact, 1: damaged or not checked, 2: invalid flags
         */
        int run(List<String> flags);
    }

    /** Loads TLS identity and trust from PEM files; implemented outside this package. */
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
    private final PrintStream err;
    private final Check check;
    private final Certificates certificates;

    /**
     * Creates the command.
     *
     * @param out for results
     * @param err for errors and usage
     */
    public CtlCommand(PrintStream out, PrintStream err, Check check, Certificates certificates) {
        this.out = out;
        this.err = err;
        this.check = check;
        this.certificates = certificates;
    }

    /** Runs the subcommand given by the arguments after {@code ctl}; returns the exit code. */
    public int run(List<String> args) {
        if (!args.isEmpty() && args.get(0).equals(CtlSpec.CHECK)) {
            List<String> flags = args.subList(1, args.size());
            if (!flags.contains("--help") && !flags.contains("-h")) {
                return check.run(flags);
            }
        }
        CommandLine line = CtlSpec.commandLine();
        CommandLine ctl = line.getSubcommands().get(NAME);
        try {
            List<String> all = new ArrayList<>(args);
            all.add(0, NAME);
            ParseResult result = line.parseArgs(all.toArray(String[]::new)).subcommand();
            ParseResult sub = result.hasSubcommand() ? result.subcommand() : null;
            if (result.isUsageHelpRequested() || (sub != null && sub.isUsageHelpRequested())) {
                CommandLine selected = sub == null ? ctl : sub.commandSpec().commandLine();
                out.print(selected.getUsageMessage());
                return OK;
            }
            if (sub == null) {
                throw new ParameterException(ctl, "missing subcommand");
            }
            return run(sub, line);
        } catch (ParameterException wrong) {
            err.println(wrong.getMessage());
            err.print(wrong.getCommandLine().getUsageMessage());
            return USAGE;
        } catch (CtlException failure) {
            err.println(failure.getMessage());
            return failure.code();
        }
    }

    private int run(ParseResult sub, CommandLine root) throws CtlException {
        String name = sub.commandSpec().name();
        if (name.equals(CtlSpec.COMPLETION)) {
            out.print(AutoComplete.bash("brain", root));
            return OK;
        }
        String endpoint = sub.matchedOptionValue(CtlSpec.ENDPOINT, CtlSpec.ENDPOINT_DEFAULT);
        AdminClient client = new AdminClient(url(endpoint, sub), TIMEOUT, tls(sub));
        JsonObject answer = client.get(name);
        if (sub.matchedOptionValue(CtlSpec.OUTPUT, CtlSpec.Format.table) == CtlSpec.Format.json) {
            out.println(
                    new GsonBuilder().setPrettyPrinting().serializeNulls().create().toJson(answer));
            return OK;
        }
        try {
            out.print(Tables.BY_NAME.get(name).apply(answer));
        } catch (NullPointerException | IllegalStateException | ClassCastException strange) {
            throw new CtlException(
                    FAILED,
                    "unexpected response from "
                            + endpoint
                            + ", possibly another version: use -o json");
        }
        return OK;
    }

    private static URI url(String endpoint, ParseResult sub) {
        String text = endpoint.contains("://") ? endpoint : "http://" + endpoint;
        try {
            URI url = URI.create(text);
            boolean known = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
            boolean file = SocketFile.SCHEME.equals(url.getScheme());
            if ((known && url.getHost() != null) || (file && !SocketFile.of(url).isEmpty())) {
                return url;
            }
        } catch (IllegalArgumentException malformed) {
            // handled below
        }
        throw new ParameterException(
                sub.commandSpec().commandLine(),
                CtlSpec.ENDPOINT + " is not an http, https or unix URL: " + endpoint);
    }

    private SSLContext tls(ParseResult sub) throws CtlException {
        String trusted = sub.matchedOptionValue(CtlSpec.CACERT, null);
        String certificate = sub.matchedOptionValue(CtlSpec.CERT, null);
        String key = sub.matchedOptionValue(CtlSpec.KEY, null);
        if ((certificate == null) != (key == null)) {
            throw new ParameterException(
                    sub.commandSpec().commandLine(), "--cert and --key must be set together");
        }
        if (trusted == null && certificate == null) {
            return null;
        }
        try {
            return certificates.load(path(trusted), path(certificate), path(key));
        } catch (GeneralSecurityException | IOException unusable) {
            throw new CtlException(FAILED, "cannot load certificates: " + unusable.getMessage());
        }
    }

    private static Path path(String text) {
        return text == null ? null : Path.of(text);
    }
}
