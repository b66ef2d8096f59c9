package io.brain.storage.rocksdb;

import io.brain.storage.StorageException;
import io.brain.storage.StorageException.Kind;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/** Classifies RocksDB's errors. */
final class RocksErrors {
    private RocksErrors() {}

    /** Converts an error; the message starts with {@code what}. */
    static StorageException of(String what, RocksDBException error) {
        return new StorageException(kind(error), what + ": " + line(error), error);
    }

    /** NO_SPACE, CORRUPT, or else UNAVAILABLE. */
    static Kind kind(RocksDBException error) {
        if (isNoSpace(error)) {
            return Kind.NO_SPACE;
        }
        return hasCode(error, Status.Code.Corruption) ? Kind.CORRUPT : Kind.UNAVAILABLE;
    }

    static boolean hasCode(RocksDBException error, Status.Code code) {
        return error.getStatus() != null && error.getStatus().getCode() == code;
    }

    /** The message in one line. */
    static String line(RocksDBException error) {
        return String.valueOf(error.getMessage()).strip().replaceAll("\\s+", " ");
    }

    private static boolean isNoSpace(RocksDBException error) {
        Status status = error.getStatus();
        return (status != null && status.getSubCode() == Status.SubCode.NoSpace)
                || line(error).contains("No space left on device")
                || line(error).contains("Disk quota exceeded");
    }
}
