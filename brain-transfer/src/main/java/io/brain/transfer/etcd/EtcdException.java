package io.brain.transfer.etcd;

import java.io.IOException;

/** A file is not an intact database of etcd. The message is one line. */
public final class EtcdException extends IOException {
    private static final long serialVersionUID = 1L;

    /** A failure. */
    public EtcdException(String message) {
        super(message);
    }
}
