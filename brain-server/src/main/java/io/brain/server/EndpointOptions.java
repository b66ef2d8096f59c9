package io.brain.server;

import io.brain.server.config.ConfigException;
import io.brain.server.etcd.ClusterClient;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.TypeConversionException;

/** Options that say how to reach a running server; named as those of etcdctl. */
final class EndpointOptions {
    static final String HELP =
            """
              --endpoints URL           client URL of one running server
              --cacert FILE             CA bundle that verifies servers, PEM
              --cert FILE, --key FILE   certificate and private key for servers, PEM
            """;

    /** Of a command that calls two clusters, by {@code --from} and {@code --to}. */
    static final String PAIR_HELP =
            """
              --from URL, --to URL      a client URL of each cluster
              --from-cacert FILE        CA bundle that verifies the servers, PEM; also --to-cacert,
                                        and so on
              --from-cert FILE, --from-key FILE
                                        certificate and private key for the servers, PEM
              --from-user NAME, --from-password-file FILE
                                        a user with the role root, and a file with the password
            """;

    private final String servers;
    private final OptionSpec endpoints;
    private final OptionSpec trusted;
    private final OptionSpec certificate;
    private final OptionSpec key;
    private final OptionSpec user;
    private final OptionSpec passwordFile;

    private EndpointOptions(String servers, String prefix) {
        this.servers = servers;
        endpoints = Parameters.option(servers, URI.class).converters(EndpointOptions::url).build();
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
        spec.addOption(endpoints);
    }

    /**
     * Options of one cluster of two.
     *
     * @param name that all begin with
     */
    static EndpointOptions named(CommandSpec spec, String name) {
        EndpointOptions options = new EndpointOptions("--" + name, "--" + name + "-");
        options.addTls(spec);
        spec.addOption(options.endpoints).addOption(options.user);
        spec.addOption(options.passwordFile);
        return options;
    }

    /** Options of a command whose servers are not named by {@code --endpoints}. */
    static EndpointOptions tlsOnly(CommandSpec spec) {
        EndpointOptions options = new EndpointOptions("--endpoints", "--");
        options.addTls(spec);
        return options;
    }

    private void addTls(CommandSpec spec) {
        spec.addOption(trusted).addOption(certificate).addOption(key);
    }

    /** The server; null if none was given. */
    URI server() {
        return endpoints.getValue();
    }

    /**
     * Checks the options, if at most {@link #server} is to be called.
     *
     * @throws ConfigException if they contradict each other
     */
    void check() {
        boolean secure = server() != null && server().getScheme().equals("https");
        checkPair();
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
     * A client of {@link #server}.
     *
     * @throws ConfigException if there is none
     */
    ClusterClient open() throws IOException, GeneralSecurityException {
        if (server() == null) {
            throw ConfigException.usage(servers + " is missing");
        }
        return open(server());
    }

    /** A client of a server. */
    ClusterClient open(URI server) throws IOException, GeneralSecurityException {
        checkPair();
        return new ClusterClient(
                server,
                new ClusterClient.Tls(trusted.getValue(), certificate.getValue(), key.getValue()),
                login());
    }

    private ClusterClient.Login login() throws IOException {
        if (user.getValue() == null) {
            return null;
        }
        Path file = passwordFile.getValue();
        return new ClusterClient.Login(user.getValue(), Files.readString(file).strip());
    }

    /**
     * A URL with http or https, host and port; without a scheme it is http.
     *
     * @throws TypeConversionException if it is not one
     */
    static URI url(String text) {
        try {
            URI url = URI.create(text.contains("://") ? text : "http://" + text);
            boolean http = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
            if (http && url.getHost() != null && url.getPort() > 0) {
                return url;
            }
        } catch (IllegalArgumentException malformed) {
            // The same message.
        }
        throw new TypeConversionException("not one http or https URL with a port: " + text);
    }
}
