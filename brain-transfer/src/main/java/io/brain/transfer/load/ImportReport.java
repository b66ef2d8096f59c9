package io.brain.transfer.load;

/**
 * What an import stored.
 *
 * @param compacted oldest readable revision; -1 if nothing was compacted
 * @param changes number of changes of the file that were imported
 * @param skipped number of changes of other keys
 * @param keys number of keys that exist at {@code revision}
 * @param bytes encoded bytes of all versions and their keys
 * @param addedLeases leases that keys name and the file does not have, added so that the keys stay
 * @param authEnabled true if the source restricts access, which a server does not do
 */
public record ImportReport(
        long revision,
        long compacted,
        long changes,
        long skipped,
        long keys,
        long bytes,
        long leases,
        long addedLeases,
        long users,
        long roles,
        boolean authEnabled) {
    /** The report in one line. */
    @Override
    public String toString() {
        return ("imported %d changes, %d skipped; %d keys, %d bytes, revision %d, %s;"
                        + " %d leases, %d added for keys, %d users, %d roles")
                .formatted(
                        changes,
                        skipped,
                        keys,
                        bytes,
                        revision,
                        compacted < 0 ? "not compacted" : "compacted at " + compacted,
                        leases,
                        addedLeases,
                        users,
                        roles);
    }
}
