/**
 * The files of a data directory around RocksDB's own: owner and version, the mark of a clean close,
 * reserved space, and the check and repair of a log that ended in the middle of a record.
 */
package io.brain.storage.rocksdb.recovery;
