/**
 * Backups of a cluster: full and incremental databases, kept in a directory or an object store. A
 * backup is an object with the data and, written after it, a record that describes it.
 */
package io.brain.transfer.backup;
