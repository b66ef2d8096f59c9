package io.brain.server.command;

import io.brain.options.Endpoints;
import io.brain.server.config.ConfigException;
import io.brain.server.etcd.ClusterClient;
import io.brain.server.tls.ClientIdentity;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.TypeConversionException;

/** Options that say how to reach a running server; named as those of etcdctl. */
final class EndpointOptions {
    static final String HELP =
            """
              --endpoints URL[,URL...]  client URLs of a running cluster; the first that can be
                                        reached is called
              --cacert FILE             CA bundle that verifies servers, PEM
              --cert FILE, --key FILE   certificate and private key for servers, PEM
              --user NAME, --password-file FILE
                                        a user with the role root, and a file with the password
            """;

    /** Of a command that follows one cluster, by {@code --from}. */
    static final String FROM_HELP =
            """
              --from URL[,URL...]       client URLs of the cluster; the first that can be reached is
                                        called
              --from-cacert FILE        CA bundle that verifies its servers, PEM
              --from-cert FILE, --from-key FILE
                                        certificate and private key for its servers, PEM
            """;

    /** Of a command that calls two clusters, by {@code --from} and {@code --to}. */
    static final String PAIR_HELP =
            """
              --from URL[,URL...], --to URL[,URL...]
                                        client URLs of each cluster; the first that can be reached
                                        is called
              --from-cacert FILE        CA bundle that verifies the servers, PEM; also --to-cacert,
                                        and so on
              --from-cert FILE, --from-key FILE
                                        certificate and private key for the servers, PEM
              --from-user NAME, --from-password-file FILE
                                        a user with the role root, and a file with the password
            """;

    private final String name;
    private final OptionSpec endpoints;
    private final OptionSpec trusted;
    private final OptionSpec certificate;
    private final OptionSpec key;
    private final OptionSpec user;
    private final OptionSpec passwordFile;

    private EndpointOptions(String name, String prefix) {
        this.name = name;
        endpoints =
                Parameters.option(name, Endpoints.class)
                        .converters(EndpointOptions::servers)
                        .build();
        trusted = Parameters.option(prefix + "cacert", Path.class).build();
        certificate = Parameters.option(prefix + "cert", Path.class).build();
        key = Parameters.option(prefix + "key", Path.class).build();
        user = Parameters.option(prefix + "user", String.class).build();
        passwordFile = Parameters.option(prefix + "password-file", Path.class).build();
    }

    /** Adds all to a command. */
    EndpointOptions(CommandSpec spec) {
        this("--endpoints", "--");
        addTls(spec);
        addUser(spec);
        spec.addOption(endpoints);
    }

    /**
     * Options of one cluster of two.
     *
     * @param name that all begin with
     */
    static EndpointOptions named(CommandSpec spec, String name) {
        EndpointOptions options = withoutUser(spec, name);
        options.addUser(spec);
        return options;
    }

    /** The same for calls without a user. */
    static EndpointOptions withoutUser(CommandSpec spec, String name) {
        EndpointOptions options = new EndpointOptions("--" + name, "--" + name + "-");
        options.addTls(spec);
        spec.addOption(options.endpoints);
        return options;
    }

    /** Options of a command whose servers are not named by {@code --endpoints}. */
    static EndpointOptions withoutServers(CommandSpec spec) {
        EndpointOptions options = new EndpointOptions("--endpoints", "--");
        options.addTls(spec);
        options.addUser(spec);
        return options;
    }

    private void addUser(CommandSpec spec) {
        spec.addOption(user).addOption(passwordFile);
    }

    private void addTls(CommandSpec spec) {
        spec.addOption(trusted).addOption(certificate).addOption(key);
    }

    /** The servers; null if none were given. */
    Endpoints servers() {
        return endpoints.getValue();
    }

    /**
     * Checks the options, if at most {@link #servers} is to be called.
     *
     * @throws ConfigException if they contradict each other
     */
    void check() {
        boolean secure = servers() != null && servers().isSecure();
        checkPair();
        if (user.getValue() != null && servers() == null) {
            throw ConfigException.usage("--user needs --endpoints");
        }
        if ((trusted.getValue() != null || key.getValue() != null) && !secure) {
            throw ConfigException.usage(
                    "--cacert, --cert and --key need --endpoints with an https URL");
        }
    }

    private void checkPair() {
        requireBoth(certificate, key);
        requireBoth(user, passwordFile);
    }

    private static void requireBoth(OptionSpec first, OptionSpec second) {
        if ((first.getValue() == null) != (second.getValue() == null)) {
            String a = first.longestName();
            String b = second.longestName();
            throw ConfigException.usage("%s needs %s, and %s %s".formatted(a, b, b, a));
        }
    }

    /**
     * A client of {@link #servers}.
     *
     * @throws ConfigException if there is none
     */
    ClusterClient open() throws IOException, GeneralSecurityException {
        if (servers() == null) {
            throw ConfigException.usage(name + " is missing");
        }
        return open(servers());
    }

    /** A client of a cluster. */
    ClusterClient open(Endpoints cluster) throws IOException, GeneralSecurityException {
        checkPair();
        return new ClusterClient(
                cluster,
                new ClusterClient.Tls(trusted.getValue(), certificate.getValue(), key.getValue()),
                ClusterClient.Login.read(user.getValue(), passwordFile.getValue()));
    }

    /** A client of the servers' HTTP pages. */
    HttpClient http() throws IOException, GeneralSecurityException {
        HttpClient.Builder client = HttpClient.newBuilder();
        if (servers().isSecure()) {
            client.sslContext(
                    ClientIdentity.context(
                            trusted.getValue(), certificate.getValue(), key.getValue()));
        }
        return client.build();
    }

    /** The flags of a server that follows the servers. */
    List<String> standbyFlags() {
        List<String> flags = new ArrayList<>(List.of("--standby-of=" + servers()));
        List<OptionSpec> files = List.of(trusted, certificate, key);
        for (OptionSpec file : files) {
            if (file.getValue() != null) {
                String end = file.longestName().substring(name.length());
                flags.add("--standby" + end + "=" + file.getValue());
            }
        }
        return flags;
    }

    /**
     * Reads URLs, separated by commas.
     *
     * @throws TypeConversionException if they are none
     */
    static Endpoints servers(String text) {
        try {
            return Endpoints.parse(text);
        } catch (IllegalArgumentException malformed) {
            throw new TypeConversionException(malformed.getMessage());
        }
    }
}
