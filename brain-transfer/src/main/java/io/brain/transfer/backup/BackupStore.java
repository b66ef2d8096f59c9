package io.brain.transfer.backup;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/**
 * Keeps objects by name: letters, digits, dots and hyphens. Used by one thread. Errors are {@link
 * IOException}s with a message of one line.
 */
public interface BackupStore extends Closeable {
    /**
     * Opens backups.
     *
     * @param location a directory, or s3://bucket or s3://bucket/prefix
     * @param endpoint of a service that is compatible with S3; null: AWS
     * @param region null: as the AWS tools find it
     * @throws IllegalArgumentException if the location is malformed
     */
    static BackupStore open(String location, URI endpoint, String region) throws IOException {
        if (!location.startsWith("s3://")) {
            return new DirectoryStore(Path.of(location));
        }
        URI bucket = URI.create(location);
        if (bucket.getHost() == null) {
            throw new IllegalArgumentException("no bucket: " + location);
        }
        return new S3Store(bucket, endpoint, region, S3Store.CALL_MAX);
    }

    /** Writes an object. */
    @FunctionalInterface
    interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    /** Keeps others from changing the backups; ends with the process at the latest. */
    interface Lock extends Closeable {
        /**
         * To be called at least once a minute.
         *
         * @throws IOException if the lock was lost
         */
        void renew() throws IOException;
    }

    /**
     * Takes the lock.
     *
     * @throws IOException if another process has it
     */
    Lock lock() throws IOException;

    /** Adds or replaces an object, which appears only when it is complete and durable. */
    void put(String name, Content content) throws IOException;

    /** Reads an object. */
    InputStream open(String name) throws IOException;

    /** The names of all objects in ascending order; empty if nothing was ever stored. */
    List<String> names() throws IOException;

    /** Deletes an object, if it exists. */
    void delete(String name) throws IOException;
}
