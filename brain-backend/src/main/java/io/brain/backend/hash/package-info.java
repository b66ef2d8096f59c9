/**
 * Hashes of the store: of the history, equal to that of an etcd with the same history, and of all
 * records. Computed in the background, one at a time.
 */
package io.brain.backend.hash;
