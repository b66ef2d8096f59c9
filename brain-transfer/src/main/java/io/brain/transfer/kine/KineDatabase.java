package io.brain.transfer.kine;

import io.brain.storage.Bytes;
import io.brain.transfer.etcd.ChangeSource;
import java.io.Closeable;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;

/**
 * Kine's table in MariaDB, MySQL or PostgreSQL, read page by page in one transaction that sees one
 * state. Methods throw an {@link IOException} whose message is one line.
 */
public final class KineDatabase implements KineTable, Closeable {
    /** Where the URLs of databases begin; the driver of the first takes the second as well. */
    private static final List<String> PREFIXES =
            List.of("jdbc:mariadb:", "jdbc:mysql:", "jdbc:postgresql:");

    private static final String CONNECT_SECONDS = "10";
    private static final int PAGE_ROWS = 1000;

    /** Rows in memory at once, of up to kine's 16 MiB. */
    private static final int FETCHED_ROWS = 8;

    private static final String STATE =
            "SELECT (SELECT MAX(id) FROM kine), (SELECT MAX(prev_revision) FROM kine WHERE name ="
                    + " 'compact_rev_key')";

    /** The first condition lets MySQL begin at the place in the index on names. */
    private static final String PAGE =
            "SELECT id, name, created, deleted, create_revision, lease, value FROM kine WHERE name"
                    + " >= ? AND (name > ? OR id > ?) ORDER BY name, id LIMIT "
                    + PAGE_ROWS;

    private final Connection connection;
    private final long newest;
    private final long compacted;

    private KineDatabase(Connection connection) throws SQLException {
        this.connection = connection;
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(STATE)) {
            rows.next();
            newest = rows.getLong(1);
            long revision = rows.getLong(2);
            compacted = revision > 0 ? revision : -1;
        }
    }

    /** True if an import reads this URL from a database. */
    public static boolean isUrl(String text) {
        return PREFIXES.stream().anyMatch(text::startsWith);
    }

    /**
     * Opens a database.
     *
     * @param url see {@link #isUrl}
     * @param user empty: what the URL says
     * @param password empty: none
     */
    public static KineDatabase open(String url, String user, String password) throws IOException {
        boolean postgres = url.startsWith("jdbc:postgresql:");
        Properties properties = new Properties();
        properties.setProperty(
                "connectTimeout", postgres ? CONNECT_SECONDS : CONNECT_SECONDS + "000");
        if (!user.isEmpty()) {
            properties.setProperty("user", user);
        }
        if (!password.isEmpty()) {
            properties.setProperty("password", password);
        }
        Connection connection = null;
        try {
            connection =
                    DriverManager.getConnection(
                            url.replaceFirst("^jdbc:mysql:", "jdbc:mariadb:"), properties);
            connection.setReadOnly(true);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            connection.setAutoCommit(false);
            KineDatabase opened = new KineDatabase(connection);
            connection = null;
            return opened;
        } catch (SQLException e) {
            throw failed(e);
        } finally {
            close(connection);
        }
    }

    @Override
    public long newestRevision() {
        return newest;
    }

    @Override
    public long compactedRevision() {
        return compacted;
    }

    @Override
    public void rows(ChangeSource.Visitor<Row> visitor) throws IOException {
        try {
            Row last = new Row(0, "", false, false, 0, 0, Bytes.EMPTY);
            while (last != null) {
                last = page(last, visitor);
            }
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /** Visits the next rows; null if they were the last ones. */
    private Row page(Row after, ChangeSource.Visitor<Row> visitor)
            throws SQLException, IOException {
        try (PreparedStatement statement = connection.prepareStatement(PAGE)) {
            statement.setFetchSize(FETCHED_ROWS);
            statement.setString(1, after.name());
            statement.setString(2, after.name());
            statement.setLong(3, after.id());
            int count = 0;
            Row row = null;
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    row = row(rows);
                    count++;
                    visitor.visit(row);
                }
            }
            return count == PAGE_ROWS ? row : null;
        }
    }

    private static Row row(ResultSet rows) throws SQLException {
        byte[] value = rows.getBytes(7);
        return new Row(
                rows.getLong(1),
                rows.getString(2),
                rows.getLong(3) != 0,
                rows.getLong(4) != 0,
                rows.getLong(5),
                rows.getLong(6),
                value == null ? Bytes.EMPTY : Bytes.wrap(value));
    }

    private static IOException failed(SQLException failure) {
        String message = String.valueOf(failure.getMessage()).replaceAll("\\s+", " ").strip();
        return new IOException("kine's database: " + message, failure);
    }

    @Override
    public void close() {
        close(connection);
    }

    private static void close(Connection connection) {
        try {
            if (connection != null) {
                connection.close();
            }
        } catch (SQLException e) {
            // The database ends the transaction, which has only read.
        }
    }
}
