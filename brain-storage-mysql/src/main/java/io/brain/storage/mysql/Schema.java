package io.brain.storage.mysql;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * The two tables: keys with their values, and the clock, whose only row every commit locks.
 *
 * @param kv name of the table of keys
 * @param clock name of the table with the clock
 */
record Schema(String kv, String clock) {
    /** Format of the tables. */
    static final int FORMAT = 1;

    /** The tables with these first letters in their names. */
    static Schema of(String prefix) {
        return new Schema(prefix + "kv", prefix + "clock");
    }

    /**
     * Creates the tables if that is wanted, and checks them.
     *
     * @throws StorageException kind REFUSED: no tables, or other ones; kind CORRUPT: keys without a
     *     clock
     */
    void prepare(Connection connection, Dialect dialect, boolean create) throws SQLException {
        if (!exists(connection)) {
            if (!create) {
                throw new StorageException(Kind.REFUSED, "the database has no table " + clock);
            }
            dialect.createTables(connection, kv, clock);
            connection.commit();
        }
        try (PreparedStatement statement =
                        connection.prepareStatement(
                                "SELECT format FROM " + clock + " WHERE id = 1");
                ResultSet rows = statement.executeQuery()) {
            long format = onlyLong(rows);
            if (format != FORMAT) {
                throw new StorageException(
                        Kind.REFUSED,
                        "table "
                                + clock
                                + " has format "
                                + format
                                + ", this version reads "
                                + FORMAT);
            }
        }
        List<String> found = kvTable(connection);
        if (!found.equals(dialect.kvTable())) {
            throw new StorageException(
                    Kind.REFUSED,
                    "table %s has %s, must have %s".formatted(kv, found, dialect.kvTable()));
        }
    }

    /** Columns and primary key of the table of keys; none if there is no such table. */
    private List<String> kvTable(Connection connection) throws SQLException {
        DatabaseMetaData data = connection.getMetaData();
        String catalog = connection.getCatalog();
        String schema = connection.getSchema();
        List<String> found = new ArrayList<>();
        try (ResultSet columns = data.getColumns(catalog, pattern(schema), pattern(kv), null)) {
            while (columns.next()) {
                found.add(
                        "%s %s(%d)"
                                .formatted(
                                        columns.getString("COLUMN_NAME"),
                                        columns.getString("TYPE_NAME"),
                                        columns.getInt("COLUMN_SIZE")));
            }
        }
        try (ResultSet keys = data.getPrimaryKeys(catalog, schema, kv)) {
            while (keys.next()) {
                found.add("PRIMARY KEY " + keys.getString("COLUMN_NAME"));
            }
        }
        return found;
    }

    /** True if the row of the clock, the last thing that is created, may exist. */
    private boolean exists(Connection connection) throws SQLException {
        DatabaseMetaData data = connection.getMetaData();
        String schemas = pattern(connection.getSchema());
        try (ResultSet tables =
                data.getTables(connection.getCatalog(), schemas, pattern(clock), null)) {
            if (!tables.next()) {
                return false;
            }
        }
        try (PreparedStatement statement =
                        connection.prepareStatement("SELECT 1 FROM " + clock + " WHERE id = 1");
                ResultSet rows = statement.executeQuery()) {
            return rows.next();
        }
    }

    private static String pattern(String name) {
        return name == null ? null : name.replace("_", "\\_");
    }

    /** The first column of the only row. */
    static long onlyLong(ResultSet rows) throws SQLException {
        if (!rows.next()) {
            throw noClock();
        }
        return rows.getLong(1);
    }

    static StorageException noClock() {
        return new StorageException(Kind.CORRUPT, "the clock's row is missing in the database");
    }
}
