/**
 * Caches that commits keep up to date: heads and numbers of keys for reads, and recent events for
 * watchers.
 */
package io.brain.backend.cache;
