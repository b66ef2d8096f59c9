package io.brain.storage.mysql;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import java.sql.SQLException;

/** Failures of the database as the storage's. */
final class SqlErrors {
    /** MySQL: table full, disk full. */
    private static final int TABLE_FULL = 1114;

    private static final int DISK_FULL = 1021;

    private SqlErrors() {}

    /** What a failure means for the caller; another one than of the database is unexpected. */
    static StorageException of(String what, Throwable failure) {
        if (failure instanceof StorageException known) {
            return known;
        }
        return failure instanceof SQLException known
                ? new StorageException(
                        kind(known), what + ": " + oneLine(known.getMessage()), failure)
                : new StorageException(Kind.UNAVAILABLE, what + ": unexpected " + failure, failure);
    }

    private static Kind kind(SQLException failure) {
        String state = failure.getSQLState() == null ? "" : failure.getSQLState();
        int code = failure.getErrorCode();
        if (state.equals("53100") || code == TABLE_FULL || code == DISK_FULL) {
            return Kind.NO_SPACE;
        }
        return state.startsWith("XX00") && !state.equals("XX000") ? Kind.CORRUPT : Kind.UNAVAILABLE;
    }

    /** What a failure to open means: other credentials or another database need an operator. */
    static StorageException atOpening(SqlSettings settings, SQLException failure) {
        String state = failure.getSQLState() == null ? "" : failure.getSQLState();
        boolean refused =
                state.startsWith("28") || state.startsWith("3D") || state.startsWith("42");
        return new StorageException(
                refused ? Kind.REFUSED : kind(failure),
                "cannot use the database " + settings.url() + ": " + oneLine(failure.getMessage()),
                failure);
    }

    private static String oneLine(String message) {
        return String.valueOf(message).replaceAll("\\s+", " ").strip();
    }
}
