package io.brain.server.config;

import io.brain.server.config.BrainConfig.Callers;
import io.brain.server.config.BrainConfig.Identity;
import io.brain.server.config.BrainConfig.Protocols;
import io.brain.server.config.BrainConfig.SelfSigned;
import io.brain.server.config.BrainConfig.Tls;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Reads the flags of TLS: for clients, or with the prefix "peer-" between nodes. */
final class TlsFlags {
    private static final String TLS_1_3 = "TLS1.3";
    private static final List<String> VERSIONS = List.of("TLS1.2", TLS_1_3);
    private static final int YEARS_MAX = 100;

    private final FlagValues values;
    private final String prefix;

    private TlsFlags(FlagValues values, String prefix) {
        this.values = values;
        this.prefix = prefix;
    }

    /**
     * What clients meet.
     *
     * @param dataDir where a certificate of its own making is kept
     * @param urls whose hosts that is for
     */
    static Tls clients(FlagValues values, Path dataDir, List<URI> urls) {
        TlsFlags flags = new TlsFlags(values, "");
        return flags.read("client-", dataDir.resolve("fixtures").resolve("client"), urls);
    }

    /** What other nodes meet. */
    static Tls peers(FlagValues values, Path dataDir, List<URI> urls) {
        TlsFlags flags = new TlsFlags(values, "peer-");
        return flags.read("peer-", dataDir.resolve("fixtures").resolve("peer"), urls);
    }

    private Tls read(String callers, Path fixtures, List<URI> urls) {
        Identity server = identity("cert-file", "key-file");
        Identity client = identity("client-cert-file", "client-key-file");
        SelfSigned selfSigned = null;
        if (server == null && isOn("auto-tls")) {
            server = new Identity(fixtures.resolve("cert.pem"), fixtures.resolve("key.pem"));
            selfSigned = new SelfSigned(hosts(urls), years());
        }
        return new Tls(
                server,
                client == null ? server : client,
                path(prefix + "trusted-ca-file"),
                callers(callers),
                protocols(),
                selfSigned);
    }

    /** A line for each promise that cannot be kept as etcd's is not; none if there is none. */
    static List<String> notes(FlagValues values, String prefix, String callers) {
        TlsFlags flags = new TlsFlags(values, prefix);
        List<String> notes = new ArrayList<>();
        if (flags.isOn("auto-tls") && !values.text(prefix + "cert-file").isEmpty()) {
            notes.add("--" + prefix + "auto-tls is ignored, as there are certificates");
        }
        boolean asked =
                flags.isOn("client-cert-auth")
                        || !values.text(prefix + "trusted-ca-file").isEmpty();
        for (String name : List.of("crl-file", "cert-allowed-cn", "cert-allowed-hostname")) {
            if (!asked && !values.text(callers + name).isEmpty()) {
                notes.add(
                        "--"
                                + callers
                                + name
                                + " has no effect without --"
                                + prefix
                                + "trusted-ca-file or --"
                                + prefix
                                + "client-cert-auth: nobody is asked for a certificate");
            }
        }
        return notes;
    }

    private Callers callers(String which) {
        List<String> names = values.list(which + "cert-allowed-cn");
        List<String> hosts = values.list(which + "cert-allowed-hostname");
        if (!names.isEmpty() && !hosts.isEmpty()) {
            throw ConfigException.value(
                    "--%scert-allowed-cn and --%scert-allowed-hostname are mutually exclusive"
                            .formatted(which, which));
        }
        Path authority = path(prefix + "trusted-ca-file");
        return new Callers(
                authority != null || isOn("client-cert-auth"),
                path(which + "crl-file"),
                names,
                hosts);
    }

    private Protocols protocols() {
        int least = version("tls-min-version", 0);
        int most = version("tls-max-version", VERSIONS.size() - 1);
        if (least > most) {
            throw ConfigException.value(
                    "min version (%s) is greater than max version (%s)"
                            .formatted(
                                    values.text("tls-min-version"),
                                    values.text("tls-max-version")));
        }
        List<String> suites =
                values.list("cipher-suites").stream().map(CipherNames::checked).toList();
        if (!suites.isEmpty() && VERSIONS.get(least).equals(TLS_1_3)) {
            throw ConfigException.value(
                    "cipher suites cannot be configured when only TLS1.3 is enabled");
        }
        return new Protocols(VERSIONS.subList(least, most + 1), suites);
    }

    private int version(String flag, int fallback) {
        String text = values.text(flag);
        if (text.isEmpty()) {
            return fallback;
        }
        if (!VERSIONS.contains(text)) {
            throw ConfigException.value(
                    "unexpected TLS version \""
                            + text
                            + "\" (must be one of: TLS1.2, TLS1.3) for --"
                            + flag);
        }
        return VERSIONS.indexOf(text);
    }

    private Identity identity(String certificates, String key) {
        Path first = path(prefix + certificates);
        Path second = path(prefix + key);
        if ((first == null) != (second == null)) {
            throw ConfigException.value(
                    "--"
                            + prefix
                            + certificates
                            + " and --"
                            + prefix
                            + key
                            + " must be given together");
        }
        return first == null ? null : new Identity(first, second);
    }

    private int years() {
        int years = values.size("self-signed-cert-validity", YEARS_MAX);
        if (years == 0) {
            throw ConfigException.value("--self-signed-cert-validity must be greater than 0");
        }
        return years;
    }

    /** As etcd has it: also where nothing is served over TLS. */
    private static List<String> hosts(List<URI> urls) {
        return urls.stream()
                .filter(url -> Set.of("http", "https").contains(url.getScheme()))
                .map(url -> url.getHost().replaceAll("[\\[\\]]", ""))
                .distinct()
                .toList();
    }

    private boolean isOn(String name) {
        return values.isSet(prefix + name) && values.bool(prefix + name);
    }

    private Path path(String name) {
        String text = values.text(name);
        return text.isEmpty() ? null : CommandLineReader.path(name, text);
    }
}
