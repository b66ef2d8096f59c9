package io.brain.options;

import java.util.Collection;

/** Suggests the known name that is closest to a mistyped one. */
public final class SpellingHint {
    /** etcd's former prefix of experimental flags; without it, many are flags today. */
    private static final String FORMER_PREFIX = "experimental-";

    private static final int NAME_PER_ERROR = 3;

    private SpellingHint() {}

    /** The end of a message with the suggestion; empty if no name is close. */
    public static String hint(String name, Collection<String> known, String dashes) {
        String wanted =
                name.startsWith(FORMER_PREFIX) ? name.substring(FORMER_PREFIX.length()) : name;
        String nearest = null;
        int least = wanted.length() / NAME_PER_ERROR + 1;
        for (String candidate : known) {
            int distance = distance(wanted, candidate);
            if (distance < least) {
                least = distance;
                nearest = candidate;
            }
        }
        return nearest == null ? "" : "; did you mean " + dashes + nearest + "?";
    }

    /** Edit distance: insertions, deletions, replacements, and swaps of adjacent characters. */
    private static int distance(String a, String b) {
        int[][] rows = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                rows[i][j] = i == 0 || j == 0 ? i + j : step(a, b, rows, i, j);
            }
        }
        return rows[a.length()][b.length()];
    }

    private static int step(String a, String b, int[][] rows, int i, int j) {
        char last = a.charAt(i - 1);
        char other = b.charAt(j - 1);
        int least = rows[i - 1][j - 1] + (last == other ? 0 : 1);
        least = Math.min(least, Math.min(rows[i - 1][j], rows[i][j - 1]) + 1);
        boolean swapped = i > 1 && j > 1 && last == b.charAt(j - 2) && other == a.charAt(i - 2);
        return swapped ? Math.min(least, rows[i - 2][j - 2] + 1) : least;
    }
}
