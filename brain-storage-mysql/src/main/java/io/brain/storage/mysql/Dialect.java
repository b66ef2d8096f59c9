package io.brain.storage.mysql;

import io.brain.storage.StorageException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Properties;

/** What the databases do differently. Immutable; "kv" and "clock" below are names of tables. */
interface Dialect {
    /** Where the URL of a driver begins; the first is that of the driver that is used. */
    List<String> urlPrefixes();

    /**
     * Why a URL is refused, as the end of a sentence about it; null if it is not.
     *
     * @param rest what follows the prefix, in lower case
     */
    String urlFlaw(String rest);

    /** Longest key that the database's index takes, in bytes. */
    int keyBytesMax();

    /** Limits the time of connecting and of each answer. */
    void limit(Properties driver, Duration connect, Duration answer);

    /**
     * The statement that begins a session. It sets the isolation as well: a default of the database
     * can change.
     *
     * @param connection of the same database, to find out what it understands
     * @param repeatable whether a transaction sees one state, or each statement the newest one
     * @param limit the database ends a statement after this time
     * @param idle the database ends a transaction that has no statement for this time: the client
     *     vanished
     */
    String sessionStart(Connection connection, boolean repeatable, Duration limit, Duration idle)
            throws SQLException;

    /**
     * Checks that this server can commit, that an acknowledged commit survives a crash, and that
     * reads see it.
     *
     * @throws StorageException kind REFUSED, with the setting to change
     */
    void requireSafe(Connection connection) throws SQLException;

    /**
     * Creates the tables unless they exist, and the clock's row if the other table is empty;
     * several servers may do so at once.
     */
    void createTables(Connection connection, String kv, String clock) throws SQLException;

    /** Columns and primary key of the table of keys, as the driver describes them. */
    List<String> kvTable();

    /**
     * Reads the clock, as the first statement of a reader's transaction.
     *
     * @throws StorageException kind REFUSED if the session has lost its settings
     */
    long now(Connection connection, String clock) throws SQLException;

    /**
     * Moves the clock by one and locks its row until the transaction ends, as the first statement
     * of a writer's transaction.
     *
     * @return the new time
     * @throws StorageException kind REFUSED if the session has lost its settings
     */
    long tick(Connection connection, String clock) throws SQLException;

    /** Completes "INSERT INTO t (k, v) VALUES ...", so that stored values are replaced. */
    String orReplace();

    /**
     * Largest value in bytes that one statement can bring to the database.
     *
     * @throws StorageException kind REFUSED if that is too little, with the setting to change
     */
    long valueBytesMax(Connection connection) throws SQLException;
}
