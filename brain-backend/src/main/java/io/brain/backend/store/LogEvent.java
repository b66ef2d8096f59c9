package io.brain.backend.store;

import io.brain.storage.Bytes;

/**
 * One change as the commit log remembers it. The changed bytes themselves are in the {@link
 * VersionRecord} of (key, revision), the key's head or in its history, unless a later change of the
 * same key in the same revision took that place: then {@code inline} holds them.
 *
 * @param sub place of the change within its revision, from 0
 * @param replacedRevision revision of the version that was moved to the history, tombstones
 *     included; 0 if the key had none
 * @param replacedBytes encoded length of that version, without its key, for the size account; 0 if
 *     there is none, or an earlier change of the same key in the same revision replaced it already
 * @param inline the encoded {@link VersionRecord} of a change that was overwritten within its
 *     revision; null otherwise
 */
public record LogEvent(
        Bytes key,
        long revision,
        int sub,
        boolean delete,
        long replacedRevision,
        int replacedBytes,
        Bytes inline) {}
