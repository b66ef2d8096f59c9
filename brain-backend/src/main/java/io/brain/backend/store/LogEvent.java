package io.brain.backend.store;

import io.brain.storage.Bytes;

/**
 * A change in the commit log. Its {@link VersionRecord} is the key's head or in the history, unless
 * a later change of the same revision overwrote it: then it is {@code inline}.
 *
 * <p>Or a gap: the changes between the event before and this revision and sub-revision, both
 * included, are not stored, because an import left them out.
 *
 * @param key empty for a gap, whose other fields, but revision and sub, mean nothing
 * @param sub index of the change within its revision, from 0
 * @param replacedRevision revision of the version, or tombstone, that was moved to the history; 0
 *     if there was none, or an import did not know it
 * @param replacedBytes encoded length of that version, without its key; 0 if there is none, or an
 *     earlier change of the same revision replaced it
 * @param inline encoded {@link VersionRecord} of a change that was overwritten within its revision;
 *     null otherwise
 */
public record LogEvent(
        Bytes key,
        long revision,
        int sub,
        boolean delete,
        long replacedRevision,
        int replacedBytes,
        Bytes inline) {
    /** The gap that ends with a revision and sub-revision. */
    public static LogEvent gap(long revision, int sub) {
        return new LogEvent(Bytes.EMPTY, revision, sub, false, 0, 0, null);
    }

    public boolean isGap() {
        return key.isEmpty();
    }
}
