package io.brain.server.config;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Names of flags in a configuration file: etcd's keys, some of them in sections. */
final class FileKeys {
    /** Flags by key, by the name of their section. */
    static final Map<String, Map<String, String>> SECTIONS = sections();

    /** Outside of sections. */
    static final Map<String, String> TOP = top();

    /**
     * Keys of older releases, that etcd passes over without a word today: they are in its own
     * sample and in many files.
     */
    private static final Set<String> FORMER =
            Set.of(
                    "debug",
                    "discovery",
                    "discovery-proxy",
                    "enable-v2",
                    "log-output",
                    "log-package-levels",
                    "proxy",
                    "proxy-dial-timeout",
                    "proxy-failure-wait",
                    "proxy-read-timeout",
                    "proxy-refresh-interval",
                    "proxy-write-timeout");

    private FileKeys() {}

    static boolean isFormer(String key) {
        return FORMER.contains(key) || key.startsWith("experimental-");
    }

    /** The key of a flag as one would look for it. */
    static String pathOf(String flag) {
        for (Map.Entry<String, Map<String, String>> section : SECTIONS.entrySet()) {
            for (Map.Entry<String, String> key : section.getValue().entrySet()) {
                if (key.getValue().equals(flag)) {
                    return section.getKey() + "." + key.getKey();
                }
            }
        }
        return flag;
    }

    private static Map<String, Map<String, String>> sections() {
        Map<String, Map<String, String>> sections = new LinkedHashMap<>();
        Map<String, String> client = new LinkedHashMap<>();
        Map<String, String> peer = new LinkedHashMap<>();
        for (String key :
                new String[] {
                    "cert-file",
                    "key-file",
                    "client-cert-file",
                    "client-key-file",
                    "client-cert-auth",
                    "trusted-ca-file",
                    "auto-tls"
                }) {
            client.put(key, key);
            peer.put(key, "peer-" + key);
        }
        for (String who : new String[] {"allowed-cn", "allowed-hostname"}) {
            client.put(who, "client-cert-" + who);
            peer.put(who, "peer-cert-" + who);
        }
        client.put("crl-file", "client-crl-file");
        peer.put("crl-file", "peer-crl-file");
        peer.put("skip-client-san-verification", "peer-skip-client-san-verification");
        sections.put("client-transport-security", client);
        sections.put("peer-transport-security", peer);
        sections.put(
                "socket-options",
                Map.of(
                        "reuse-port", "socket-reuse-port",
                        "reuse-address", "socket-reuse-address"));
        return sections;
    }

    private static Map<String, String> top() {
        Map<String, String> top = new LinkedHashMap<>();
        Flags.ALL.forEach(flag -> top.put(flag.name(), flag.name()));
        SECTIONS.values().forEach(section -> top.values().removeAll(section.values()));
        top.remove(Flags.CONFIG_FILE);
        top.remove(Flags.CONFIG_PRINT);
        return top;
    }
}
