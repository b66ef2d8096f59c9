package io.brain.backend.traffic;

import io.brain.storage.Bytes;

/**
 * Rate of changes of the keys with a prefix.
 *
 * @param prefix see {@link KeyPrefix}
 * @param perSecond average of the last minutes, weighted towards the last one
 * @param errorPerSecond maximum overestimate
 */
public record PrefixRate(Bytes prefix, double perSecond, double errorPerSecond) {}
