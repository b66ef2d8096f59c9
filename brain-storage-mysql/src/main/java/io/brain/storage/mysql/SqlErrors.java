package io.brain.storage.mysql;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;

/** Failures of the database as the storage's. */
final class SqlErrors {
    /** MySQL: table full, disk full. */
    private static final int TABLE_FULL = 1114;

    private static final int DISK_FULL = 1021;

    /** MySQL: a packet, a row or a column is too large. */
    private static final Set<Integer> TOO_LARGE = Set.of(1153, 1118, 1406);

    /** MySQL: a user has too many connections, for now. */
    private static final Set<Integer> TOO_MANY_CONNECTIONS = Set.of(1203, 1226);

    /** MySQL: a server, or its engine, takes no writes; a transaction that only reads. */
    private static final Set<Integer> READ_ONLY = Set.of(1290, 1836, 1792);

    private SqlErrors() {}

    /** What a failure means for the caller; another one than of the database is unexpected. */
    static StorageException of(String what, Throwable failure) {
        if (failure instanceof StorageException known) {
            return known;
        }
        return failure instanceof SQLException known
                ? new StorageException(kind(known), what + ": " + message(known), failure)
                : new StorageException(Kind.UNAVAILABLE, what + ": unexpected " + failure, failure);
    }

    /** True if the server does not take writes, or no more. */
    static boolean isReadOnly(SQLException failure) {
        return "25006".equals(failure.getSQLState()) || READ_ONLY.contains(failure.getErrorCode());
    }

    private static Kind kind(SQLException failure) {
        String state = failure.getSQLState() == null ? "" : failure.getSQLState();
        int code = failure.getErrorCode();
        if (state.equals("53100") || code == TABLE_FULL || code == DISK_FULL) {
            return Kind.NO_SPACE;
        }
        if (state.equals("54000") || TOO_LARGE.contains(code)) {
            return Kind.TOO_LARGE;
        }
        return state.startsWith("XX00") && !state.equals("XX000") ? Kind.CORRUPT : Kind.UNAVAILABLE;
    }

    /** What a failure to open means: other credentials or another database need an operator. */
    static StorageException atOpening(SqlSettings settings, SQLException failure) {
        String state = failure.getSQLState() == null ? "" : failure.getSQLState();
        boolean refused =
                (state.startsWith("28") || state.startsWith("3D") || state.startsWith("42"))
                        && !TOO_MANY_CONNECTIONS.contains(failure.getErrorCode());
        return new StorageException(
                refused ? Kind.REFUSED : kind(failure),
                "cannot use the database " + settings.url() + ": " + oneLine(failure.getMessage()),
                failure);
    }

    /** A pool without a connection has the reason as the cause only. */
    private static String message(SQLException failure) {
        Throwable why =
                failure instanceof SQLTransientConnectionException ? failure.getCause() : null;
        return oneLine(failure.getMessage() + (why == null ? "" : ": " + why.getMessage()));
    }

    private static String oneLine(String message) {
        return String.valueOf(message).replaceAll("\\s+", " ").strip();
    }
}
