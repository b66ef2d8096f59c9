package io.brain.server;

import io.brain.server.config.ConfigException;
import io.brain.server.etcd.ClusterClient;
import java.io.IOException;
import java.net.URI;
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

    private final OptionSpec endpoints =
            Parameters.option("--endpoints", URI.class).converters(EndpointOptions::url).build();
    private final OptionSpec trusted = Parameters.option("--cacert", Path.class).build();
    private final OptionSpec certificate = Parameters.option("--cert", Path.class).build();
    private final OptionSpec key = Parameters.option("--key", Path.class).build();

    private EndpointOptions() {}

    /** Adds all to a command. */
    EndpointOptions(CommandSpec spec) {
        addTls(spec);
        spec.addOption(endpoints);
    }

    /** Options of a command whose servers are not named by {@code --endpoints}. */
    static EndpointOptions tlsOnly(CommandSpec spec) {
        EndpointOptions options = new EndpointOptions();
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
        if ((certificate.getValue() == null) != (key.getValue() == null)) {
            throw ConfigException.usage("--cert needs --key, and --key --cert");
        }
    }

    /** A client of a server. */
    ClusterClient open(URI server) throws IOException, GeneralSecurityException {
        checkPair();
        return new ClusterClient(
                server,
                new ClusterClient.Tls(trusted.getValue(), certificate.getValue(), key.getValue()));
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
