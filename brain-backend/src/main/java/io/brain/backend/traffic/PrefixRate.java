package io.brain.backend.traffic;

import io.brain.storage.Bytes;

/**
 * Changes per second of keys with a prefix.
 *
 * @param prefix see {@link KeyPrefix}
 * @param perSecond over the last minutes, the last one weighing most
 * @param errorPerSecond greatest overestimate
 */
public record PrefixRate(Bytes prefix, double perSecond, double errorPerSecond) {}
