package io.brain.server.console;

import io.brain.storage.Bytes;

/**
 * Keys that are counted together.
 *
 * @param prefix what they have in common
 * @param keys how many there are
 * @param bytes what they and their values take, guessed from some of them; -1 if none was looked at
 */
record PrefixGroup(Bytes prefix, long keys, long bytes) {}
