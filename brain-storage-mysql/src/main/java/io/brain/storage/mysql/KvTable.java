package io.brain.storage.mysql;

import io.brain.storage.Bytes;
import io.brain.storage.Mutation;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Statements on the table of keys, which work inside the caller's transaction. Immutable. */
final class KvTable {
    /** Rows of one statement: its text stays short, and the number of texts small. */
    private static final int ROWS_MAX = 128;

    /** Bytes of a page or a statement; one row may have more. */
    static final long BYTES_MAX = 1L << 20;

    /** Rows that a driver has in memory at once, of any size. */
    private static final int FETCHED = 16;

    private final String name;
    private final String orReplace;
    private final long statementBytesMax;

    /**
     * The table of a name.
     *
     * @param orReplace of the dialect
     * @param valueBytesMax that one statement can bring
     */
    KvTable(String name, String orReplace, long valueBytesMax) {
        this.name = name;
        this.orReplace = orReplace;
        this.statementBytesMax = Math.min(BYTES_MAX, valueBytesMax);
    }

    /** The values of the keys that exist. */
    Map<Bytes, Bytes> read(Connection connection, List<Bytes> keys) throws SQLException {
        Map<Bytes, Bytes> found = new HashMap<>();
        for (int from = 0; from < keys.size(); from += ROWS_MAX) {
            List<Bytes> some = keys.subList(from, Math.min(keys.size(), from + ROWS_MAX));
            String query = "SELECT k, v FROM " + name + " WHERE k IN (" + marks("?", some.size());
            try (PreparedStatement statement = connection.prepareStatement(query + ")")) {
                statement.setFetchSize(FETCHED);
                bind(statement, some);
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        found.put(Bytes.wrap(rows.getBytes(1)), Bytes.wrap(rows.getBytes(2)));
                    }
                }
            }
        }
        return found;
    }

    /** Stores the new values, and deletes where there is none. */
    void write(Connection connection, List<Mutation> mutations) throws SQLException {
        List<Bytes> deleted = new ArrayList<>();
        List<Mutation> stored = new ArrayList<>();
        long bytes = 0;
        for (Mutation mutation : mutations) {
            if (mutation.newValue() == null) {
                deleted.add(mutation.key());
                if (deleted.size() == ROWS_MAX) {
                    delete(connection, deleted);
                    deleted.clear();
                }
                continue;
            }
            long size = (long) mutation.key().length() + mutation.newValue().length();
            if (stored.size() == ROWS_MAX
                    || (!stored.isEmpty() && bytes + size > statementBytesMax)) {
                store(connection, stored);
                stored.clear();
                bytes = 0;
            }
            stored.add(mutation);
            bytes += size;
        }
        delete(connection, deleted);
        store(connection, stored);
    }

    private void delete(Connection connection, List<Bytes> keys) throws SQLException {
        if (keys.isEmpty()) {
            return;
        }
        String change = "DELETE FROM " + name + " WHERE k IN (" + marks("?", keys.size()) + ")";
        try (PreparedStatement statement = connection.prepareStatement(change)) {
            bind(statement, keys);
            statement.executeUpdate();
        }
    }

    private void store(Connection connection, List<Mutation> mutations) throws SQLException {
        if (mutations.isEmpty()) {
            return;
        }
        String change =
                "INSERT INTO " + name + " (k, v) VALUES " + marks("(?, ?)", mutations.size());
        try (PreparedStatement statement = connection.prepareStatement(change + orReplace)) {
            int at = 1;
            for (Mutation mutation : mutations) {
                statement.setBytes(at++, mutation.key().array());
                statement.setBytes(at++, mutation.newValue().array());
            }
            statement.executeUpdate();
        }
    }

    private static void bind(PreparedStatement statement, List<Bytes> keys) throws SQLException {
        int at = 1;
        for (Bytes key : keys) {
            statement.setBytes(at++, key.array());
        }
    }

    private static String marks(String mark, int count) {
        return String.join(", ", Collections.nCopies(count, mark));
    }

    /**
     * Reads a page of a range, in order: up to {@code rows}, fewer if they have many bytes. The
     * database sends all of them.
     *
     * @param low first key; null if there is no bound
     * @param high last key; null if there is no bound
     * @param page receives the rows
     * @return false if the range has no more rows
     */
    boolean page(
            Connection connection, Bound low, Bound high, boolean reverse, int rows, List<Row> page)
            throws SQLException {
        StringBuilder query = new StringBuilder("SELECT k, v FROM ").append(name);
        String joint = " WHERE ";
        if (low != null) {
            query.append(joint).append("k ").append(low.inclusive() ? ">= ?" : "> ?");
            joint = " AND ";
        }
        if (high != null) {
            query.append(joint).append("k ").append(high.inclusive() ? "<= ?" : "< ?");
        }
        query.append(" ORDER BY k ")
                .append(reverse ? "DESC" : "ASC")
                .append(" LIMIT ")
                .append(rows);
        try (PreparedStatement statement = connection.prepareStatement(query.toString())) {
            statement.setFetchSize(FETCHED);
            int at = 1;
            if (low != null) {
                statement.setBytes(at++, low.key().array());
            }
            if (high != null) {
                statement.setBytes(at, high.key().array());
            }
            long bytes = 0;
            try (ResultSet found = statement.executeQuery()) {
                while (found.next()) {
                    if (bytes > BYTES_MAX) {
                        return true;
                    }
                    Row row = new Row(Bytes.wrap(found.getBytes(1)), Bytes.wrap(found.getBytes(2)));
                    bytes += row.value().length();
                    page.add(row);
                }
            }
            return page.size() == rows;
        }
    }

    /** One end of a range. */
    record Bound(Bytes key, boolean inclusive) {}

    /** A key with its value. */
    record Row(Bytes key, Bytes value) {}
}
