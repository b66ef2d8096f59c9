package io.brain.storage.rocksdb;

import org.rocksdb.InfoLogLevel;
import org.rocksdb.Logger;

/** Takes RocksDB's own log, so that it writes none. */
final class SilentLogger extends Logger {
    SilentLogger() {
        super(InfoLogLevel.FATAL_LEVEL);
    }

    @Override
    protected void log(InfoLogLevel level, String line) {}
}
