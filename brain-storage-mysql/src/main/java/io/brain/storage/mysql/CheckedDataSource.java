package io.brain.storage.mysql;

import io.brain.storage.StorageException;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * New connections, each one to a server that is safe: another one may be the primary by now. The
 * drivers limit the time.
 */
final class CheckedDataSource implements DataSource {
    private final Dialect dialect;
    private final String url;
    private final Properties properties;

    CheckedDataSource(Dialect dialect, String url, Properties properties) {
        this.dialect = dialect;
        this.url = url;
        this.properties = properties;
    }

    /**
     * Connects.
     *
     * @throws StorageException kind REFUSED if the server is not safe
     */
    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = DriverManager.getConnection(url, properties);
        try {
            dialect.requireSafe(connection);
            return connection;
        } catch (SQLException | RuntimeException | Error e) {
            connection.close();
            throw e;
        }
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
