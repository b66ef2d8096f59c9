package io.brain.storage.rocksdb;

import org.rocksdb.InfoLogLevel;
import org.rocksdb.Logger;

/** Discards RocksDB's information log. */
final class SilentLogger extends Logger {
    SilentLogger() {
        super(InfoLogLevel.FATAL_LEVEL);
    }

    @Override
    protected void log(InfoLogLevel level, String line) {}
}
