package io.brain.storage.rocksdb;

import org.rocksdb.AbstractEventListener;
import org.rocksdb.BackgroundErrorReason;
import org.rocksdb.Status;

/**
 * Turns off RocksDB's recovery from errors of flushes and compactions: it waits until the disk has
 * space, and a write that waits for a flush waits with it. The committer reopens the engine
 * instead. Thread-safe.
 *
 * <p>RocksDB 11.8 has reasons that its Java enum lacks: a failed flush has one. Then this method is
 * not called; an exception is printed, which RocksDB takes for false, too.
 */
final class NoAutoRecovery extends AbstractEventListener {
    NoAutoRecovery() {
        super(EnabledEventCallback.ON_ERROR_RECOVERY_BEGIN);
    }

    @Override
    public boolean onErrorRecoveryBegin(BackgroundErrorReason reason, Status error) {
        return false;
    }
}
