package io.brain.admin.ctl;

import java.util.ArrayList;
import java.util.List;

/** A text table; column widths fit the content. */
final class TextTable {
    private static final int GAP = 2;

    private final List<String[]> rows = new ArrayList<>();
    private final int[] widths;
    private final boolean[] numbers;

    /** Creates a table with these headings; {@code >} marks a right-aligned column. */
    TextTable(String... headings) {
        widths = new int[headings.length];
        numbers = new boolean[headings.length];
        String[] names = new String[headings.length];
        for (int i = 0; i < headings.length; i++) {
            numbers[i] = headings[i].startsWith(">");
            names[i] = numbers[i] ? headings[i].substring(1) : headings[i];
        }
        row(names);
    }

    /** Adds a row. */
    TextTable row(String... cells) {
        String[] safe = new String[cells.length];
        for (int i = 0; i < cells.length; i++) {
            safe[i] = printable(cells[i]);
            widths[i] = Math.max(widths[i], safe[i].codePointCount(0, safe[i].length()));
        }
        rows.add(safe);
        return this;
    }

    /** The table, without trailing blanks. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (String[] row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < row.length; i++) {
                String blanks = " ".repeat(widths[i] - row[i].codePointCount(0, row[i].length()));
                line.append(numbers[i] ? blanks + row[i] : row[i] + blanks);
                line.append(" ".repeat(GAP));
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }

    /** Escapes control characters, which keys may contain. */
    static String printable(String text) {
        StringBuilder safe = new StringBuilder();
        text.codePoints()
                .forEach(
                        c -> {
                            if (Character.isISOControl(c)) {
                                safe.append(String.format("\\x%02x", c));
                            } else {
                                safe.appendCodePoint(c);
                            }
                        });
        return safe.toString();
    }
}
