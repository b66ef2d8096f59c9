package io.brain.conformance.cluster.etcdctl;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Takes out of a command's output what two servers may rightly differ in: addresses, ids, times,
 * raft's numbers and sizes on disk. All else has to be the same.
 */
final class Mask {

    private record Rule(Pattern pattern, String replacement) {}

    private static final Set<String> FREE_COLUMNS =
            Set.of(
                    "TOOK",
                    "DB SIZE",
                    "IN USE",
                    "PERCENTAGE NOT IN USE",
                    "QUOTA",
                    "RAFT TERM",
                    "RAFT INDEX",
                    "RAFT APPLIED INDEX");

    private static final List<Rule> RULES =
            List.of(
                    rule("127\\.0\\.0\\.1:\\d+", "<address>"),
                    // A client's own log line: only which call failed, and how.
                    rule(
                            "(?m)^\\{\"level\":[^\\n]*\"method\":\"([^\"]*)\"[^\\n]*"
                                    + "\"error\":\"([^\\n]*)\"\\}$",
                            "<log> $1: $2"),
                    // Printed without leading zeros, or with blanks instead.
                    rule("(?<=(Member|cluster)) +[0-9a-f]{12,16}\\b", " <id>"),
                    rule("\\b[0-9a-f]{12,16}\\b", "<id>"),
                    rule("/[0-9a-f]{12,16}\\b", "/<id>"),
                    rule("\\b\\d{15,20}\\b", "<id>"),
                    rule("(?i)(\"raft_?(term|index|appliedindex)\" ?: ?)\\d+", "$1<n>"),
                    rule("(?i)(\"dbsize(inuse|quota)?\" ?: ?)\\d+", "$1<n>"),
                    rule("(?i)(\"?took\"? ?[=:]? ?\"?)[0-9.]+(ns|µs|ms|s)", "$1<time>"),
                    rule("remaining\\(\\d+s\\)", "remaining(<n>)"),
                    rule("(\"ttl\":|\"TTL\" : )(1\\d{3}|9\\d\\d)\\b", "$1<n>"),
                    rule(
                            "(?m)^((?:http://)?<address>, <id>, [^,]+, [^,]+), [^,]+, [^,]+, [^,]+,"
                                    + " [^,]+(, \\w+, \\w+), \\d+, \\d+, \\d+",
                            "$1, <sizes>$2, <raft>"));

    private Mask() {}

    static Output of(Output output) {
        return new Output(output.exitCode(), of(output.standard()), of(output.error()));
    }

    static String of(String text) {
        String masked = text.contains("│") ? table(text) : text;
        for (Rule rule : RULES) {
            masked = rule.pattern().matcher(masked).replaceAll(rule.replacement());
        }
        return masked;
    }

    /** A table without its borders and padding, which depend on the cells. */
    private static String table(String text) {
        List<String> header = new ArrayList<>();
        StringBuilder rows = new StringBuilder();
        for (String line : text.lines().filter(l -> l.startsWith("│")).toList()) {
            List<String> cells = new ArrayList<>();
            Matcher m = Pattern.compile("│([^│]*)(?=│)").matcher(line);
            while (m.find()) {
                String cell = m.group(1).trim();
                boolean isFree =
                        cells.size() < header.size()
                                && FREE_COLUMNS.contains(header.get(cells.size()));
                cells.add(isFree ? "<free>" : cell);
            }
            if (header.isEmpty()) {
                header.addAll(cells);
            }
            rows.append(String.join(" | ", cells)).append('\n');
        }
        return rows.toString();
    }

    private static Rule rule(String pattern, String replacement) {
        return new Rule(Pattern.compile(pattern), replacement);
    }
}
