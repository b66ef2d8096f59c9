package io.brain.admin.console;

import io.brain.storage.Bytes;

/**
 * Keys with a common prefix.
 *
 * @param prefix the common prefix
 * @param keys number of keys
 * @param bytes estimated size of keys and values, from a sample; -1 without a sample
 */
record PrefixGroup(Bytes prefix, long keys, long bytes) {}
