/**
 * Checksums of what is stored: of the history of keys, equal to that of an etcd with the same
 * history, and of everything. Made on demand, one at a time, in the background.
 */
package io.brain.backend.hash;
