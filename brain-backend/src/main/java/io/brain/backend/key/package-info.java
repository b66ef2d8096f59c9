/**
 * The bytes on disk: how keys, versions, the commit log, the fence and the small records of the
 * cluster are laid out. docs/storage-format.md shows the same as a table.
 */
package io.brain.backend.key;
