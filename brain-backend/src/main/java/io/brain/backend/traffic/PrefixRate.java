package io.brain.backend.traffic;

import io.brain.storage.Bytes;

/**
 * How fast keys with a prefix change.
 *
 * @param prefix see {@link KeyPrefix}
 * @param perSecond changes, over the last minutes, the last one weighing most
 * @param errorPerSecond by how much that may be too high
 */
public record PrefixRate(Bytes prefix, double perSecond, double errorPerSecond) {}
