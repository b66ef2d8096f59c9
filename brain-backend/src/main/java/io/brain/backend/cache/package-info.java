/**
 * Newest versions and numbers of keys in memory, filled by reads and kept true by commits. Knows
 * nothing of how keys are stored.
 */
package io.brain.backend.cache;
