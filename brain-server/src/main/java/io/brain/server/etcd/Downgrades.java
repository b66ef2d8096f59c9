package io.brain.server.etcd;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which downgrades etcd of the served version allows: one minor release down. */
final class Downgrades {
    /** The cluster's version, as answers show it. */
    static final String CURRENT = "3.7";

    private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+)(\\.\\d+(-.*)?)?");
    private static final String TARGET_MAJOR = "3";
    private static final String TARGET_MINOR = "6";

    private Downgrades() {}

    static void requireOneBelow(String version) {
        Matcher target = VERSION.matcher(version);
        if (!target.matches()) {
            throw Errors.invalid("etcdserver: wrong downgrade target version format");
        }
        if (!target.group(1).equals(TARGET_MAJOR) || !target.group(2).equals(TARGET_MINOR)) {
            throw Errors.invalid("etcdserver: invalid downgrade target version");
        }
    }
}
