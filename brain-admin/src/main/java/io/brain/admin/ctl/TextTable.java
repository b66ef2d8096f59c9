package io.brain.admin.ctl;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats JSON as text. The name of a field tells its unit: bytes, seconds, or per second. */
final class TextTable {
    private static final String GAP = "  ";
    private static final String[] SIZES = {"B", "KiB", "MiB", "GiB", "TiB"};
    private static final int STEP = 1024;

    private final List<String[]> lines = new ArrayList<>();
    private final int[] widths;
    private final boolean[] right;

    private TextTable(int columns) {
        widths = new int[columns];
        right = new boolean[columns];
    }

    /**
     * A line per row below the headings; numbers are aligned to the right.
     *
     * @param columns HEADING=field, separated by commas
     */
    static String of(List<JsonObject> rows, String columns) {
        String[] headings = columns.split(" *, *");
        String[] fields = new String[headings.length];
        TextTable table = new TextTable(headings.length);
        for (int i = 0; i < headings.length; i++) {
            String[] parts = headings[i].split("=", 2);
            headings[i] = parts[0];
            fields[i] = parts[1];
        }
        table.add(headings);
        for (JsonObject row : rows) {
            String[] cells = new String[fields.length];
            for (int i = 0; i < cells.length; i++) {
                cells[i] = cell(row, fields[i]);
                table.right[i] |= isNumber(row.get(fields[i]));
            }
            table.add(cells);
        }
        return table.toString();
    }

    /** A line per field: its name without the unit, and its value. */
    static String pairs(JsonObject object, String... fields) {
        TextTable table = new TextTable(2);
        for (String field : fields) {
            table.add(field.replaceFirst("(Bytes|Seconds)$", ""), cell(object, field));
        }
        return table.toString();
    }

    /** A field's value with its unit; {@code -} if it is absent or null. */
    static String cell(JsonObject object, String field) {
        JsonElement value = object.get(field);
        if (value == null || value.isJsonNull()) {
            return "-";
        }
        if (value.isJsonArray()) {
            List<String> texts = new ArrayList<>();
            value.getAsJsonArray().forEach(text -> texts.add(text.getAsString()));
            return printable(String.join(" ", texts));
        }
        String unit = isNumber(value) ? field.toLowerCase(Locale.ROOT) : "";
        if (unit.endsWith("bytes")) {
            return bytes(value.getAsDouble());
        } else if (unit.endsWith("persecond")) {
            double rate = value.getAsDouble();
            return String.format(Locale.ROOT, rate >= 100 ? "%.0f" : "%.2f", rate);
        } else if (unit.endsWith("seconds")) {
            String text = value.getAsString();
            return text.contains(".") ? time(value.getAsDouble()) : text + " s";
        }
        return printable(value.getAsString());
    }

    private static boolean isNumber(JsonElement value) {
        return value.isJsonPrimitive() && value.getAsJsonPrimitive().isNumber();
    }

    private void add(String... cells) {
        lines.add(cells);
        for (int i = 0; i < cells.length; i++) {
            widths[i] = Math.max(widths[i], width(cells[i]));
        }
    }

    /** The table, without trailing blanks. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (String[] cells : lines) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < cells.length; i++) {
                String blanks = " ".repeat(widths[i] - width(cells[i]));
                line.append(right[i] ? blanks + cells[i] : cells[i] + blanks).append(GAP);
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }

    private static int width(String text) {
        return text.codePointCount(0, text.length());
    }

    /** Escapes control characters, which keys may contain. */
    private static String printable(String text) {
        StringBuilder safe = new StringBuilder();
        text.codePoints()
                .mapToObj(
                        c ->
                                Character.isISOControl(c)
                                        ? "\\x%02x".formatted(c)
                                        : Character.toString(c))
                .forEach(safe::append);
        return safe.toString();
    }

    static String bytes(double bytes) {
        int unit = 0;
        double left = bytes;
        while (left >= STEP && unit < SIZES.length - 1) {
            left /= STEP;
            unit++;
        }
        return unit == 0
                ? "%d B".formatted((long) left)
                : String.format(Locale.ROOT, "%.1f %s", left, SIZES[unit]);
    }

    static String time(double seconds) {
        if (seconds == 0) {
            return "0";
        }
        if (seconds < 1e-3) {
            return String.format(Locale.ROOT, "%.0f us", seconds * 1e6);
        }
        return seconds < 1
                ? String.format(Locale.ROOT, "%.1f ms", seconds * 1e3)
                : String.format(Locale.ROOT, "%.1f s", seconds);
    }
}
