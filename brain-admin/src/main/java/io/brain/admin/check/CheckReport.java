package io.brain.admin.check;

/**
 * Result of a check.
 *
 * @param revision newest revision; 0 if unknown
 * @param keys number of keys, stored tombstones included
 * @param versions number of heads and versions in the history
 * @param bytes encoded size of these versions, with their keys
 * @param events number of events in the commit log
 * @param leases number of leases
 * @param attachments number of keys attached to leases
 * @param damages number of findings
 */
public record CheckReport(
        long revision,
        long keys,
        long versions,
        long bytes,
        long events,
        long leases,
        long attachments,
        long damages) {
    /** The report in one line. */
    @Override
    public String toString() {
        return "revision %d, %d keys, %d versions of %d bytes, %d logged changes, %d leases, %d attached keys; damaged: %d"
                .formatted(revision, keys, versions, bytes, events, leases, attachments, damages);
    }
}
