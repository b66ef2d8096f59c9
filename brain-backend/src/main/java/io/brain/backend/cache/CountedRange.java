package io.brain.backend.cache;

import io.brain.storage.Bytes;

/**
 * A part of the keys whose number is known.
 *
 * @param from the first key that may be in it
 * @param to the first key behind it; null: there is none
 * @param keys how many keys exist in it
 */
public record CountedRange(Bytes from, Bytes to, long keys) {}
