package io.brain.conformance.cluster;

import io.brain.conformance.server.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What etcd and the server under test answered, as a table in Markdown: {@code
 * test/conformance/target/matrix-NAME.md}. What is compared is masked. For one thread.
 */
public final class Matrix {

    private static final int CELL_CHARS_MAX = 100;

    private record Row(String call, String etcd, String server, boolean known) {
        boolean isSame() {
            return etcd.equals(server);
        }
    }

    private final String name;
    private final Map<String, List<Row>> groups = new LinkedHashMap<>();

    /**
     * @param name of the client that calls
     */
    public Matrix(String name) {
        this.name = name;
    }

    /**
     * Adds a row.
     *
     * @param group what the row stands under
     * @param known true if the answers may differ
     */
    public void add(String group, String call, String etcd, String server, boolean known) {
        groups.computeIfAbsent(group, any -> new ArrayList<>())
                .add(new Row(call, etcd, server, known));
    }

    /** Writes the table, and a line of it for each group to the standard output. */
    public void write() throws IOException {
        StringBuilder table = new StringBuilder();
        int rows = 0;
        int differences = 0;
        int knownToDiffer = 0;
        for (Map.Entry<String, List<Row>> group : groups.entrySet()) {
            table.append("\n| ").append(name).append(' ').append(group.getKey());
            table.append(" | etcd | Brain |\n| --- | --- | --- |\n");
            for (Row row : group.getValue()) {
                rows++;
                differences += row.isSame() || row.known() ? 0 : 1;
                knownToDiffer += row.known() && !row.isSame() ? 1 : 0;
                table.append("| `").append(cell(row.call())).append("` | ");
                table.append(cell(row.etcd())).append(" | ").append(verdict(row)).append(" |\n");
            }
        }
        String summary =
                "%s: calls compared %d, differences %d, known to differ %d"
                        .formatted(name, rows, differences, knownToDiffer);
        System.out.println("summary: " + summary);
        Files.writeString(
                Repository.root()
                        .resolve("test/conformance/target")
                        .resolve("matrix-" + name.replace(' ', '-') + ".md"),
                summary + "\n" + table);
    }

    private static String verdict(Row row) {
        if (row.isSame()) {
            return "same";
        }
        return (row.known() ? "(known) " : "**DIFFERS**: ") + cell(row.server());
    }

    /** The first line, and how many follow. */
    private static String cell(String text) {
        List<String> lines = text.strip().lines().toList();
        String first = lines.isEmpty() ? "" : lines.get(0);
        String more = lines.size() > 1 ? " (+" + (lines.size() - 1) + " lines)" : "";
        String shown =
                first.length() <= CELL_CHARS_MAX ? first : first.substring(0, CELL_CHARS_MAX) + "…";
        return shown.replace("|", "\\|") + more;
    }
}
