package io.brain.server.etcd;

import io.grpc.StatusRuntimeException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which downgrades etcd of the served version allows: one minor release down. */
final class Downgrades {
    /** The cluster's version, as answers show it. */
    static final String CURRENT = "3.7";

    /** What may follow a sign: parts with dots between, or nothing at all. */
    private static final String LABELS = "(?:[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?";

    private static final Pattern VERSION =
            Pattern.compile(
                    "(\\d+)\\.(\\d+)(?:\\.(\\d+)(?:-" + LABELS + ")?(?:\\+" + LABELS + ")?)?");

    private static final long TARGET_MAJOR = 3;
    private static final long TARGET_MINOR = 6;

    private Downgrades() {}

    static void requireOneBelow(String version) {
        Matcher target = VERSION.matcher(version);
        if (!target.matches()) {
            throw malformed();
        }
        long major = number(target.group(1));
        long minor = number(target.group(2));
        number(target.group(3) == null ? "0" : target.group(3));
        if (major != TARGET_MAJOR || minor != TARGET_MINOR) {
            throw Errors.invalid("etcdserver: invalid downgrade target version");
        }
    }

    private static long number(String digits) {
        try {
            return Long.parseLong(digits);
        } catch (NumberFormatException tooLong) {
            throw malformed();
        }
    }

    private static StatusRuntimeException malformed() {
        return Errors.invalid("etcdserver: wrong downgrade target version format");
    }
}
