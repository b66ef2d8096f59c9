package io.brain.transfer.backup;

import java.io.IOException;

/** Backups that are missing, damaged, or of another cluster; the message is one line. */
public final class BackupException extends IOException {
    private static final long serialVersionUID = 1;

    BackupException(String message) {
        super(message);
    }
}
