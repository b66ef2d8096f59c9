package io.brain.server.config;

import io.brain.options.Option;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Keys of the configuration file, some of them in sections, as in etcd. */
final class FileKeys {
    /** Flags by key, by section. */
    static final Map<String, Map<String, Flag>> SECTIONS = sections();

    /** Flags outside of sections, by key. */
    static final Map<String, Flag> TOP = top();

    /** Keys of older releases that etcd ignores silently: its own sample file still has them. */
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

    /** The key of a flag, with its section. */
    static String pathOf(String name) {
        for (Map.Entry<String, Map<String, Flag>> section : SECTIONS.entrySet()) {
            for (Map.Entry<String, Flag> key : section.getValue().entrySet()) {
                if (key.getValue().name().equals(name)) {
                    return section.getKey() + "." + key.getKey();
                }
            }
        }
        return name;
    }

    private static Map<String, Map<String, Flag>> sections() {
        Map<String, Option<?>> peer = TlsFlags.PEERS.fileKeys();
        peer.put("skip-client-san-verification", IgnoredFlags.PEER_SKIP_SAN);
        Map<String, Option<?>> socket = new LinkedHashMap<>();
        socket.put("reuse-port", IgnoredFlags.REUSE_PORT);
        socket.put("reuse-address", IgnoredFlags.REUSE_ADDRESS);
        Map<String, Map<String, Flag>> sections = new LinkedHashMap<>();
        sections.put("client-transport-security", flags(TlsFlags.CLIENTS.fileKeys()));
        sections.put("peer-transport-security", flags(peer));
        sections.put("socket-options", flags(socket));
        return sections;
    }

    private static Map<String, Flag> flags(Map<String, Option<?>> options) {
        Map<String, Flag> flags = new LinkedHashMap<>();
        options.forEach((key, option) -> flags.put(key, Flags.find(option.name())));
        return flags;
    }

    private static Map<String, Flag> top() {
        Map<String, Flag> top = new LinkedHashMap<>();
        Flags.ALL.forEach(flag -> top.put(flag.name(), flag));
        SECTIONS.values().forEach(section -> top.values().removeAll(section.values()));
        top.remove(Flags.CONFIG_FILE.name());
        top.remove(Flags.CONFIG_PRINT.name());
        return top;
    }
}
