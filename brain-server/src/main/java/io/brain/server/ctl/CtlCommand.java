package io.brain.server.ctl;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import io.brain.server.tls.ClientIdentity;
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

/** {@code brain ctl}: asks a server that runs, or reads the store of one that does not. */
public final class CtlCommand {
    /** The first word of the command line. */
    public static final String NAME = "ctl";

    /** It could not be done, or something is damaged. */
    static final int FAILED = 1;

    /** The command line makes no sense. */
    static final int USAGE = 2;

    /** There is no server. */
    static final int UNREACHABLE = 3;

    private static final int FINE = 0;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** The check of a store, which is not this package's. */
    @FunctionalInterface
    public interface Check {
        /**
         * Checks the store that the flags of a server name.
         *
         * @return 0: sound, 1: damaged or not checked, 2: the flags make no sense
         */
        int run(List<String> flags);
    }

    private final PrintStream out;
    private final PrintStream err;
    private final Check check;

    /**
     * The command.
     *
     * @param out for what was asked for
     * @param err for why it was not had
     */
    public CtlCommand(PrintStream out, PrintStream err, Check check) {
        this.out = out;
        this.err = err;
        this.check = check;
    }

    /** Does what the words behind {@code ctl} say; answers the exit code. */
    public int run(List<String> words) {
        if (!words.isEmpty() && words.get(0).equals(CtlSpec.CHECK)) {
            List<String> flags = words.subList(1, words.size());
            if (!flags.contains("--help") && !flags.contains("-h")) {
                return check.run(flags);
            }
        }
        CommandLine line = CtlSpec.commandLine();
        CommandLine ctl = line.getSubcommands().get(NAME);
        try {
            List<String> all = new ArrayList<>(words);
            all.add(0, NAME);
            ParseResult result = line.parseArgs(all.toArray(String[]::new)).subcommand();
            ParseResult sub = result.hasSubcommand() ? result.subcommand() : null;
            if (result.isUsageHelpRequested() || (sub != null && sub.isUsageHelpRequested())) {
                CommandLine asked = sub == null ? ctl : sub.commandSpec().commandLine();
                out.print(asked.getUsageMessage());
                return FINE;
            }
            if (sub == null) {
                throw new ParameterException(ctl, "brain ctl: what?");
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

    private int run(ParseResult sub, CommandLine whole) throws CtlException {
        String name = sub.commandSpec().name();
        if (name.equals(CtlSpec.COMPLETION)) {
            out.print(AutoComplete.bash("brain", whole));
            return FINE;
        }
        String endpoint = sub.matchedOptionValue(CtlSpec.ENDPOINT, CtlSpec.ENDPOINT_DEFAULT);
        FactClient client = new FactClient(url(endpoint, sub), PATIENCE, tls(sub));
        JsonObject fact = client.ask(name);
        if (sub.matchedOptionValue(CtlSpec.OUTPUT, CtlSpec.Form.table) == CtlSpec.Form.json) {
            out.println(
                    new GsonBuilder().setPrettyPrinting().serializeNulls().create().toJson(fact));
            return FINE;
        }
        try {
            out.print(Tables.BY_FACT.get(name).apply(fact));
        } catch (NullPointerException | IllegalStateException | ClassCastException strange) {
            throw new CtlException(
                    FAILED, endpoint + " tells something else than this version knows: -o json");
        }
        return FINE;
    }

    private static URI url(String endpoint, ParseResult sub) {
        String whole = endpoint.contains("://") ? endpoint : "http://" + endpoint;
        try {
            URI url = URI.create(whole);
            boolean known = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
            boolean file = SocketFile.SCHEME.equals(url.getScheme());
            if ((known && url.getHost() != null) || (file && !SocketFile.of(url).isEmpty())) {
                return url;
            }
        } catch (IllegalArgumentException malformed) {
            // said below
        }
        throw new ParameterException(
                sub.commandSpec().commandLine(),
                CtlSpec.ENDPOINT + " is no http, https or unix URL: " + endpoint);
    }

    private static SSLContext tls(ParseResult sub) throws CtlException {
        String trusted = sub.matchedOptionValue(CtlSpec.CACERT, null);
        String certificate = sub.matchedOptionValue(CtlSpec.CERT, null);
        String key = sub.matchedOptionValue(CtlSpec.KEY, null);
        if ((certificate == null) != (key == null)) {
            throw new ParameterException(
                    sub.commandSpec().commandLine(), "--cert and --key belong together");
        }
        if (trusted == null && certificate == null) {
            return null;
        }
        try {
            return ClientIdentity.context(path(trusted), path(certificate), path(key));
        } catch (GeneralSecurityException | IOException unusable) {
            throw new CtlException(FAILED, "certificates cannot be used: " + unusable.getMessage());
        }
    }

    private static Path path(String text) {
        return text == null ? null : Path.of(text);
    }
}
