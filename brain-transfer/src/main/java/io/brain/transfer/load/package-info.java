/**
 * Import: fills an empty store from a database of etcd, revision for revision. Writes the stored
 * form of docs/storage-format.md directly; no server uses the store meanwhile.
 */
package io.brain.transfer.load;
