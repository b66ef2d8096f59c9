package io.brain.backend.model;

import io.brain.options.GoDuration;
import io.brain.storage.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Rules that give keys without a lease a time to live by their paths; the first that matches
 * counts. Immutable.
 *
 * @param rules at most {@link #RULES_MAX}
 */
public record TtlRules(List<Rule> rules) {
    /** Maximum number of rules. */
    public static final int RULES_MAX = 100;

    /** No rules. */
    public static final TtlRules NONE = new TtlRules(List.of());

    private static final Duration TTL_MIN = Duration.ofSeconds(1);
    private static final Duration TTL_MAX = Duration.ofDays(3650);

    /**
     * Checks and copies the list.
     *
     * @throws IllegalArgumentException if there are too many rules, or two with one pattern
     */
    public TtlRules {
        rules = List.copyOf(rules);
        if (rules.size() > RULES_MAX) {
            throw new IllegalArgumentException("more than " + RULES_MAX + " rules");
        }
        if (rules.stream().map(Rule::pattern).distinct().count() < rules.size()) {
            throw new IllegalArgumentException("a pattern has two rules");
        }
    }

    /**
     * Parses lines {@code PATTERN = TTL}; empty lines and lines that begin with {@code #} are
     * skipped.
     *
     * @throws IllegalArgumentException with the number of the line that is invalid
     */
    public static TtlRules parse(String text) {
        List<Rule> rules = new ArrayList<>();
        int number = 0;
        for (String line : text.lines().map(String::strip).toList()) {
            number++;
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            try {
                rules.add(rule(line));
            } catch (IllegalArgumentException invalid) {
                throw new IllegalArgumentException(
                        "line " + number + ": " + invalid.getMessage(), invalid);
            }
        }
        return new TtlRules(rules);
    }

    private static Rule rule(String line) {
        int split = line.lastIndexOf('=');
        if (split < 0) {
            throw new IllegalArgumentException("want PATTERN = TTL");
        }
        return new Rule(line.substring(0, split).strip(), ttl(line.substring(split + 1).strip()));
    }

    private static Duration ttl(String text) {
        try {
            return GoDuration.parse(text);
        } catch (IllegalArgumentException invalid) {
            throw new IllegalArgumentException("invalid duration \"" + text + '"', invalid);
        }
    }

    public boolean isEmpty() {
        return rules.isEmpty();
    }

    /** The first rule that matches a key; null if none does. */
    public Rule find(Bytes key) {
        for (Rule rule : rules) {
            if (rule.matches(key)) {
                return rule;
            }
        }
        return null;
    }

    /** The different TTLs, shortest first. */
    public List<Duration> ttls() {
        return rules.stream().map(Rule::ttl).distinct().sorted().toList();
    }

    /**
     * A rule. Its pattern has the segments of a path, separated by slashes: {@code *} matches one
     * segment, {@code **} as the last one matches one segment or more, any other text itself.
     */
    public static final class Rule {
        private static final String ONE = "*";
        private static final String REST = "**";
        private static final byte SLASH = '/';

        private final String pattern;
        private final Duration ttl;

        /** Texts of the segments; null for a segment that {@code *} matches. */
        private final List<byte[]> segments = new ArrayList<>();

        /** True if {@code **} follows the segments. */
        private final boolean open;

        /**
         * Creates a rule.
         *
         * @throws IllegalArgumentException if the pattern is malformed, or the TTL not from 1 s to
         *     ten years
         */
        public Rule(String pattern, Duration ttl) {
            this.pattern = pattern;
            this.ttl = ttl;
            if (pattern.isEmpty()) {
                throw new IllegalArgumentException("empty pattern");
            }
            if (ttl.compareTo(TTL_MIN) < 0 || ttl.compareTo(TTL_MAX) > 0) {
                throw new IllegalArgumentException("the TTL must be from 1s to ten years");
            }
            List<String> parts = List.of(pattern.split("/", -1));
            open = parts.get(parts.size() - 1).equals(REST);
            for (String part : open ? parts.subList(0, parts.size() - 1) : parts) {
                if (part.contains(ONE) && !part.equals(ONE)) {
                    throw new IllegalArgumentException(
                            "* must be a whole segment, and ** the last one: " + pattern);
                }
                segments.add(part.equals(ONE) ? null : Bytes.utf8(part).array());
            }
        }

        /** Its text. */
        public String pattern() {
            return pattern;
        }

        /** Time to live since the newest write. */
        public Duration ttl() {
            return ttl;
        }

        boolean matches(Bytes key) {
            byte[] path = key.array();
            int at = 0;
            for (byte[] segment : segments) {
                if (at > path.length) {
                    return false; // the path has fewer segments
                }
                int end = end(path, at);
                boolean same =
                        segment == null
                                ? end > at
                                : Arrays.equals(path, at, end, segment, 0, segment.length);
                if (!same) {
                    return false;
                }
                at = end + 1;
            }
            return open ? at < path.length : at == path.length + 1;
        }

        private static int end(byte[] path, int from) {
            int at = from;
            while (at < path.length && path[at] != SLASH) {
                at++;
            }
            return at;
        }
    }
}
