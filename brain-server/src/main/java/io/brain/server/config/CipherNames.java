package io.brain.server.config;

import io.brain.options.SpellingHint;
import java.util.List;

/** Names of the cipher suites that etcd accepts, which are Go's. */
final class CipherNames {
    private static final List<String> KNOWN =
            List.of(
                    "TLS_AES_128_GCM_SHA256",
                    "TLS_AES_256_GCM_SHA384",
                    "TLS_CHACHA20_POLY1305_SHA256",
                    "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
                    "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
                    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
                    "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
                    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
                    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
                    "TLS_ECDHE_ECDSA_WITH_RC4_128_SHA",
                    "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA",
                    "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
                    "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256",
                    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
                    "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
                    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
                    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
                    "TLS_ECDHE_RSA_WITH_RC4_128_SHA",
                    "TLS_RSA_WITH_3DES_EDE_CBC_SHA",
                    "TLS_RSA_WITH_AES_128_CBC_SHA",
                    "TLS_RSA_WITH_AES_128_CBC_SHA256",
                    "TLS_RSA_WITH_AES_128_GCM_SHA256",
                    "TLS_RSA_WITH_AES_256_CBC_SHA",
                    "TLS_RSA_WITH_AES_256_GCM_SHA384",
                    "TLS_RSA_WITH_RC4_128_SHA");

    /** Suffix of two older names that etcd also accepts. */
    private static final String OLDER_END = "_WITH_CHACHA20_POLY1305";

    private CipherNames() {}

    /**
     * Returns the standard name of a cipher suite.
     *
     * @throws ConfigException with etcd's text, if the suite is unknown
     */
    static String checked(String name) {
        String whole = name.endsWith(OLDER_END) ? name + "_SHA256" : name;
        if (!KNOWN.contains(whole)) {
            throw ConfigException.value(
                    "unexpected TLS cipher suite \""
                            + name
                            + '"'
                            + SpellingHint.hint(name, KNOWN, ""));
        }
        return whole;
    }
}
