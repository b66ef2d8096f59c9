package io.brain.admin.check;

/**
 * What a check has read.
 *
 * @param revision the newest revision; 0 if it is not known
 * @param keys client keys, deleted ones that are remembered included
 * @param versions of all keys: heads and history
 * @param bytes encoded bytes of those, with their keys
 * @param changes changes in the commit log
 * @param leases granted leases
 * @param attachments keys that are attached to a lease
 * @param damages what was found to be wrong
 */
public record CheckReport(
        long revision,
        long keys,
        long versions,
        long bytes,
        long changes,
        long leases,
        long attachments,
        long damages) {
    /** One line. */
    @Override
    public String toString() {
        return "revision %d, %d keys, %d versions of %d bytes, %d logged changes, %d leases, %d attached keys; damaged: %d"
                .formatted(revision, keys, versions, bytes, changes, leases, attachments, damages);
    }
}
