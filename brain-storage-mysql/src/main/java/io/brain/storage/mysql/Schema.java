package io.brain.storage.mysql;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;

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
     * @throws StorageException kind REFUSED: no tables, or of another format
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
    }

    /** True if the row of the clock, the last thing that is created, may exist. */
    private boolean exists(Connection connection) throws SQLException {
        DatabaseMetaData data = connection.getMetaData();
        try (ResultSet tables =
                data.getTables(
                        connection.getCatalog(),
                        connection.getSchema(),
                        clock.toLowerCase(Locale.ROOT).replace("_", "\\_"),
                        null)) {
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
