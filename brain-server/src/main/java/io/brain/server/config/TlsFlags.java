package io.brain.server.config;

import io.brain.options.HostPort;
import io.brain.options.Option;
import io.brain.server.config.BrainConfig.Callers;
import io.brain.server.config.BrainConfig.Identity;
import io.brain.server.config.BrainConfig.Protocols;
import io.brain.server.config.BrainConfig.SelfSigned;
import io.brain.server.config.BrainConfig.Tls;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** TLS flags: one set for clients, one with the prefix "peer-" for other members. */
final class TlsFlags {
    static final Option<Integer> SELF_SIGNED_CERT_VALIDITY =
            Option.number(
                            "self-signed-cert-validity",
                            "1",
                            "Validity in years of the certificates of --auto-tls and"
                                    + " --peer-auto-tls.")
                    .map(Option.upTo(100))
                    .map(
                            ConfigException.require(
                                    years -> years > 0,
                                    "--self-signed-cert-validity must be greater than 0"));
    static final Option<List<String>> CIPHER_SUITES =
            Option.list(
                            "cipher-suites",
                            "Cipher suites of TLS 1.2, separated by commas, by their TLS names;"
                                    + " empty: a secure default.")
                    .map(names -> names.stream().map(CipherNames::checked).toList());
    static final Option<String> TLS_MIN_VERSION =
            version("tls-min-version", "TLS1.2", "Minimum TLS version: TLS1.2 or TLS1.3.");
    static final Option<String> TLS_MAX_VERSION =
            version("tls-max-version", "", "Maximum TLS version: TLS1.2 or TLS1.3; empty: TLS1.3.");

    static final TlsFlags CLIENTS =
            new TlsFlags(
                    "",
                    "client",
                    "Server certificate for https and unixs client and metrics URLs, PEM.",
                    IgnoredFlags.CLIENT_CERT_FILE,
                    IgnoredFlags.CLIENT_KEY_FILE);
    static final TlsFlags PEERS =
            new TlsFlags(
                    "peer-",
                    "peer",
                    "Certificate for https peer URLs and for connections to other members, PEM.",
                    Option.path(
                            "peer-client-cert-file",
                            "Certificate for connections to other members, PEM (default"
                                    + " --peer-cert-file)."),
                    Option.path(
                            "peer-client-key-file",
                            "Private key of --peer-client-cert-file, PEM."));

    private static final String TLS_1_3 = "TLS1.3";
    private static final List<String> VERSIONS = List.of("TLS1.2", TLS_1_3);

    private final String prefix;
    private final String who;
    private final Option<Path> certFile;
    private final Option<Path> keyFile;
    private final Option<Path> clientCertFile;
    private final Option<Path> clientKeyFile;
    private final Option<Path> trustedCaFile;
    private final Option<Boolean> clientCertAuth;
    private final Option<Path> crlFile;
    private final Option<List<String>> allowedNames;
    private final Option<List<String>> allowedHosts;
    private final Option<Boolean> autoTls;

    private TlsFlags(
            String prefix,
            String who,
            String certHelp,
            Option<Path> clientCertFile,
            Option<Path> clientKeyFile) {
        this.prefix = prefix;
        this.who = who;
        this.clientCertFile = clientCertFile;
        this.clientKeyFile = clientKeyFile;
        String cert = prefix + "cert-file";
        String auth = prefix + "client-cert-auth";
        certFile = Option.path(cert, certHelp);
        keyFile = Option.path(prefix + "key-file", "Private key of --" + cert + ", PEM.");
        trustedCaFile =
                Option.path(
                        prefix + "trusted-ca-file",
                        "CA bundle that verifies "
                                + who
                                + " certificates, PEM; requires them, as --"
                                + auth
                                + " does.");
        clientCertAuth =
                Option.bool(
                        auth,
                        "false",
                        "Require a certificate of every connecting "
                                + who
                                + (isPeer() ? "." : "; its common name is a user."));
        crlFile =
                Option.path(
                        who + "-crl-file",
                        "Certificate revocation list for " + who + " certificates, DER or PEM.");
        String allowed = " of " + who + " certificates, separated by commas";
        String fileOnly = isPeer() ? "." : " (in etcd a file key only).";
        allowedNames =
                Option.list(who + "-cert-allowed-cn", "Allowed common names" + allowed + fileOnly);
        allowedHosts =
                Option.list(
                        who + "-cert-allowed-hostname",
                        "Allowed host names or addresses" + allowed + ".");
        String unverified = isPeer() ? "; peers are then not verified." : ".";
        autoTls =
                Option.bool(
                        prefix + "auto-tls",
                        "false",
                        "Generate a self-signed certificate if --"
                                + cert
                                + " is not set"
                                + unverified);
    }

    private boolean isPeer() {
        return !prefix.isEmpty();
    }

    /** The options that have an effect, in the order of the help. */
    List<Option<?>> options() {
        List<Option<?>> options = new ArrayList<>(List.of(certFile, keyFile));
        if (isPeer()) {
            options.addAll(List.of(clientCertFile, clientKeyFile));
        }
        options.addAll(
                List.of(
                        trustedCaFile,
                        clientCertAuth,
                        crlFile,
                        allowedNames,
                        allowedHosts,
                        autoTls));
        return options;
    }

    Option<Boolean> clientCertAuth() {
        return clientCertAuth;
    }

    /** The options by their keys in a section of a file. */
    Map<String, Option<?>> fileKeys() {
        Map<String, Option<?>> keys = new LinkedHashMap<>();
        for (Option<?> option :
                List.of(
                        certFile,
                        keyFile,
                        clientCertFile,
                        clientKeyFile,
                        clientCertAuth,
                        trustedCaFile,
                        autoTls)) {
            keys.put(option.name().substring(prefix.length()), option);
        }
        for (Option<?> option : List.of(allowedNames, allowedHosts, crlFile)) {
            String name = option.name().substring(who.length() + 1);
            keys.put(name.replaceFirst("^cert-", ""), option);
        }
        return keys;
    }

    /**
     * Reads the settings.
     *
     * @param dataDir directory of a generated certificate
     * @param urls their hosts are the names of a generated certificate
     */
    Tls read(FlagValues values, Path dataDir, List<URI> urls) {
        Identity server = identity(values, certFile, keyFile);
        Identity client = identity(values, clientCertFile, clientKeyFile);
        SelfSigned selfSigned = null;
        if (server == null && values.get(autoTls)) {
            requireAuthority(values);
            Path fixtures = dataDir.resolve("fixtures").resolve(who);
            server = new Identity(fixtures.resolve("cert.pem"), fixtures.resolve("key.pem"));
            selfSigned = new SelfSigned(hosts(urls), values.get(SELF_SIGNED_CERT_VALIDITY));
        }
        return new Tls(
                server,
                client == null ? server : client,
                values.get(trustedCaFile),
                callers(values),
                protocols(values),
                selfSigned);
    }

    /** Nobody has a client certificate of one of Java's CAs. */
    private void requireAuthority(FlagValues values) {
        if (values.get(clientCertAuth) && values.get(trustedCaFile) == null) {
            throw ConfigException.value(
                    "%s with %s requires %s: without it no client certificate is valid"
                            .formatted(
                                    clientCertAuth.flag(), autoTls.flag(), trustedCaFile.flag()));
        }
    }

    /** A log line for each flag that is ignored because of others. */
    List<String> warnings(FlagValues values) {
        List<String> warnings = new ArrayList<>();
        if (values.get(autoTls) && !values.text(certFile).isEmpty()) {
            warnings.add(autoTls.flag() + " is ignored because a certificate is set");
        }
        if (!values.get(clientCertAuth) && values.text(trustedCaFile).isEmpty()) {
            for (Option<?> option : List.of(crlFile, allowedNames, allowedHosts)) {
                if (!values.text(option).isEmpty()) {
                    warnings.add(
                            option.flag()
                                    + " has no effect without "
                                    + trustedCaFile.flag()
                                    + " or "
                                    + clientCertAuth.flag()
                                    + ": client certificates are not requested");
                }
            }
        }
        return warnings;
    }

    private Callers callers(FlagValues values) {
        List<String> names = values.get(allowedNames);
        List<String> hosts = values.get(allowedHosts);
        if (!names.isEmpty() && !hosts.isEmpty()) {
            throw ConfigException.value(
                    allowedNames.flag()
                            + " and "
                            + allowedHosts.flag()
                            + " are mutually exclusive");
        }
        return new Callers(
                values.get(trustedCaFile) != null || values.get(clientCertAuth),
                values.get(crlFile),
                names,
                hosts);
    }

    private static Protocols protocols(FlagValues values) {
        String min = values.get(TLS_MIN_VERSION);
        String max = values.get(TLS_MAX_VERSION);
        int least = min.isEmpty() ? 0 : VERSIONS.indexOf(min);
        int most = max.isEmpty() ? VERSIONS.size() - 1 : VERSIONS.indexOf(max);
        if (least > most) {
            throw ConfigException.value(
                    "min version (" + min + ") is greater than max version (" + max + ")");
        }
        List<String> suites = values.get(CIPHER_SUITES);
        if (!suites.isEmpty() && VERSIONS.get(least).equals(TLS_1_3)) {
            throw ConfigException.value(
                    "cipher suites cannot be configured when only TLS1.3 is enabled");
        }
        return new Protocols(VERSIONS.subList(least, most + 1), suites);
    }

    private static Option<String> version(String name, String fallback, String help) {
        return Option.text(name, fallback, help)
                .map(
                        text -> {
                            if (!text.isEmpty() && !VERSIONS.contains(text)) {
                                throw ConfigException.value(
                                        "unexpected TLS version \""
                                                + text
                                                + "\" (must be one of: TLS1.2, TLS1.3) for --"
                                                + name);
                            }
                            return text;
                        });
    }

    private static Identity identity(
            FlagValues values, Option<Path> certificates, Option<Path> key) {
        Path first = values.get(certificates);
        Path second = values.get(key);
        if ((first == null) != (second == null)) {
            throw ConfigException.value(
                    certificates.flag() + " and " + key.flag() + " must be given together");
        }
        return first == null ? null : new Identity(first, second);
    }

    /** As in etcd, also the hosts of URLs without TLS. */
    private static List<String> hosts(List<URI> urls) {
        return urls.stream()
                .filter(url -> Set.of("http", "https").contains(url.getScheme()))
                .map(url -> HostPort.of(url).host().replaceAll("[\\[\\]]", ""))
                .distinct()
                .toList();
    }
}
