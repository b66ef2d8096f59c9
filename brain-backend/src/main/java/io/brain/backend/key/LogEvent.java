package io.brain.backend.key;

import io.brain.storage.Bytes;

/**
 * One change as the commit log remembers it. The changed bytes themselves are in the version record
 * (key, revision), unless a later change of the same key in the same revision took that place: then
 * {@code inline} holds them.
 *
 * @param sub place of the change within its revision, from 0
 * @param replacedRevision the newest revision below {@code revision} at which the key has a record,
 *     tombstones included; 0 if none
 * @param replacedTombstone true if that record is a tombstone
 * @param replacedBytes encoded length of the {@link VersionRecord} it replaced (tombstones
 *     included), without its key, for the size account; 0 if there is none, or an earlier change of
 *     the same key in the same revision replaced it already
 * @param inline the encoded {@link VersionRecord} of a change that was overwritten within its
 *     revision; null otherwise
 */
public record LogEvent(
        Bytes key,
        long revision,
        int sub,
        boolean delete,
        long replacedRevision,
        boolean replacedTombstone,
        int replacedBytes,
        Bytes inline) {}
